/** What became of a call. Only `unknown` may have been carried out although nobody said so. */
export type CallResult =
  | { readonly kind: "ok"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: "limited"; readonly retryAfterMs: number }
  /** The platform's word, and what it added. */
  | {
      readonly kind: "refused";
      readonly error: string;
      readonly body: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "unknown"; readonly cause: unknown };

/** What became of a call that had to wait for its turn. */
export type QueuedResult =
  | Exclude<CallResult, { kind: "limited" }>
  /** A newer one with the same key took its place. */
  | { readonly kind: "superseded" }
  /** Its deadline passed, or the queue was closed, before it was made. */
  | { readonly kind: "late" };

/** Makes a call at once, and does not repeat it. Never throws. */
export type SlackCaller = (
  method: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<CallResult>;
