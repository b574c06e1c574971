import { watch } from "node:fs";
import type { ChangeFeed } from "./change-feed.ts";
import type { OwnerLock } from "./owner-lock.ts";
import type { Statements } from "./statements.ts";

/** How often the database is asked whether another process has changed it, while one lives, in milliseconds. */
const POLL_MS = 25;

/** Polls between two looks at whether the others still live: one that was killed leaves no message. */
const LOOK_EVERY = 4;

/** Polls behind the sign of a newcomer, which makes its lock file before it registers. */
const NEWCOMER_POLLS = 40;

/**
 * Notices what other processes of this database do: by asking every {@link POLL_MS} while one of them lives, and not
 * at all while this one is alone. One that comes is noticed by its lock file.
 */
export class PeerWatch implements Disposable {
  readonly #sql: Statements;
  readonly #lock: OwnerLock;
  readonly #feed: ChangeFeed;
  readonly #onLook: (died: boolean) => void;
  readonly #arrivals: { close(): void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Changes when another connection has committed. */
  #version: number;
  /** Owners that were registered beside this one at the last look. */
  #others: readonly string[] = [];
  #polls = 0;
  /** Polls that still follow the sign of a newcomer. */
  #expecting = 0;

  /** @param options.onLook - Called again and again while others live: true when one of them has died. */
  constructor(options: {
    sql: Statements;
    lock: OwnerLock;
    feed: ChangeFeed;
    onLook: (died: boolean) => void;
  }) {
    this.#sql = options.sql;
    this.#lock = options.lock;
    this.#feed = options.feed;
    this.#onLook = options.onLook;
    this.#version = this.#readVersion();
    this.#arrivals = this.#watchArrivals();
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#arrivals?.close();
    clearInterval(this.#timer);
  }

  #watchArrivals(): { close(): void } | undefined {
    try {
      const watcher = watch(this.#lock.directory, { persistent: false }, () => this.#expect());
      watcher.on("error", () => this.#expectAlways());
      return watcher;
    } catch {
      // The system gives no more watches: newcomers are found by asking.
      this.#expectAlways();
      return undefined;
    }
  }

  #expect(): void {
    this.#expecting = Math.max(this.#expecting, NEWCOMER_POLLS);
    this.#start();
  }

  #expectAlways(): void {
    this.#expecting = Number.POSITIVE_INFINITY;
    this.#expect();
  }

  #poll(): void {
    this.#polls += 1;
    this.#expecting -= 1;
    try {
      const version = this.#readVersion();
      const moved = version !== this.#version;
      if (moved) {
        this.#feed.announceOthers();
        this.#version = version;
      }
      if (this.#polls % LOOK_EVERY === 0 || (moved && this.#ownersChanged())) this.#look();
    } catch {
      // Nobody waits for a poll: whoever reads next meets the failure, and the next poll tries again.
    }
  }

  /** Polls exactly while another owner lives, is expected, or has died and left something that nobody has taken yet. */
  #look(): void {
    this.#others = this.#readOwners();
    if (this.#others.length > 0) this.#start();
    else if (this.#expecting <= 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#onLook(this.#others.some((id) => !this.#lock.isAlive(id)));
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  #ownersChanged(): boolean {
    return this.#readOwners().join() !== this.#others.join();
  }

  #readOwners(): string[] {
    return this.#sql
      .all<{ id: string }>("SELECT id FROM owners WHERE id <> ? ORDER BY id", this.#lock.id)
      .map(({ id }) => id);
  }

  #readVersion(): number {
    return this.#sql.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
  }
}
