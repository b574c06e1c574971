import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import { parseMeta } from "@acp-kit/statusline";
import type { AgentCommand, EventBody, PlanEntry, ToolContent } from "./events.ts";
import { asFields, asFieldsList, asText, type Fields } from "./fields.ts";

/** Largest event in a log, in characters of its texts: below 256 KiB as JSON even where each is written as `\u0000`. */
export const MAX_EVENT_CHARS = 40_000;

/** Longest title or path in an event, in characters. */
const MAX_TITLE_CHARS = 2_000;

/**
 * What an ACP `session/update` says, as events. Never throws: whatever is not understood passes as `unknown-update`.
 *
 * Texts beyond {@link MAX_EVENT_CHARS} become several events, or lose their end where the whole would be one value.
 * @see https://agentclientprotocol.com/protocol/prompt-turn
 */
export function parseSessionUpdate(params: SessionUpdateParams): EventBody[] {
  const update = asFields(params.update) ?? {};
  const events = parseKind(update);
  // The status line rides on any kind of update, beside it or inside it; the outer one is the newer habit.
  const status = readStatus(params["_meta"]) ?? readStatus(update["_meta"]);
  return status ? [status, ...events] : events;
}

function parseKind(update: Fields): EventBody[] {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return parseChunk("text", update);
    case "agent_thought_chunk":
      return parseChunk("thought", update);
    // A replay, or the agent's echo of what the person wrote: the log has it already.
    case "user_message_chunk":
      return [];
    case "tool_call":
      return [
        {
          kind: "tool-start",
          id: asText(update["toolCallId"]) ?? "",
          title: bounded(asText(update["title"]) ?? asText(update["name"]) ?? "", MAX_TITLE_CHARS),
          toolKind: asText(update["kind"]) ?? "other",
          status: asText(update["status"]) ?? "pending",
          content: parseToolContent(update["content"]) ?? [],
        },
      ];
    case "tool_call_update": {
      const title = asText(update["title"]);
      const toolKind = asText(update["kind"]);
      const status = asText(update["status"]);
      const content = parseToolContent(update["content"]);
      return [
        {
          kind: "tool-update",
          id: asText(update["toolCallId"]) ?? "",
          ...(title !== undefined && { title: bounded(title, MAX_TITLE_CHARS) }),
          ...(toolKind !== undefined && { toolKind }),
          ...(status !== undefined && { status }),
          ...(content !== undefined && { content }),
        },
      ];
    }
    case "plan":
      return [{ kind: "plan", entries: withinBudget(parsePlan(update["entries"])) }];
    case "available_commands_update":
      return [
        { kind: "commands", commands: withinBudget(parseCommands(update["availableCommands"])) },
      ];
    case "current_mode_update": {
      const mode = asText(update["currentModeId"]);
      return mode === undefined ? [unknown(update)] : [{ kind: "config", mode }];
    }
    case "config_option_update": {
      const options = update["configOptions"];
      const fits = JSON.stringify(options ?? null).length <= MAX_EVENT_CHARS;
      return Array.isArray(options) && fits ? [{ kind: "config", options }] : [unknown(update)];
    }
    case "session_info_update": {
      const title = asText(update["title"]);
      return title === undefined ? [] : [{ kind: "title", title: bounded(title, MAX_TITLE_CHARS) }];
    }
    case "usage_update":
      return parseUsage(update);
    default:
      return [unknown(update)];
  }
}

function parseChunk(kind: "text" | "thought", update: Fields): EventBody[] {
  const content = asFields(update["content"]);
  if (content?.["type"] !== "text") return [unknown(update)];
  const text = asText(content["text"]) ?? "";
  if (text.length <= MAX_EVENT_CHARS) return text === "" ? [] : [{ kind, text }];
  const events: EventBody[] = [];
  for (let start = 0; start < text.length; ) {
    const end = wholeCodePoints(text, start + MAX_EVENT_CHARS);
    events.push({ kind, text: text.slice(start, end) });
    start = end;
  }
  return events;
}

function parseToolContent(value: unknown): ToolContent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const content: ToolContent[] = [];
  for (const item of value) {
    const fields = asFields(item);
    if (fields?.["type"] === "content") {
      const block = asFields(fields["content"]);
      const text = block?.["type"] === "text" ? asText(block["text"]) : undefined;
      if (text !== undefined) content.push({ kind: "text", text: bounded(text) });
    } else if (fields?.["type"] === "diff") {
      const oldText = asText(fields["oldText"]);
      content.push({
        kind: "diff",
        path: bounded(asText(fields["path"]) ?? "", MAX_TITLE_CHARS),
        oldText: oldText === undefined ? null : bounded(oldText, MAX_EVENT_CHARS / 2),
        newText: bounded(asText(fields["newText"]) ?? "", MAX_EVENT_CHARS / 2),
      });
    } else if (fields?.["type"] === "terminal") {
      content.push({ kind: "terminal", terminal: asText(fields["terminalId"]) ?? "" });
    }
  }
  const kept = withinBudget(content);
  const omitted = content.length - kept.length;
  return omitted === 0
    ? kept
    : [...kept, { kind: "text", text: `(${omitted} more parts are left out)` }];
}

/** The first items of a list that fit into one event. */
function withinBudget<T>(items: readonly T[]): T[] {
  let room = MAX_EVENT_CHARS;
  const end = items.findIndex((item) => {
    room -= JSON.stringify(item).length;
    return room < 0;
  });
  return items.slice(0, end < 0 ? items.length : Math.max(end, 1));
}

function parsePlan(value: unknown): PlanEntry[] {
  return asFieldsList(value).flatMap((item) => {
    const content = asText(item["content"]);
    if (content === undefined) return [];
    const priority = asText(item["priority"]);
    return [
      {
        content: bounded(content, 2_000),
        status: asText(item["status"]) ?? "pending",
        ...(priority !== undefined && { priority }),
      },
    ];
  });
}

function parseCommands(value: unknown): AgentCommand[] {
  return asFieldsList(value).flatMap((item) => {
    const name = asText(item["name"]);
    if (name === undefined || name === "") return [];
    return [{ name, description: bounded(asText(item["description"]) ?? "", 2_000) }];
  });
}

function parseUsage(update: Fields): EventBody[] {
  const { used, size } = update;
  if (typeof used !== "number" || typeof size !== "number") return [unknown(update)];
  const cost = asFields(update["cost"]);
  const amount = cost?.["amount"];
  const currency = asText(cost?.["currency"]);
  return [
    {
      kind: "usage",
      used,
      size,
      ...(typeof amount === "number" && currency !== undefined && { cost: { amount, currency } }),
    },
  ];
}

function readStatus(meta: unknown): EventBody | undefined {
  const { mood, plan, ok } = parseMeta(meta);
  return ok ? { kind: "status", mood, plan } : undefined;
}

function unknown(update: Fields): EventBody {
  const size = JSON.stringify(update)?.length ?? 0;
  return {
    kind: "unknown-update",
    update:
      size <= MAX_EVENT_CHARS
        ? update
        : { sessionUpdate: update["sessionUpdate"], omittedChars: size },
  };
}

function bounded(text: string, maxChars: number = MAX_EVENT_CHARS): string {
  return text.length <= maxChars ? text : `${text.slice(0, wholeCodePoints(text, maxChars - 1))}…`;
}

/** The nearest cut at or before `end` that does not part a surrogate pair. */
function wholeCodePoints(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
