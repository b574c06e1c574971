/** The first chunks of an answer go out at once: it should be seen to start. */
export const EAGER_CHUNKS = 30;

/** Milliseconds from the first chunk within which the {@link EAGER_CHUNKS} go out at once. */
export const EAGER_WINDOW_MS = 1_500;

/** Pending text with a blank line in it goes out at once when it is longer than this many bytes. */
export const PARAGRAPH_BYTES = 200;

/** Default distance of the instants at which pending text goes out, in milliseconds. */
export const FLUSH_PERIOD_MS = 3_000;

/**
 * What pacing knows of one answer. `kind: "idle"` before its first chunk.
 *
 * `firstAt` and `lastAt` are the arrivals of its first and newest chunk, in milliseconds since the epoch.
 */
export type PacerState =
  | { readonly kind: "idle" }
  | {
      readonly kind: "pacing";
      readonly chunks: number;
      readonly firstAt: number;
      readonly lastAt: number;
      /** UTF-8 bytes that arrived since the last flush. */
      readonly pendingBytes: number;
      /** A blank line is in the pending text. */
      readonly hasParagraph: boolean;
      /** The pending text ends in a line break: one more, in the next chunk, makes a blank line. */
      readonly endsLine: boolean;
    };

export type PacerEvent =
  | { readonly kind: "chunk"; readonly text: string; readonly at: number }
  | { readonly kind: "flushed" };

export const idlePacer: PacerState = { kind: "idle" };

/** Next state. Pure: `event.at` is the only clock. An empty chunk changes nothing. */
export function reducePacer(state: PacerState, event: PacerEvent): PacerState {
  if (event.kind === "flushed") {
    return state.kind === "idle"
      ? state
      : { ...state, pendingBytes: 0, hasParagraph: false, endsLine: false };
  }
  const { text, at } = event;
  if (text === "") return state;
  const before =
    state.kind === "pacing"
      ? state
      : { chunks: 0, firstAt: at, pendingBytes: 0, hasParagraph: false, endsLine: false };
  return {
    kind: "pacing",
    chunks: before.chunks + 1,
    firstAt: before.firstAt,
    lastAt: at,
    pendingBytes: before.pendingBytes + Buffer.byteLength(text),
    hasParagraph:
      before.hasParagraph || text.includes("\n\n") || (before.endsLine && text.startsWith("\n")),
    endsLine: text.endsWith("\n"),
  };
}

/**
 * When pending text should go out, in milliseconds since the epoch: `now` for at once, else the next instant of the
 * grid; `undefined` when nothing is pending.
 *
 * The grid is one of wall-clock time (multiples of `periodMs`), so that all answers of a phone's user wake its radio
 * together.
 *
 * @param periodMs - Distance of the grid's instants; 0 sends every chunk at once. Default {@link FLUSH_PERIOD_MS}.
 */
export function nextFlush(
  state: PacerState,
  now: number,
  periodMs: number = FLUSH_PERIOD_MS,
): number | undefined {
  if (state.kind === "idle" || state.pendingBytes === 0) return undefined;
  const eager =
    state.chunks === 1 ||
    (state.chunks <= EAGER_CHUNKS && state.lastAt - state.firstAt <= EAGER_WINDOW_MS);
  const paragraph = state.hasParagraph && state.pendingBytes > PARAGRAPH_BYTES;
  if (periodMs <= 0 || eager || paragraph) return now;
  const rounded = Math.round(now);
  return rounded + periodMs - (rounded % periodMs);
}
