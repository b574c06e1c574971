import type { LogEvent } from "./events.ts";
import type { Checkpoint } from "./store.ts";

/** A reader's place in a log. Each step gives all events that are there, oldest first, at least one. It pulls: one that never reads costs nothing. */
export interface Cursor extends AsyncIterable<readonly LogEvent[]>, AsyncDisposable {
  /** The last event that was given. */
  readonly seq: number;
  /**
   * The next events, or `undefined` at the end: behind the `turn-end` of the followed turn, or once disposed or aborted.
   * One call at a time.
   */
  next(): Promise<readonly LogEvent[] | undefined>;
}

/** The log of one conversation, and how far each consumer of it has come. */
export interface ConversationLog {
  /** Whoever keeps a seq outside of the store keeps this with it, and gives both to {@link follow}. */
  readonly epoch: string;
  /**
   * From behind `after`, then live. With `turn`, ends behind that turn's `turn-end`. Events of other turns are given too.
   * The cursor's `next` throws `expired` when those events have left the log or `epoch` is not the log's, and `ahead`.
   */
  follow(from: { after: number; turn?: string; epoch?: string }, signal?: AbortSignal): Cursor;
  /** Seq of the newest event; 0 for an empty log. */
  last(): Promise<number>;
  /** Seq of a turn's `turn-end`, or `undefined` while it has not ended. */
  turnEnd(turn: string): Promise<number | undefined>;
  confirm(consumer: string, from: number, to: Checkpoint): Promise<boolean>;
  checkpoint(consumer: string): Promise<Checkpoint>;
}
