import type { TurnView } from "./turn-view.ts";

/** What a person wants to see beside the answer. */
export type Display = {
  readonly thoughts: boolean;
  readonly plan: boolean;
  readonly tools: boolean;
  readonly toolDetails: boolean;
};

/** What a rendering depends on beside the view. */
export type RenderContext = {
  readonly show: Display;
  /** Milliseconds since the epoch: a renderer has no clock of its own. */
  readonly now: number;
  /** The {@link RenderedTurn.carry} of the message before this one, which ended in the middle of the view's turn. */
  readonly carried?: string;
  /**
   * The same object each time when a view is rendered again and again while it advances: what a renderer knows of it by
   * then need not be found out anew. The result does not depend on it.
   */
  readonly memo?: object;
};

/** A view as an app shows it. */
export type RenderedTurn<Part> = {
  /** Only grow at their end while a view advances. */
  readonly parts: readonly Part[];
  /** May vanish again (a spinner, a plan that moves on); absent once the turn has an outcome. */
  readonly tail?: Part | undefined;
  /** Has to follow the parts when the message ends there, or something else than the turn follows: closes what is open. */
  readonly close?: Part | undefined;
  /** What a message has to know that goes on where this one ends, at most {@link MAX_CARRY_CHARS} characters. */
  readonly carry?: string | undefined;
};

/** Longest {@link RenderedTurn.carry}, in UTF-16 units. */
export const MAX_CARRY_CHARS = 200;

/** All that an app must write: the markup of its platform. Pure. */
export interface MarkupRenderer<Part> {
  render(view: TurnView, context: RenderContext): RenderedTurn<Part>;
  /** What the relay itself says, outside of any turn's text. */
  say(kind: "notice" | "error" | "command", markdown: string): Part;
}
