import { RouterError } from "./errors.ts";
import type { LogEvent } from "./events.ts";
import type { ConversationLog, Cursor } from "./log.ts";
import type { Checkpoint, Store } from "./store.ts";

/** Events that one step of a cursor gives at most: a slow reader catches up in bounded pieces. */
const BATCH_EVENTS = 256;

/** Wakes whoever waits for a conversation's log: one subscription to the store for all cursors. */
export class LogWatch implements Disposable {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #subscription: Disposable;

  constructor(store: Store) {
    this.#subscription = store.onChange((conversation, part) => {
      if (part !== "log") return;
      const waiting = this.#waiting.get(conversation);
      if (!waiting) return;
      this.#waiting.delete(conversation);
      for (const wake of waiting) wake();
    });
  }

  /** Calls `wake` once, at the next change. The result takes that back. */
  once(conversation: string, wake: () => void): () => void {
    let waiting = this.#waiting.get(conversation);
    if (!waiting) {
      waiting = new Set();
      this.#waiting.set(conversation, waiting);
    }
    const mine = waiting;
    mine.add(wake);
    return () => {
      mine.delete(wake);
      if (mine.size === 0 && this.#waiting.get(conversation) === mine) {
        this.#waiting.delete(conversation);
      }
    };
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
    this.#waiting.clear();
  }
}

class StoreCursor implements Cursor {
  seq: number;
  readonly #store: Store;
  readonly #watch: LogWatch;
  readonly #conversation: string;
  readonly #turn: string | undefined;
  readonly #epoch: string | undefined;
  readonly #signal: AbortSignal | undefined;
  /** Set once nothing follows: the turn's end was given, or the reader left. */
  #ended = false;
  /** Set by the first step, which looks at what it was told to start from. */
  #checked = false;
  /** Ends the wait of a step that found nothing. */
  #wake: (() => void) | undefined;

  constructor(
    store: Store,
    watch: LogWatch,
    conversation: string,
    from: { after: number; turn?: string; epoch?: string },
    signal: AbortSignal | undefined,
  ) {
    this.#store = store;
    this.#watch = watch;
    this.#conversation = conversation;
    this.seq = from.after;
    this.#turn = from.turn;
    this.#epoch = from.epoch;
    this.#signal = signal;
  }

  async next(): Promise<readonly LogEvent[] | undefined> {
    if (!this.#checked) await this.#check();
    while (!this.#ended && !this.#signal?.aborted) {
      // Asked for before the read, so that an append between the two is not missed.
      let changed = false;
      const cancel = this.#watch.once(this.#conversation, () => {
        changed = true;
        this.#wake?.();
      });
      try {
        const events = await this.#store.read(this.#conversation, this.seq, BATCH_EVENTS);
        if (events.length > 0) return this.#given(events);
        if (!changed) await this.#changed();
      } finally {
        cancel();
      }
    }
    return undefined;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<readonly LogEvent[]> {
    try {
      for (let events = await this.next(); events; events = await this.next()) yield events;
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.#wake?.();
  }

  /** The followed turn's end may lie at or before the start; the start may be one of another life of the store. */
  async #check(): Promise<void> {
    if (this.#epoch !== undefined && this.#epoch !== this.#store.epoch) {
      const first = await findFirst(this.#store, this.#conversation);
      throw new RouterError(
        `Seq ${this.seq} is from before a backup was restored; begin anew before seq ${first}`,
        { code: "expired", first },
      );
    }
    const end =
      this.#turn === undefined
        ? undefined
        : await this.#store.turnEnd(this.#conversation, this.#turn);
    if (end !== undefined && end <= this.seq) this.#ended = true;
    this.#checked = true;
  }

  #given(events: readonly LogEvent[]): readonly LogEvent[] {
    const end = events.findIndex((event) => event.kind === "turn-end" && event.turn === this.#turn);
    const given = end < 0 ? events : events.slice(0, end + 1);
    if (end >= 0) this.#ended = true;
    this.seq = given.at(-1)?.seq ?? this.seq;
    return given;
  }

  async #changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#wake = wake;
    this.#signal?.addEventListener("abort", wake);
    try {
      if (!this.#ended && !this.#signal?.aborted) await promise;
    } finally {
      this.#signal?.removeEventListener("abort", wake);
      this.#wake = undefined;
    }
  }
}

/** Oldest seq that can be read; that of the next event when there is none. */
async function findFirst(store: Store, conversation: string): Promise<number> {
  try {
    await store.read(conversation, 0, 1);
    return 1;
  } catch (error) {
    if (error instanceof RouterError && error.first !== undefined) return error.first;
    throw error;
  }
}

/** A conversation's log as its readers see it. */
export function createLog(store: Store, watch: LogWatch, conversation: string): ConversationLog {
  return {
    epoch: store.epoch,
    follow: (from, signal) => new StoreCursor(store, watch, conversation, from, signal),
    last: () => store.last(conversation),
    turnEnd: (turn) => store.turnEnd(conversation, turn),
    confirm: (consumer: string, from: number, to: Checkpoint) =>
      store.confirm(conversation, consumer, from, to),
    checkpoint: (consumer: string) => store.checkpoint(conversation, consumer),
  };
}
