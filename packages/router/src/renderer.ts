import type { TurnView } from "./turn-view.ts";

/** What a person wants to see beside the answer. */
export type Display = {
  readonly thoughts: boolean;
  readonly plan: boolean;
  readonly tools: boolean;
  readonly toolDetails: boolean;
};

export type RenderContext = {
  readonly show: Display;
  /** Milliseconds since the epoch: a renderer has no clock of its own. */
  readonly now: number;
};

/**
 * All that an app must write: the markup of its platform. Pure.
 *
 * `parts` only grow at their end while a view advances; `tail` is what may vanish again (a spinner, a plan that
 * moves on) and is absent once the turn has an outcome.
 */
export interface MarkupRenderer<Part> {
  render(view: TurnView, context: RenderContext): { parts: readonly Part[]; tail?: Part };
  /** What the relay itself says, outside of any turn's text. */
  say(kind: "notice" | "error" | "command", markdown: string): Part;
}
