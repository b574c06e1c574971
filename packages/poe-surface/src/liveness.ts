import { openTools, type TurnView } from "@acp-kit/router";
import type { ResponseLimits } from "./limits.ts";
import type { Screen } from "./screen.ts";

export type Activity = {
  /** When something of the answer last went out. */
  readonly contentAt: number;
  /** When a tail was last composed, sent or not. */
  readonly triedAt: number;
  /** The plan has moved on since then. */
  readonly planMoved: boolean;
};

/**
 * When the tail may be due next, in milliseconds since the epoch. Pure.
 *
 * Until the answer begins, and when the plan moves, that is every few seconds; behind text only once there is silence;
 * behind a long text once a minute.
 */
export function nextTail(
  screen: Screen,
  { contentAt, triedAt, planMoved }: Activity,
  limits: ResponseLimits,
): number {
  const again = triedAt + limits.spinnerMs;
  const silence = contentAt + limits.silenceMs;
  if (screen.body.length > limits.shortBodyCharacters) {
    return Math.max(again, silence, screen.markAt + limits.markMs);
  }
  return screen.body === "" || planMoved ? again : Math.max(again, silence);
}

/** Phases in which nothing is expected of the agent; each has a bound of its own. */
const patient: ReadonlySet<TurnView["phase"]> = new Set([
  "queued",
  "fetching-files",
  "preparing-workspace",
  "waiting-workspace",
]);

/**
 * For how long the agent has given no sign of life, once that is worth saying. Pure.
 *
 * Hidden thoughts are signs too, an open tool call is given more time, and a turn that waits for a person or for its
 * place is not stalled.
 */
export function stalledFor(
  view: TurnView,
  now: number,
  limits: ResponseLimits,
): number | undefined {
  if (view.outcome || view.asks.length > 0) return undefined;
  if (patient.has(view.phase)) return undefined;
  const hasOpenTool = openTools(view).length > 0;
  const silentMs = now - view.lastProgressAt;
  return silentMs >= (hasOpenTool ? limits.toolStallMs : limits.stallMs) ? silentMs : undefined;
}
