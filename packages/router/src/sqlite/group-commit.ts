import type { DatabaseSync, StatementSync } from "node:sqlite";
import { RouterError } from "../errors.ts";
import { isBusy, parseStorageFailure } from "./storage-failure.ts";

type Write = { readonly run: () => () => void; readonly reject: (error: unknown) => void };

/** Pause before a write that another process kept out is tried again, in milliseconds. */
const RETRY_MS = 2;

/** How long writes wait for another process's write before they fail, in milliseconds. Those take a few each. */
const PATIENCE_MS = 10_000;

/**
 * Runs the writes of one tick in one transaction, and tells their callers once it is committed.
 *
 * A write that refuses (it throws a `RouterError` or `RangeError` before it has written) is refused alone; any other
 * error undoes the whole transaction and reaches every caller.
 *
 * While another process writes, nothing blocks: the writes wait, and whatever comes meanwhile joins them.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #hooks: { beforeCommit(): void; ended(committed: boolean): void };
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #writes: Write[] = [];
  /** When the writes that wait for another process give up, by `performance.now()`; set at the first attempt. */
  #giveUpAt: number | undefined;

  /** @param hooks - `ended` is called after each transaction: true behind its commit, once its callers have been told. */
  constructor(
    database: DatabaseSync,
    hooks: { beforeCommit(): void; ended(committed: boolean): void },
  ) {
    this.#database = database;
    this.#hooks = hooks;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#end = database.prepare("COMMIT");
  }

  run<T>(write: () => T): Promise<T> {
    if (!this.#database.isOpen) return Promise.reject(closed());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#writes.push({
      run: () => {
        const value = write();
        return () => resolve(value);
      },
      reject,
    });
    if (this.#writes.length === 1) queueMicrotask(() => this.#commit());
    return promise;
  }

  #commit(): void {
    if (!this.#enter()) return;
    const writes = this.#writes;
    this.#writes = [];
    const told: (() => void)[] = [];
    try {
      for (const { run, reject } of writes) {
        try {
          told.push(run());
        } catch (error) {
          if (!(error instanceof RouterError || error instanceof RangeError)) throw error;
          told.push(() => reject(error));
        }
      }
      this.#hooks.beforeCommit();
      this.#end.run();
    } catch (error) {
      this.#undo();
      this.#hooks.ended(false);
      rejectAll(writes, error);
      return;
    }
    for (const tell of told) tell();
    this.#hooks.ended(true);
  }

  /** False when the transaction could not begin: it will be tried again, or its writes have been rejected. */
  #enter(): boolean {
    try {
      this.#begin.run();
      this.#giveUpAt = undefined;
      return true;
    } catch (error) {
      this.#giveUpAt ??= performance.now() + PATIENCE_MS;
      if (isBusy(error) && performance.now() < this.#giveUpAt) {
        setTimeout(() => this.#commit(), RETRY_MS);
        return false;
      }
      this.#giveUpAt = undefined;
      const writes = this.#writes;
      this.#writes = [];
      rejectAll(writes, this.#database.isOpen ? error : closed());
      return false;
    }
  }

  /** Some failures have undone the transaction already. */
  #undo(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }
}

function closed(): RouterError {
  return new RouterError("The store is closed", { code: "closed" });
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  const failure = parseStorageFailure(error);
  for (const { reject } of writes) reject(failure);
}
