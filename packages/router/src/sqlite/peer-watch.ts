import { watch } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { OwnerLock } from "./owner-lock.ts";

/** How often the database is asked whether another process has changed it, while one lives. */
const POLL_MS = 25;

/**
 * Notices what other processes of this database do: by asking every {@link POLL_MS} while one of them lives, and not
 * at all while this one is alone. A process that comes is noticed by its lock file.
 */
export class PeerWatch implements Disposable {
  readonly #database: DatabaseSync;
  readonly #lock: OwnerLock;
  readonly #announceMovedSince: (move: number) => number;
  readonly #arrivals: { close(): void };
  #timer: NodeJS.Timeout | undefined;
  /** `PRAGMA data_version`: changes when another connection has committed. */
  #version: unknown;
  /** The newest move that was announced. */
  #move: number;
  /** Owners that lived when they were last asked about. */
  #alive: readonly number[] = [];
  #beats = 0;

  constructor(options: {
    database: DatabaseSync;
    lock: OwnerLock;
    directory: string;
    announceMovedSince: (move: number) => number;
  }) {
    this.#database = options.database;
    this.#lock = options.lock;
    this.#announceMovedSince = options.announceMovedSince;
    this.#version = this.#readVersion();
    this.#move = (
      this.#database.prepare("SELECT moves FROM clock").get() as { moves: number }
    ).moves;
    const arrivals = watch(options.directory, { persistent: false }, () => this.#look());
    arrivals.on("error", () => arrivals.close());
    this.#arrivals = arrivals;
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#arrivals.close();
    clearInterval(this.#timer);
  }

  /** Polls exactly while another owner lives. */
  #look(): void {
    if (!this.#database.isOpen) return;
    const owners = this.#database
      .prepare("SELECT id FROM owners WHERE id <> ?")
      .all(this.#lock.id) as { id: number }[];
    this.#alive = owners.map(({ id }) => id).filter((id) => this.#lock.isAlive(id));
    if (this.#alive.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else {
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    }
    this.#announce();
  }

  #poll(): void {
    this.#beats += 1;
    // A peer that was killed leaves no message: now and then its lock is tried.
    if (this.#beats % 20 === 0) this.#look();
    else if (this.#readVersion() !== this.#version) this.#announce();
  }

  #announce(): void {
    this.#version = this.#readVersion();
    this.#move = this.#announceMovedSince(this.#move);
  }

  #readVersion(): unknown {
    return this.#database.prepare("PRAGMA data_version").get()?.["data_version"];
  }
}
