import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./storage-failure.ts";

const SUFFIX = ".lock";

/**
 * Tells the living from the dead by a lock of the operating system: each process holds an exclusive lock on a small
 * file of its own, and a process is dead exactly when that is not so. No clock is asked: a stopped process is alive, a
 * killed one is dead within the moment. Who asks takes a shared lock, so that no one who asks looks like an owner.
 *
 * A process must never open its own file a second time by other means: closing any descriptor of it drops the lock.
 */
export class OwnerLock implements Disposable {
  readonly id: string;
  readonly directory: string;
  readonly #held: DatabaseSync;
  /** Owners that were found dead: no other one will have their ids. */
  readonly #dead = new Set<string>();

  private constructor(directory: string, id: string, held: DatabaseSync) {
    this.id = id;
    this.directory = directory;
    this.#held = held;
  }

  /** Takes the lock of an owner with a new id. */
  static take(directory: string): OwnerLock {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (;;) {
      const id = randomUUID();
      const file = fileOf(directory, id);
      closeSync(openSync(file, "wx", 0o600));
      const held = lock(file, "EXCLUSIVE");
      // Whoever buries dead owners may have been quicker: then this lock is one on a file that nobody finds.
      if (held && existsSync(file)) return new OwnerLock(directory, id, held);
      held?.close();
      rmSync(file, { force: true });
    }
  }

  /** Whether any owner of a directory lives. */
  static someoneLives(directory: string): boolean {
    return lockFiles(directory).some((id) => isHeld(fileOf(directory, id)));
  }

  /** True while the process of owner `id`, which has once held its lock, lives. */
  isAlive(id: string): boolean {
    if (this.#dead.has(id)) return false;
    if (id === this.id || isHeld(fileOf(this.directory, id))) return true;
    this.#dead.add(id);
    return false;
  }

  /** Removes what is left of an owner. False: it lives. */
  bury(id: string): boolean {
    if (id === this.id) return false;
    const file = fileOf(this.directory, id);
    if (!existsSync(file)) return true;
    const held = lock(file, "EXCLUSIVE");
    if (!held) return false;
    rmSync(file, { force: true });
    held.close();
    return true;
  }

  /** Buries all dead owners but those in `except`. */
  buryAll(except: ReadonlySet<string>): void {
    for (const id of lockFiles(this.directory)) if (!except.has(id)) this.bury(id);
  }

  [Symbol.dispose](): void {
    if (!this.#held.isOpen) return;
    rmSync(fileOf(this.directory, this.id), { force: true });
    this.#held.close();
  }
}

function isHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  const shared = lock(file, "SHARED");
  shared?.close();
  return shared === undefined;
}

/** A lock on a file; `undefined` when another one is in its way. */
function lock(file: string, how: "EXCLUSIVE" | "SHARED"): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal in a file would outlive its process, and whoever asks would have to undo it first.
    database.exec("PRAGMA journal_mode = MEMORY");
    // A read takes the shared lock.
    database.exec(how === "EXCLUSIVE" ? "BEGIN EXCLUSIVE" : "BEGIN; SELECT 1 FROM sqlite_schema");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function lockFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length));
}

function fileOf(directory: string, id: string): string {
  return path.join(directory, `${id}${SUFFIX}`);
}
