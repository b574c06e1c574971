import type { ConversationSessions } from "./conversation-sessions.ts";
import { findUntold, formatHistory, type Told } from "./history.ts";
import type { Turn } from "./transcript.ts";

/** A message, and the session that it goes to. */
export type HistoryRequest = {
  readonly turn: string;
  readonly query: readonly Turn[];
  readonly request: Turn;
  /** Its key; see {@link import("./agent-directory.ts").sessionKey}. */
  readonly session: string;
  /** The session has just been made. */
  readonly isNew: boolean;
};

/** Frames what the agent's session has not heard before a message; `undefined` when there is nothing. */
export async function readHistory(
  sessions: Pick<ConversationSessions, "book" | "ownTurns">,
  { turn, query, request, session, isNew }: HistoryRequest,
): Promise<string | undefined> {
  let isFresh = false;
  const record = await sessions.book.change((before) => {
    isFresh = before.isFresh;
    if (!isFresh) return before;
    const since = request.messageId;
    return { ...before, isFresh: false, ...(since !== "" && { since }) };
  });
  if (isFresh) return undefined;
  const known = record.sessions[session];
  const told: Told = {
    isBriefed: known?.isBriefed ?? false,
    messages: new Set(known?.transcript.map(({ id }) => id)),
    prompted: new Set(known?.prompted),
    heardTo: known?.heardTo,
  };
  const find = (own: Parameters<typeof findUntold>[3]) =>
    findUntold(query, request, told, own, record.since);
  const isBehind = !told.isBriefed || known?.isBehind || record.lastAgent !== session;
  // Without our log it is only known whether anything is new; reading it is dear.
  const said = isBehind || find([]).length > 0 ? find(await readEarlierTurns(sessions, turn)) : [];
  return formatHistory(said, isNew || !told.isBriefed ? "before" : "meanwhile");
}

async function readEarlierTurns(sessions: Pick<ConversationSessions, "ownTurns">, turn: string) {
  const own = await sessions.ownTurns();
  // This turn is in the log by now, and those that wait behind it.
  const here = own.findIndex((one) => one.turn === turn);
  return here < 0 ? own : own.slice(0, here);
}
