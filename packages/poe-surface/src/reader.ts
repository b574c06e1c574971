import {
  type CancelCause,
  type LogEvent,
  type PermissionAsk,
  reduceTurnView,
  type TurnView,
} from "@acp-kit/router";

/** What a response has left open in the middle of a turn, for the one that goes on there. */
export type Carried = { readonly turn: string; readonly text: string };

/** What one response reads of its conversation's log. */
export type ReaderStart = {
  /** The turns that this response is about; their events count from behind `after`. */
  readonly own: readonly string[];
  readonly after: number;
  /** Everything else counts from behind this seq: up to it, it was delivered. */
  readonly othersAfter: number;
  /** The newest event when the reading began. */
  readonly backlog: number;
  /** What was left open behind this seq. */
  readonly carried?: Carried & { readonly seq: number };
};

/** A stretch of the answer: one turn, or what the agent said between turns (`view.turn` is empty). */
export type Section = {
  readonly view: TurnView;
  /** True for a turn that somebody ended on purpose before this response came to it. */
  readonly hidden: boolean;
};

export type Reader = ReaderStart & {
  /** In the order in which they began. */
  readonly sections: readonly Section[];
  /** The last event folded in. */
  readonly seq: number;
};

/** Nobody who ended a turn this way wants to read the rest of it. */
const UNWANTED: ReadonlySet<CancelCause> = new Set(["user", "superseded", "edited", "deleted"]);

export function createReader(start: ReaderStart): Reader {
  const seq = Math.min(start.othersAfter, start.own.length > 0 ? start.after : Infinity);
  return { ...start, sections: [], seq };
}

/** Folds one event of the conversation in. Pure; events at or below `reader.seq` change nothing. */
export function reduceReader(reader: Reader, event: LogEvent): Reader {
  if (event.seq <= reader.seq) return reader;
  const next = { ...reader, seq: event.seq };
  const isOwn = event.turn !== undefined && reader.own.includes(event.turn);
  if (event.seq <= (isOwn ? reader.after : reader.othersAfter)) return next;
  const at = findSection(reader, event);
  const before = reader.sections[at];
  const hasWaited = before === undefined || before.view.phase === "queued";
  const isDropped = !isOwn && isUnwanted(event) && (hasWaited || event.seq <= reader.backlog);
  const section = {
    view: reduceTurnView(before?.view, event),
    hidden: isDropped || (before?.hidden ?? false),
  };
  // A turn that waited begins behind whatever was said meanwhile.
  const sections = hasWaited
    ? [...reader.sections.filter((other) => other !== before), section]
    : reader.sections.with(at, section);
  return { ...next, sections };
}

/**
 * Adds questions that an earlier response showed and that still wait, so that this one shows them again.
 *
 * @param turn - The turn that asks.
 * @param at - Milliseconds since the epoch.
 */
export function repeatQuestions(
  reader: Reader,
  turn: string,
  asks: readonly PermissionAsk[],
  at: number,
): Reader {
  const known = new Set(openAsks(reader).map(({ id }) => id));
  const view = asks
    .filter(({ id }) => !known.has(id))
    .reduce<TurnView | undefined>(
      (shown, ask) =>
        reduceTurnView(shown, {
          seq: (shown?.seq ?? 0) + 1,
          at,
          turn,
          kind: "permission-ask",
          ask,
        }),
      undefined,
    );
  return view ? { ...reader, sections: [...reader.sections, { view, hidden: false }] } : reader;
}

/** Questions that this response shows and that are not answered in it, oldest first. */
export function openAsks(reader: Reader): readonly PermissionAsk[] {
  return reader.sections.flatMap(({ view }) => view.asks);
}

/**
 * Ids of the open questions. The last of them is the one that stands on the screen for the next message to answer: a
 * renderer shows the oldest of a section, and the last section that has one comes last.
 */
export function questionsOf(reader: Reader): readonly string[] {
  const shown = reader.sections.findLast(({ view }) => view.asks.length > 0)?.view.asks[0]?.id;
  const others = openAsks(reader).flatMap(({ id }) => (id === shown ? [] : [id]));
  return shown === undefined ? others : [...others, shown];
}

export function viewOf(reader: Reader, turn: string): TurnView | undefined {
  return reader.sections.find(({ view }) => view.turn === turn)?.view;
}

/** The turn that goes on now, as far as this response has read. */
export function currentView(reader: Reader): TurnView | undefined {
  return reader.sections.find(({ view }) => isRunning(view))?.view;
}

/** Whether a turn of this response came to its place: only then has its message's part been shown. */
export function hasBegun(reader: Reader, turn: string): boolean {
  const view = viewOf(reader, turn);
  return view !== undefined && view.phase !== "queued";
}

function isRunning({ turn, outcome, phase }: TurnView): boolean {
  return turn !== "" && outcome === undefined && phase !== "queued";
}

/** What the agent says between turns goes into one section until a turn begins. */
function findSection(reader: Reader, event: LogEvent): number {
  if (event.turn !== undefined) {
    return reader.sections.findIndex(({ view }) => view.turn === event.turn);
  }
  const last = reader.sections.length - 1;
  return reader.sections[last]?.view.turn === "" ? last : -1;
}

function isUnwanted(event: LogEvent): boolean {
  return (
    event.kind === "turn-end" &&
    event.outcome.kind === "cancelled" &&
    UNWANTED.has(event.outcome.cause)
  );
}
