import type { LogEvent } from "../events.ts";
import { isOutput } from "../output-cap.ts";
import { createTurnView, reduceTurnView, type TurnView } from "../turn-view.ts";

/** What is kept of a turn at most: characters of events, and segments. */
export const MAX_VIEW_CHARS = 256 * 1024;
export const MAX_VIEW_SEGMENTS = 2_000;

/** Characters and segments that everything but the answer's text may take: an answer behind a chatty tool stays. */
const MAX_CHARS_BESIDE_TEXT = MAX_VIEW_CHARS / 2;
const MAX_SEGMENTS_BESIDE_TEXT = MAX_VIEW_SEGMENTS / 2;

/** The view that is to stay of a turn, as far as its events have been seen. */
export type FinalView = {
  readonly view: TurnView | undefined;
  readonly chars: number;
  /** Of these, everything but text. */
  readonly charsBesideText: number;
  /** Output that is no longer added; a note in the view says so. */
  readonly cut: "nothing" | "all but text" | "all";
};

export const EMPTY_VIEW: FinalView = {
  view: undefined,
  chars: 0,
  charsBesideText: 0,
  cut: "nothing",
};

/**
 * Adds an event. Of a turn that is too long, the beginning stays, with a note, and how it ended.
 *
 * @param chars - Size of the event.
 */
export function reduceFinalView(state: FinalView, event: LogEvent, chars: number): FinalView {
  const isText = event.kind === "text";
  const isOther = isOutput(event) && !isText;
  const next: FinalView = {
    ...state,
    chars: state.chars + chars,
    charsBesideText: state.charsBesideText + (isOther ? chars : 0),
  };
  const segments = state.view?.segments.length ?? 0;
  if (isOutput(event)) {
    if (state.cut === "all" || (state.cut === "all but text" && isOther)) return state;
    if (next.chars > MAX_VIEW_CHARS || segments >= MAX_VIEW_SEGMENTS) {
      return cut(state, "all", event, "The rest of this turn's output was not kept.");
    }
    if (
      isOther &&
      (next.charsBesideText > MAX_CHARS_BESIDE_TEXT || segments >= MAX_SEGMENTS_BESIDE_TEXT)
    ) {
      return cut(state, "all but text", event, "From here on only the answer was kept.");
    }
  }
  return { ...next, view: reduceTurnView(state.view, event) };
}

function cut(state: FinalView, what: FinalView["cut"], event: LogEvent, text: string): FinalView {
  const { seq, at, turn } = event;
  const note: LogEvent = {
    kind: "notice",
    level: "info",
    text,
    seq,
    at,
    ...(turn !== undefined && { turn }),
  };
  return { ...state, view: reduceTurnView(state.view, note), cut: what };
}

/** Views are kept for long: what an earlier version did not know yet is as it is in a view of nothing. */
export function parseFinalView(json: string): TurnView {
  return { ...createTurnView("", 0), ...(JSON.parse(json) as Partial<TurnView>) };
}
