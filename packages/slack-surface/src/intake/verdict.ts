import type { Inbound } from "@acp-kit/relay";

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
