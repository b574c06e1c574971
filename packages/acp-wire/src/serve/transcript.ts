import type { SessionUpdate } from "../types/update.ts";

/** Updates that tell a state of now; a replay of old ones would tell a wrong one. */
const STATE_KINDS = new Set([
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
]);

/**
 * What is worth replaying of a turn: chunks of one kind joined, a tool call once in its last state,
 * one plan, and whatever is of no known kind as it was. Pure: gives a new list.
 */
export function reduceTranscript(
  entries: readonly SessionUpdate[],
  update: SessionUpdate,
): readonly SessionUpdate[] {
  const { sessionUpdate: kind } = update;
  if (STATE_KINDS.has(kind)) return entries;
  const last = entries.at(-1);
  const joined = last && joinChunks(last, update);
  if (joined) return [...entries.slice(0, -1), joined];
  if (kind === "plan")
    return replaceOrAdd(entries, update, (entry) => entry.sessionUpdate === kind);
  if (kind === "tool_call_update") {
    const id = update["toolCallId"];
    const at = entries.findIndex((entry) => "toolCallId" in entry && entry["toolCallId"] === id);
    const call = entries[at];
    if (call !== undefined) {
      const merged = { ...call, ...update, sessionUpdate: call.sessionUpdate };
      return entries.with(at, merged);
    }
  }
  return [...entries, update];
}

function replaceOrAdd(
  entries: readonly SessionUpdate[],
  update: SessionUpdate,
  matches: (entry: SessionUpdate) => boolean,
): readonly SessionUpdate[] {
  const at = entries.findIndex(matches);
  return at === -1 ? [...entries, update] : entries.with(at, update);
}

function joinChunks(last: SessionUpdate, next: SessionUpdate): SessionUpdate | undefined {
  if (last.sessionUpdate !== next.sessionUpdate || last["messageId"] !== next["messageId"]) {
    return undefined;
  }
  const before = plainText(last);
  const after = plainText(next);
  if (before === undefined || after === undefined) return undefined;
  return { ...last, content: { type: "text", text: before + after } };
}

/** The text of a chunk that holds nothing else. */
function plainText(update: SessionUpdate): string | undefined {
  if (!update.sessionUpdate.endsWith("_chunk") || update._meta) return undefined;
  const content = update["content"] as { type?: unknown; text?: unknown } | undefined;
  if (content?.type !== "text" || Object.keys(content).length !== 2) return undefined;
  return typeof content.text === "string" ? content.text : undefined;
}
