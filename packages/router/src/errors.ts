/**
 * - `fenced`: another process owns the conversation now; stop writing.
 * - `expired`: the wanted events have left the log; `first` is the oldest seq that is there.
 * - `ahead`: the wanted seq is beyond the log; `last` is its newest.
 * - `queue-full`: more prompts wait in this conversation than it takes.
 * - `empty-prompt`: the query has no user message with text or a file.
 * - `workspace`: the conversation's directory cannot be used.
 * - `timeout`: the agent did not open or change a session in time.
 * - `protocol`: the agent answered something that cannot be used.
 * - `not-allowed`: nothing that the agent offers for a setting is open to the person who asks.
 * - `unwritable`: nothing can be saved now, because the disk is full, read-only or fails; it may be possible later.
 * - `corrupt`: the database is damaged.
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
  | "protocol"
  | "not-allowed"
  | "unwritable"
  | "corrupt"
  | "closed";

/** Thrown by router and store. Callers branch on `code`. */
export class RouterError extends Error {
  override readonly name = "RouterError";
  readonly code: RouterErrorCode;
  /** One sentence that may be shown in a chat. */
  readonly chatText: string;
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
    this.chatText = chatTexts[options.code];
    if (options.first !== undefined) this.first = options.first;
    if (options.last !== undefined) this.last = options.last;
  }
}

const chatTexts: Readonly<Record<RouterErrorCode, string>> = {
  fenced: "Another process of this relay has taken the conversation over.",
  expired: "What was asked for has left the log.",
  ahead: "What was asked for is not in the log.",
  "queue-full": "Too many messages wait in this conversation already.",
  "empty-prompt": "There is nothing in this message to answer.",
  workspace: "The directory of this conversation cannot be used.",
  timeout: "The agent did not answer in time.",
  protocol: "The agent answered in a way that this relay does not understand.",
  "not-allowed": "Nothing that the agent could run with is open to you here.",
  unwritable: "The relay cannot save anything at the moment. Please try again later.",
  corrupt: "The relay's database is damaged; its operator has to restore it.",
  closed: "The relay is shutting down.",
};
