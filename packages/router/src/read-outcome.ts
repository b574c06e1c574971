import type { TurnOutcome } from "./events.ts";
import type { Store } from "./store.ts";

/** How a turn ended; `undefined` while it has not, and of one whose end has left the log. */
export async function readOutcome(
  store: Store,
  conversation: string,
  turn: string,
): Promise<TurnOutcome | undefined> {
  const seq = await store.turnEnd(conversation, turn);
  if (seq === undefined) return undefined;
  const [event] = await store.read(conversation, seq - 1, 1).catch(() => []);
  return event?.kind === "turn-end" ? event.outcome : undefined;
}
