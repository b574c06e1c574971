import {
  type LogEvent,
  MAX_CHECKPOINT_STATE_BYTES,
  reduceTurnView,
  type TurnView,
} from "@acp-kit/router";
import { z } from "zod";

/** A turn that is not shown whole, as far as its events were read. */
export type LedgerTurn = {
  readonly view: TurnView;
  /** Seq of its first event. */
  readonly first: number;
  /** Of the message that it answers; empty for one that is not known. */
  readonly key: string;
  /** When its last event happened, in milliseconds since the epoch. */
  readonly at: number;
  /** It is no turn, but what was said or sent in a row outside of any: it has ended once its view has an outcome. */
  readonly isAside?: true;
};

/** An aside has ended when nothing was added to it for so long, in milliseconds, or something else has begun. */
export const ASIDE_REST_MS = 1_500;

/** What is shown although it belongs to no turn. */
const spoken: ReadonlySet<LogEvent["kind"]> = new Set(["content", "file", "notice", "text"]);

const ASIDE = "aside.";

/**
 * Which turns of a conversation are to be shown. Its place in the log lies before the first event of the oldest of them:
 * after a restart that turn is read again from its beginning.
 */
export type TurnLedger = {
  /** The last event that was read. */
  readonly seq: number;
  /** Of turns that began up to this seq, those that are not in `open` are shown whole. */
  readonly upTo: number;
  readonly open: ReadonlySet<string>;
  readonly turns: ReadonlyMap<string, LedgerTurn>;
};

const keptSchema = z.object({ upTo: z.number(), open: z.array(z.string()) });

/** From a checkpoint. Of a state that cannot be read, nothing is shown behind its seq. Pure, never throws. */
export function openLedger({ seq, state }: { seq: number; state?: string }): TurnLedger {
  const kept = keptSchema.safeParse(parseJson(state ?? ""));
  const { upTo, open } = kept.success ? kept.data : { upTo: seq, open: [] };
  return { seq, upTo, open: new Set(open), turns: new Map() };
}

/** The checkpoint that says what is shown. Pure. */
export function closeLedger({ seq, turns }: TurnLedger): { seq: number; state: string } {
  const firsts = [...turns.values()].map(({ first }) => first);
  const state = JSON.stringify({ upTo: seq, open: [...turns.keys()] });
  if (Buffer.byteLength(state) > MAX_CHECKPOINT_STATE_BYTES) {
    throw new RangeError(`${turns.size} open turns cannot be kept`);
  }
  return { seq: Math.min(seq, ...firsts.map((first) => first - 1)), state };
}

/** Folds one event in. Pure. */
export function reduceLedger(ledger: TurnLedger, event: LogEvent): TurnLedger {
  const { seq } = event;
  const next = { ...ledger, seq };
  const isAside = event.turn === undefined;
  const turn = event.turn ?? asideOf(ledger, event);
  if (turn === undefined) return next;
  const known = ledger.turns.get(turn);
  // What comes behind the end of a turn that is shown makes none of it.
  const begins = isAside || event.kind === "turn-queued" || event.kind === "turn-start";
  if (!known && (!begins || isShown(ledger, turn, seq))) return next;
  const view = reduceTurnView(known?.view, { ...event, turn });
  const key = event.kind === "turn-queued" ? event.key : (known?.key ?? "");
  const entry = {
    ...{ view, first: known?.first ?? seq, key, at: event.at },
    ...(isAside && { isAside }),
  };
  return { ...next, turns: new Map(ledger.turns).set(turn, entry) };
}

/** The aside that an event belongs to: the newest one that goes on, else one of its own. */
function asideOf({ open, turns }: TurnLedger, { kind, seq }: LogEvent): string | undefined {
  if (!spoken.has(kind)) return undefined;
  const own = `${ASIDE}${seq}`;
  const [turn, last] = [...turns].at(-1) ?? [];
  const goesOn = last?.isAside && last.view.outcome === undefined;
  return goesOn && !open.has(own) ? turn : own;
}

/** Ends the asides to which nothing is added any more. Pure. @param now - Milliseconds since the epoch. */
export function endAsides(ledger: TurnLedger, now: number): TurnLedger {
  const newest = [...ledger.turns.keys()].at(-1);
  const outcome = { kind: "completed", stopReason: "end_turn" } as const;
  const turns = [...ledger.turns].map(([turn, entry]): [string, LedgerTurn] => {
    const { view, at, isAside } = entry;
    const hasEnded = isAside && (turn !== newest || now >= at + ASIDE_REST_MS);
    return [turn, hasEnded ? { ...entry, view: { ...view, outcome } } : entry];
  });
  return { ...ledger, turns: new Map(turns) };
}

/** After a turn was shown whole. Pure. */
export function finishTurn(ledger: TurnLedger, turn: string): TurnLedger {
  const turns = new Map(ledger.turns);
  turns.delete(turn);
  return { ...ledger, turns };
}

/** The turn to be shown next: the oldest that has begun or ended, and is not shown already. Pure. */
export function nextTurn({ turns }: TurnLedger, shown: Shown): LedgerTurn | undefined {
  return oldest(
    [...turns.values()].filter(({ view, isAside }) => {
      const isReady = view.outcome !== undefined || (view.phase !== "queued" && !isAside);
      return isReady && !shown.has(view.turn);
    }),
  );
}

/**
 * What is to be shown beside a turn that runs, for somebody who has asked for it: the oldest aside that has ended, of those
 * that began after the turn. Pure.
 */
export function nextAside({ turns }: TurnLedger, shown: Shown): LedgerTurn | undefined {
  const running = [...turns.values()].find(({ view, isAside }) => {
    return !isAside && view.outcome === undefined && shown.has(view.turn);
  });
  return oldest(
    [...turns.values()].filter(({ view, isAside, first }) => {
      const isReady = isAside === true && view.outcome !== undefined;
      return isReady && !shown.has(view.turn) && running !== undefined && running.first < first;
    }),
  );
}

type Shown = Pick<ReadonlySet<string>, "has">;

function oldest(turns: readonly LedgerTurn[]): LedgerTurn | undefined {
  return turns.toSorted((one, other) => one.first - other.first)[0];
}

function isShown({ upTo, open }: TurnLedger, turn: string, seq: number): boolean {
  return seq <= upTo && !open.has(turn);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
