/**
 * - `fenced`: another process owns the conversation now; stop writing.
 * - `expired`: the wanted events have left the log; `first` is the oldest seq that is there.
 * - `ahead`: the wanted seq is beyond the log; `last` is its newest.
 * - `queue-full`: more prompts wait in this conversation than it takes.
 * - `empty-prompt`: the query has no user message with text or a file.
 * - `workspace`: the conversation's directory cannot be used.
 * - `timeout`: the agent opened no session in time.
 * - `closed`: the router or store was closed.
 */
export type RouterErrorCode =
  | "fenced"
  | "expired"
  | "ahead"
  | "queue-full"
  | "empty-prompt"
  | "workspace"
  | "timeout"
  | "closed";

/** Thrown by router and store. Callers branch on `code`. */
export class RouterError extends Error {
  override readonly name = "RouterError";
  readonly code: RouterErrorCode;
  /** With `expired`: the oldest seq in the log. */
  readonly first?: number;
  /** With `ahead`: the newest seq in the log. */
  readonly last?: number;

  constructor(
    message: string,
    options: ErrorOptions & { code: RouterErrorCode; first?: number; last?: number },
  ) {
    super(message, options);
    this.code = options.code;
    if (options.first !== undefined) this.first = options.first;
    if (options.last !== undefined) this.last = options.last;
  }
}
