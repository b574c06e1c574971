import { RouterError } from "./errors.ts";
import type { LogEvent, TurnOutcome } from "./events.ts";
import type { Store } from "./store.ts";

/** A turn of this conversation as its log tells it: what was asked, and what the agent said. */
export type OwnTurn = {
  readonly turn: string;
  /** The message's key; empty when it had none. */
  readonly key: string;
  readonly who: string;
  readonly asked: string;
  readonly answer: string;
  /** Its message was changed or taken back before the turn came to its end: it is not to be told any more. */
  readonly isWithdrawn?: true;
};

/** Events that are looked through for what was said, counted from the newest. */
const MAX_EVENTS = 50_000;
const PAGE = 1_000;

/** Where an answer is long enough for anybody who was not there, in characters. */
const MAX_ANSWER_CHARS = 50_000;

/**
 * The turns since the conversation's newest reset, oldest first, each with the text that the agent said in it. A turn
 * in which it has not said anything yet has an empty answer.
 */
export async function readOwnTurns(
  store: Pick<Store, "read" | "last">,
  conversation: string,
): Promise<readonly OwnTurn[]> {
  const turns = new Map<string, { -readonly [Field in keyof OwnTurn]: OwnTurn[Field] }>();
  const last = await store.last(conversation);
  let after = Math.max(0, last - MAX_EVENTS);
  while (after < last) {
    const events = await readPage(store, conversation, after);
    if (events.length === 0) break;
    for (const event of events) {
      after = event.seq;
      if (event.kind === "session-reset") turns.clear();
      if (event.turn === undefined) continue;
      if (event.kind === "turn-queued") {
        const { turn, key, who, text } = event;
        turns.set(turn, { turn, key, who, asked: text, answer: "" });
        continue;
      }
      const turn = turns.get(event.turn);
      if (!turn) continue;
      if (event.kind === "text" && turn.answer.length <= MAX_ANSWER_CHARS) {
        turn.answer += event.text;
      } else if (event.kind === "turn-end" && isWithdrawal(event.outcome)) {
        turn.isWithdrawn = true;
      }
    }
  }
  return [...turns.values()];
}

function isWithdrawal(outcome: TurnOutcome): boolean {
  return outcome.kind === "cancelled" && ["edited", "deleted"].includes(outcome.cause);
}

/** What retention has removed is not missed. */
async function readPage(
  store: Pick<Store, "read">,
  conversation: string,
  after: number,
): Promise<readonly LogEvent[]> {
  try {
    return await store.read(conversation, after, PAGE);
  } catch (error) {
    if (!(error instanceof RouterError) || error.code !== "expired") throw error;
    return await store.read(conversation, (error.first ?? 1) - 1, PAGE);
  }
}
