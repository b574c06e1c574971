/**
 * Why something must not be sent to Poe.
 *
 * - `meta-first`: another event before `meta`.
 * - `meta-once`: a second `meta`; Poe ignores one that is late.
 * - `after-error`: anything but `done` after `error`.
 * - `after-done`: anything, even a comment, after `done`.
 * - `no-output`: `done` without a `text`, `replace_response` or `error` before it.
 * - `done-missing`: the stream ends without `done`.
 * - `unknown-event`: an event that the protocol does not have.
 * - `bad-data`: a key missing, of the wrong type, or with a value that Poe drops.
 * - `bad-settings`: a setting that makes Poe reject the whole answer.
 */
export type PoeProtocolErrorCode =
  | "meta-first"
  | "meta-once"
  | "after-error"
  | "after-done"
  | "no-output"
  | "done-missing"
  | "unknown-event"
  | "bad-data"
  | "bad-settings";

/** Thrown instead of writing what Poe would reject or drop in silence. Branch on `code`. */
export class PoeProtocolError extends Error {
  override readonly name = "PoeProtocolError";
  readonly code: PoeProtocolErrorCode;

  constructor(message: string, { code }: { code: PoeProtocolErrorCode }) {
    super(message);
    this.code = code;
  }
}
