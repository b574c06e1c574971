import type { CancelCause, LogEvent, NewEvent, PermissionAsk } from "./events.ts";
import type { Options } from "./options.ts";
import type { Turn } from "./transcript.ts";
import type { BusyPolicy } from "./turn-queue.ts";

/** A reader's part of a turn: it starts behind seq `after`. */
export type TurnRef = { readonly turn: string; readonly after: number };

/**
 * What a surface has really delivered.
 *
 * `state` is the surface's own JSON, at most {@link MAX_CHECKPOINT_STATE_BYTES}. `delivered` names message keys whose
 * part ends here: from then on a repeat of such a key with `rerun-once-delivered` is a new attempt.
 */
export type Checkpoint = {
  readonly seq: number;
  readonly state?: string;
  readonly delivered?: readonly string[];
};

/** Largest state that a surface may keep with a checkpoint, in bytes. */
export const MAX_CHECKPOINT_STATE_BYTES = 4096;

/** The right to append to a conversation. Who lives is the store's business, never a turn's. */
export type Lease = {
  readonly conversation: string;
  readonly fence: number;
  /** The turns that the claim found running under a dead owner and has ended, with the references of their ends. */
  readonly interrupted?: readonly { readonly turn: string; readonly ref: string }[];
};

/** Largest value of a record, in bytes as JSON. */
export const MAX_RECORD_BYTES = 64 * 1024;

/** Prompts that may wait in one conversation. */
export const MAX_QUEUED = 32;

/** Items of all kinds that may wait in one conversation: more than that come only while its owner stands still. */
export const MAX_WAITING = 1_000;

/** For how long the same request id marks a repeat as a redrive, whatever was delivered. */
export const REDRIVE_WINDOW_MS = 600_000;

/** A message that the agent is to answer: it gets a turn of its own, or attaches to the one that it repeats. */
export type PromptItem = {
  readonly kind: "prompt";
  /** The surface's name of the message; empty for a message that is never a repeat of another. */
  readonly key: string;
  readonly user: string;
  readonly query: readonly Turn[];
  readonly options: Options;
  /** What `options` are where nobody chose anything. Default: those of the router. */
  readonly defaults?: Options;
  /** What the agent is sent instead of the message's own content, which stays what the platform repeats. */
  readonly text?: string;
  /**
   * What a repeat of `key` means. `attach`: the same turn, for ever. `rerun-once-delivered`: the same turn until its
   * part was delivered or it was cancelled, then a new attempt.
   */
  readonly repeat: "attach" | "rerun-once-delivered";
  /** The platform's id of this very request: a repeat within {@link REDRIVE_WINDOW_MS} always attaches. */
  readonly request?: string;
  /** Where the asker starts to read. Default: behind the newest event. */
  readonly after?: number;
  /** What becomes of it while a turn runs. Default: the conversation's policy. */
  readonly busy?: BusyPolicy;
  /**
   * The turn of an earlier version of this message, which its author has edited. Waiting, it gives its place to this
   * one; running, it is cancelled and run anew, or corrected once it is old or has called a tool. Once it has ended this
   * item is `late`, or its turn ends as skipped: whether to run it is for its author to say, by another item.
   */
  readonly replaces?: string;
  readonly at: number;
};

/** A person's answer to a question. The first one counts; any other is `late`. */
export type AnswerItem = {
  readonly kind: "answer";
  readonly key: string;
  readonly user: string;
  readonly permission: string;
  /** An option's id, or `undefined` for "none of them": the question is answered `cancelled`. */
  readonly option?: string;
  readonly after?: number;
  readonly at: number;
};

/** Ends a turn, running or not: bound to it, so that one which comes late ends no other. */
export type CancelItem = {
  readonly kind: "cancel";
  readonly key: string;
  /** Absent: the relay itself. */
  readonly user?: string;
  readonly turn: string;
  readonly cause: CancelCause;
  /** Nobody has asked for it: a client went away. Only that of the requester counts then, whatever else its user may do. */
  readonly implied?: boolean;
  readonly at: number;
};

/** A person reacted to a message of the agent's, or took that back. */
export type ReactionItem = {
  readonly kind: "reaction";
  readonly key: string;
  readonly user: string;
  /** The platform's id of the agent's message. */
  readonly message: string;
  readonly reaction: string;
  readonly action: "added" | "removed";
  readonly at: number;
};

/** The next message begins with nothing. A turn that runs and is not named keeps its session to its end. */
export type ResetItem = {
  readonly kind: "reset";
  readonly key: string;
  readonly user: string;
  /** A turn that is cancelled for it, unless it has ended. */
  readonly turn?: string;
  readonly at: number;
};

/** What a person chooses for the turns to come. */
export type ChooseItem = {
  readonly kind: "choose";
  readonly key: string;
  readonly user: string;
  /** Name of the agent to use; empty for the conversation's own. */
  readonly agent?: string;
  /** Values by name: `model`, `mode`, `thinking`, or the id of a config option; an empty one gives the choice up. */
  readonly settings?: Readonly<Record<string, string | boolean>>;
  readonly at: number;
};

