/**
 * Why something must not be sent to Poe:
 *
 * - `meta-first`: another event before `meta`.
 * - `meta-once`: a second `meta`; Poe ignores one that is late.
 * - `after-error`: anything but `done` after `error`.
 * - `after-done`: anything, even a comment, after `done`.
 * - `no-output`: `done` without a `text`, `replace_response` or `error` before it.
 * - `done-missing`: the stream ends without `done`.
 * - `unknown-event`: an event that the protocol does not have.
 * - `bad-data`: a key missing, of the wrong type, or with a value that Poe drops.
 * - `bad-settings`: a setting or control that makes Poe drop the settings or the whole panel.
 *
 * Why a call to Poe did not do what it should:
 *
 * - `bad-call`: an argument that no call can be made with; nothing was sent.
 * - `unreachable`: no answer, or one that broke off. The call may have taken effect.
 * - `timeout`: no whole answer in time. The call may have taken effect.
 * - `refused`: Poe answered with another status than 200; see `status`.
 * - `bad-answer`: 200, but not with what this call answers.
 * - `insufficient-fund`: the person cannot or does not want to pay this. An `error` event with the
 *   `error_type` `insufficient_fund` says so to them.
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
  | "bad-settings"
  | "bad-call"
  | "unreachable"
  | "timeout"
  | "refused"
  | "bad-answer"
  | "insufficient-fund";

/**
 * Thrown instead of writing what Poe would reject or drop in silence, and by calls to Poe. Branch
 * on `code`. Never holds an access key.
 */
export class PoeProtocolError extends Error {
  override readonly name = "PoeProtocolError";
  readonly code: PoeProtocolErrorCode;
  /** HTTP status of an answer that was `refused`. */
  readonly status: number | undefined;

  constructor(
    message: string,
    {
      code,
      status,
      cause,
    }: { code: PoeProtocolErrorCode; status?: number | undefined; cause?: unknown },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
  }
}
