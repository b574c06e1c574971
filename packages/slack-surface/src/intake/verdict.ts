import type { Inbound } from "@acp-kit/relay";
import type { words } from "./words.ts";

/** What became of an envelope. */
export type Verdict = Pick<
  Inbound,
  "decision" | "reason" | "conversation" | "message" | "user" | "turn"
> & {
  /** The platform is to bring it again: nothing was done, and something may be later. */
  readonly comesAgain?: true;
  /** It comes too often to be noted each time. */
  readonly isFrequent?: true;
};

/** Name of a sentence that says always the same. */
export type WordName = {
  [Name in keyof typeof words]: (typeof words)[Name] extends string ? Name : never;
}[keyof typeof words];

/** Nothing was done, and the person is to be told so in these words. Pure. */
export function refuseWith(
  about: Omit<Verdict, "decision" | "reason">,
  text: WordName,
): Verdict & { readonly text: WordName } {
  const reason = text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return { ...about, decision: "refuse", reason, text };
}
