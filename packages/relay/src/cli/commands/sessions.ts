import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ConversationSummary } from "@acp-kit/router/sqlite";
import { describingFailure } from "../../open-store.ts";
import { escapeInJson, formatForTerminal } from "../../terminal-text.ts";
import { allConversations, findConversation, openKept } from "./kept-state.ts";
import { formatTranscript } from "./transcript.ts";

/** Takes text for the operator. */
type Write = (text: string) => void;

/** A line for each conversation: when something last happened, how many events there are, what goes on, its key. */
export async function listSessions(stateDir: string, write: Write): Promise<void> {
  await using store = await openKept(stateDir);
  let count = 0;
  for await (const summary of allConversations(store)) {
    if (count === 0) write(`${columns("LAST EVENT", "EVENTS", "STATE")}CONVERSATION\n`);
    count += 1;
    write(formatSummary(summary));
  }
  if (count === 0) write("There are no conversations.\n");
}

/** A conversation, readable. */
export async function showSession(stateDir: string, name: string, write: Write): Promise<void> {
  await using store = await openKept(stateDir);
  const conversation = await findConversation(store, name);
  for (const text of formatTranscript(store.exportConversation(conversation))) {
    write(formatForTerminal(text));
  }
}

/** Everything that is kept of a conversation as lines of JSON: into a new file with mode 0600, or to `write`. */
export async function exportSession(
  stateDir: string,
  name: string,
  file: string | undefined,
  write: Write,
): Promise<void> {
  await using store = await openKept(stateDir);
  const conversation = await findConversation(store, name);
  const lines = store.exportConversation(conversation);
  if (file === undefined) {
    for (const item of lines) write(formatLine(item));
    return;
  }
  const target = resolve(file);
  await describingFailure(target, async () => {
    await using handle = await open(target, "wx", 0o600);
    for (const item of lines) await handle.write(formatLine(item));
  });
  write(`Exported to ${formatForTerminal(target)}\n`);
}

/** Inert wherever it is printed or embedded: no control character and no tag. */
function formatLine(item: unknown): string {
  const json = JSON.stringify(item).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
  return `${escapeInJson(json)}\n`;
}

function formatSummary({
  conversation,
  first,
  last,
  lastAt,
  isOwned,
  openTurns,
}: ConversationSummary): string {
  const at = lastAt === undefined ? "-" : new Date(lastAt).toISOString().slice(0, 19);
  const state = openTurns > 0 ? `${openTurns} open` : isOwned ? "held" : "idle";
  return `${columns(at, String(last - first + 1), state)}${formatForTerminal(conversation).replaceAll("\n", " ")}\n`;
}

function columns(at: string, events: string, state: string): string {
  return `${at.padEnd(21)}${events.padStart(7)}  ${state.padEnd(9)}`;
}
