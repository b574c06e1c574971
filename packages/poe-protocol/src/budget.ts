import type { PoeComment, PoeEvent } from "./events.ts";
import { POE_LIMITS, type PoeLimits } from "./limits.ts";

/** What a response has used so far. Characters are Unicode code points. */
export type PoeBudget = {
  events: number;
  /** Characters of `text` events: what Poe is known to limit. */
  textCharacters: number;
  /**
   * Characters of every event that has a `text`. Whether Poe counts those of `replace_response`
   * is nowhere said; this number shows what resending the whole answer costs.
   */
  allCharacters: number;
};

export const EMPTY_BUDGET: PoeBudget = Object.freeze({
  events: 0,
  textCharacters: 0,
  allCharacters: 0,
});

/** The budget behind one more frame. What makes no event (comment, empty text) costs nothing. */
export function reduceBudget(budget: PoeBudget, event: PoeEvent | PoeComment): PoeBudget {
  if ("comment" in event) return budget;
  const characters = "text" in event.data ? countCodePoints(event.data.text) : 0;
  const isText = event.event === "text";
  if (isText && characters === 0) return budget;
  return {
    events: budget.events + 1,
    textCharacters: budget.textCharacters + (isText ? characters : 0),
    allCharacters: budget.allCharacters + characters,
  };
}

/** What is left for a response. Nothing is negative. */
export type PoeRoom = { events: number; textCharacters: number; ms: number };

/**
 * How much a response may still send, and for how long. `error` and `done` need two events.
 *
 * @param elapsedMs - Since the request arrived.
 */
export function roomLeft(
  budget: PoeBudget,
  elapsedMs: number,
  limits: PoeLimits = POE_LIMITS,
): PoeRoom {
  return {
    events: Math.max(0, limits.events - budget.events),
    textCharacters: Math.max(0, limits.textCharacters - budget.textCharacters),
    ms: Math.max(0, limits.responseMs - elapsedMs),
  };
}

/** A lone surrogate counts as one. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) continue;
    const before = text.charCodeAt(at - 1);
    if (before >= 0xd800 && before <= 0xdbff) count -= 1;
  }
  return count;
}