/** Ends answers that are remembered for the person, in whatever conversation they were given. */
export type RevokeItem = {
  readonly kind: "revoke";
  readonly key: string;
  readonly user: string;
  /** Those for these rules; absent: all. */
  readonly rules?: readonly string[];
  readonly at: number;
};

/**
 * The author of a message has taken it back: its text and its files are not to be kept any longer. What of it has not
 * ended is cancelled before.
 */
export type RedactItem = {
  readonly kind: "redact";
  readonly key: string;
  /** Absent: the platform does not say who. */
  readonly user?: string;
  /** The message's key. Those of its later versions go on behind it with `#`. */
  readonly message: string;
  readonly at: number;
};

/** A person asks for a file of the agent's; nobody's turn is needed for it. */
export type SendItem = {
  readonly kind: "send";
  readonly key: string;
  readonly user: string;
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  readonly at: number;
};

/** What somebody wants of the owner of a conversation. */
export type InboxItem =
  | PromptItem
  | AnswerItem
  | CancelItem
  | ReactionItem
  | ResetItem
  | ChooseItem
  | RevokeItem
  | RedactItem
  | SendItem;

/** An item that the owner takes: a prompt comes with the turn and attempt that the store gave it. */
export type TakenItem =
  | { readonly item: PromptItem; readonly turn: string; readonly attempt: number }
  | { readonly item: Exclude<InboxItem, PromptItem> };

/** A turn that has not ended: it runs, or waits. */
export type OpenTurn = {
  readonly turn: string;
  /** The person who asked, and the key of the message. */
  readonly who: string;
  readonly key: string;
  /** False while it waits. */
  readonly started: boolean;
  /** Its open questions, oldest first. */
  readonly asks: readonly PermissionAsk[];
};

/**
 * What became of a posted item. `late`: the question or turn it is about has ended, nothing was done.
 * `refused`: this person may not do that, nothing was done.
 */
export type Posted = TurnRef & { readonly how: "new" | "repeat" | "late" | "refused" };

/**
 * Logs, inboxes, checkpoints, leases and records of all conversations.
 *
 * Every method is atomic. Errors are `RouterError`s: `fenced`, `expired`, `ahead`, and of a store that is kept on a
 * disk `unwritable` and `corrupt`: nothing has happened then.
 */
export interface Store extends AsyncDisposable {
  /**
   * Names this store's life: another one means that a backup was restored, and that the seqs of readers from before
   * say nothing about its logs.
   */
  readonly epoch: string;
  /**
   * The lease, or `undefined` when a live owner has it. From a dead owner it is taken over: in the same transaction its
   * questions end as expired and its running turns as interrupted, and what it had not started is offered again.
   */
  claim(conversation: string): Promise<Lease | undefined>;
  release(lease: Lease): Promise<void>;
  /**
   * Appends, in one transaction, and resolves with the last seq. Committed before any reader sees it.
   * @throws `fenced` when the lease is no longer the newest.
   */
  append(lease: Lease, events: readonly NewEvent[]): Promise<number>;
  /**
   * At most `limit` events behind seq `after`, oldest first.
   * @throws `expired` when events behind `after` have been removed, `ahead` when `after` is beyond the newest.
   */
  read(conversation: string, after: number, limit: number): Promise<readonly LogEvent[]>;
  /** Seq of the newest event; 0 for an empty log. */
  last(conversation: string): Promise<number>;
  /** Conversations whose owner is dead, and those that nobody owns although something waits in their inbox. */
  orphans(): Promise<readonly string[]>;
  /**
   * From any process; idempotent by (conversation, `item.key`), whatever its kind.
   * @throws `queue-full` when {@link MAX_QUEUED} prompts or {@link MAX_WAITING} items wait already.
   */
  post(conversation: string, item: InboxItem): Promise<Posted>;
  /** Empties the inbox, in order of arrival. */
  take(lease: Lease): Promise<readonly TakenItem[]>;
  /** Compare-and-set on the checkpoint's seq. False: another reader of this consumer is ahead. */
  confirm(conversation: string, consumer: string, from: number, to: Checkpoint): Promise<boolean>;
  checkpoint(conversation: string, consumer: string): Promise<Checkpoint>;
  readRecord<T>(key: string): Promise<T | undefined>;
  /**
   * Keeps a value as JSON, at most {@link MAX_RECORD_BYTES}, beside the conversation: it is erased with it. `undefined`
   * removes it.
   */
  writeRecord(lease: Lease, key: string, value: unknown): Promise<void>;
  /**
   * Empties the text of what was asked by a message and by its later versions (see {@link RedactItem}), in every event of
   * the log. Whatever else an event says stays, and so does what the agent answered. May be done again.
   * @throws `fenced`.
   */
  redact(lease: Lease, message: string): Promise<void>;
  /** Seq of a turn's `turn-end`, or `undefined` while it has not ended. */
  turnEnd(conversation: string, turn: string): Promise<number | undefined>;
  /** Turns that have not ended: the one that runs, then those that wait, in order of arrival. */
  openTurns(conversation: string): Promise<readonly OpenTurn[]>;
  /** A conversation's log or inbox moved; in the same tick in this process. May be spurious. */
  onChange(listener: (conversation: string, part: "log" | "inbox") => void): Disposable;
}
