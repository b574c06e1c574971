import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Tells the living from the dead by a lock of the operating system: each process holds an exclusive lock on a small
 * file of its own, and a process is dead exactly when its lock can be had. No clock is asked: a stopped process is
 * alive, a killed one is dead within the moment.
 *
 * A process must never open its own file a second time: closing any descriptor of it would drop the lock.
 */
export class OwnerLock implements Disposable {
  readonly id: number;
  readonly #directory: string;
  readonly #held: DatabaseSync;

  /** Takes the lock of owner `id`, which must be new. */
  constructor(directory: string, id: number) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.id = id;
    this.#directory = directory;
    this.#held = new DatabaseSync(this.#file(id), { timeout: 0 });
    this.#held.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  }

  /** True while the process of owner `id` lives. */
  isAlive(id: number): boolean {
    if (id === this.id) return true;
    const attempt = new DatabaseSync(this.#file(id), { timeout: 0 });
    try {
      attempt.exec("BEGIN EXCLUSIVE");
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      attempt.close();
    }
  }

  /** Removes the file of an owner that is dead and owns nothing. */
  forget(id: number): void {
    if (id !== this.id) rmSync(this.#file(id), { force: true });
  }

  [Symbol.dispose](): void {
    if (!this.#held.isOpen) return;
    this.#held.close();
    rmSync(this.#file(this.id), { force: true });
  }

  #file(id: number): string {
    return path.join(this.#directory, `${id}.lock`);
  }
}

const SQLITE_BUSY = 5;

/** True for the error of a lock that somebody else holds. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}
