import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import { parseMeta } from "@acp-kit/statusline";
import { parseBoundedJson } from "./bounded-json.ts";
import { boundedText, wholeCodePoints } from "./bounded-text.ts";
import type { AgentCommand, AgentContent, EventBody, PlanEntry, ToolContent } from "./events.ts";
import { asFields, asFieldsList, asText, type Fields } from "./fields.ts";

/** Most characters of an event's texts: below an event's size in bytes even where each is written as `\u0000`. */
export const MAX_EVENT_CHARS = 40_000;

/** Longest title, path or description in an event, in characters. */
const MAX_TITLE_CHARS = 2_000;

/** Longest id, kind, status or other word of the protocol in an event, in characters. */
const MAX_WORD_CHARS = 256;

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
          id: readWord(update["toolCallId"]) ?? "",
          title: readTitle(update["title"]) ?? readTitle(update["name"]) ?? "",
          toolKind: readWord(update["kind"]) ?? "other",
          status: readWord(update["status"]) ?? "pending",
          content: parseToolContent(update["content"]) ?? [],
        },
      ];
    case "tool_call_update": {
      const title = readTitle(update["title"]);
      const toolKind = readWord(update["kind"]);
      const status = readWord(update["status"]);
      const content = parseToolContent(update["content"]);
      return [
        {
          kind: "tool-update",
          id: readWord(update["toolCallId"]) ?? "",
          ...(title !== undefined && { title }),
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
      const mode = readWord(update["currentModeId"]);
      return mode === undefined ? [unknown(update)] : [{ kind: "config", mode }];
    }
    case "config_option_update": {
      const options = parseBoundedJson(update["configOptions"], MAX_EVENT_CHARS);
      return Array.isArray(options) ? [{ kind: "config", options }] : [unknown(update)];
    }
    case "session_info_update": {
      const title = readTitle(update["title"]);
      return title === undefined ? [] : [{ kind: "title", title }];
    }
    case "usage_update":
      return parseUsage(update);
    default:
      return [unknown(update)];
  }
}

function parseChunk(kind: "text" | "thought", update: Fields): EventBody[] {
  const content = asFields(update["content"]);
  const type = asText(content?.["type"]);
  if (!content || type === undefined) return [unknown(update)];
  if (type !== "text") {
    return kind === "text" ? [parseContentBlock(content)] : [];
  }
  return textEvents(kind, asText(content["text"]) ?? "");
}

/** A text as events, each within its bound. */
export function textEvents(kind: "text" | "thought", text: string): EventBody[] {
  if (text.length <= MAX_EVENT_CHARS) return text === "" ? [] : [{ kind, text }];
  const events: EventBody[] = [];
  for (let start = 0; start < text.length; ) {
    const end = wholeCodePoints(text, start + MAX_EVENT_CHARS);
    events.push({ kind, text: text.slice(start, end) });
    start = end;
  }
  return events;
}

/** A block of content that is not text: its bytes and texts stay out of the log. */
export function parseContentBlock(block: Fields): { kind: "content" } & AgentContent {
  const about = asFields(block["resource"]) ?? block;
  const name = readTitle(block["title"]) ?? readTitle(block["name"]);
  const uri = readTitle(about["uri"]);
  const contentType = readWord(about["mimeType"]);
  return {
    kind: "content",
    type: readWord(block["type"]) ?? "",
    ...(name !== undefined && { name }),
    ...(uri !== undefined && { uri }),
    ...(contentType !== undefined && { contentType }),
  };
}

function parseToolContent(value: unknown): ToolContent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const content: ToolContent[] = [];
  for (const item of value) {
    const fields = asFields(item);
    if (fields?.["type"] === "content") {
      const block = asFields(fields["content"]);
      const text = block?.["type"] === "text" ? asText(block["text"]) : undefined;
      if (text !== undefined)
        content.push({ kind: "text", text: boundedText(text, MAX_EVENT_CHARS) });
    } else if (fields?.["type"] === "diff") {
      const oldText = asText(fields["oldText"]);
      content.push({
        kind: "diff",
        path: readTitle(fields["path"]) ?? "",
        oldText: oldText === undefined ? null : boundedText(oldText, MAX_EVENT_CHARS / 2),
        newText: boundedText(asText(fields["newText"]) ?? "", MAX_EVENT_CHARS / 2),
      });
    } else if (fields?.["type"] === "terminal") {
      content.push({ kind: "terminal", terminal: readWord(fields["terminalId"]) ?? "" });
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
    const content = readTitle(item["content"]);
    if (content === undefined) return [];
    const priority = readWord(item["priority"]);
    return [
      {
        content,
        status: readWord(item["status"]) ?? "pending",
        ...(priority !== undefined && { priority }),
      },
    ];
  });
}

function parseCommands(value: unknown): AgentCommand[] {
  return asFieldsList(value).flatMap((item) => {
    const name = readWord(item["name"]);
    if (name === undefined || name === "") return [];
    return [{ name, description: readTitle(item["description"]) ?? "" }];
  });
}

function parseUsage(update: Fields): EventBody[] {
  const { used, size } = update;
  if (!isFiniteNumber(used) || !isFiniteNumber(size)) return [unknown(update)];
  const cost = asFields(update["cost"]);
  const amount = cost?.["amount"];
  const currency = readWord(cost?.["currency"]);
  return [
    {
      kind: "usage",
      used,
      size,
      ...(isFiniteNumber(amount) && currency !== undefined && { cost: { amount, currency } }),
    },
  ];
}

/** JSON has numbers that are none here: `1e999`. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function readStatus(meta: unknown): EventBody | undefined {
  const { mood, plan, ok } = parseMeta(meta);
  return ok ? { kind: "status", mood, plan } : undefined;
}

function unknown(update: Fields): EventBody {
  return {
    kind: "unknown-update",
    update: parseBoundedJson(update, MAX_EVENT_CHARS) ?? {
      sessionUpdate: readWord(update["sessionUpdate"]),
      omitted: true,
    },
  };
}

function readWord(value: unknown): string | undefined {
  return asBoundedText(value, MAX_WORD_CHARS);
}

function readTitle(value: unknown): string | undefined {
  return asBoundedText(value, MAX_TITLE_CHARS);
}

function asBoundedText(value: unknown, maxChars: number): string | undefined {
  const text = asText(value);
  return text === undefined ? undefined : boundedText(text, maxChars);
}
