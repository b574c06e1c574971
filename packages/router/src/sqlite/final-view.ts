import type { LogEvent } from "../events.ts";
import { isOutput } from "../output-cap.ts";
import { reduceTurnView, type TurnView } from "../turn-view.ts";

/** What is kept of a turn at most: characters of events, and segments. */
export const MAX_VIEW_CHARS = 256 * 1024;
export const MAX_VIEW_SEGMENTS = 2_000;

/** The view that is to stay of a turn, as far as its events have been seen. */
export type FinalView = {
  readonly view: TurnView | undefined;
  readonly chars: number;
  /** Output is no longer added. */
  readonly isCut: boolean;
};

export const EMPTY_VIEW: FinalView = { view: undefined, chars: 0, isCut: false };

/**
 * Adds an event. Of a turn that is too long, the beginning stays, with a note, and how it ended.
 *
 * @param chars - Size of the event.
 */
export function reduceFinalView(state: FinalView, event: LogEvent, chars: number): FinalView {
  const total = state.chars + chars;
  const segments = state.view?.segments.length ?? 0;
  const fits = total <= MAX_VIEW_CHARS && segments < MAX_VIEW_SEGMENTS;
  if (!isOutput(event) || (fits && !state.isCut)) {
    return { ...state, view: reduceTurnView(state.view, event), chars: total };
  }
  if (state.isCut) return state;
  const { seq, at, turn } = event;
  const note: LogEvent = {
    kind: "notice",
    level: "info",
    text: "The rest of this turn's output was not kept.",
    seq,
    at,
    ...(turn !== undefined && { turn }),
  };
  return { view: reduceTurnView(state.view, note), chars: state.chars, isCut: true };
}
