import type { DatabaseSync } from "node:sqlite";
import { RouterError } from "../errors.ts";

type Write = { readonly run: () => () => void; readonly reject: (error: unknown) => void };

/**
 * Runs the writes of one tick in one transaction, and tells their callers once it is committed.
 *
 * A write that refuses (it throws a `RouterError` or `RangeError` before it has written) is refused alone; any other
 * error undoes the whole transaction and reaches every caller.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #onEnded: (committed: boolean) => void;
  #writes: Write[] = [];

  /** @param onEnded - Called after each transaction: true behind its commit, once its callers have been told. */
  constructor(database: DatabaseSync, onEnded: (committed: boolean) => void) {
    this.#database = database;
    this.#onEnded = onEnded;
  }

  run<T>(write: () => T): Promise<T> {
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
    const writes = this.#writes;
    this.#writes = [];
    const told: (() => void)[] = [];
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { run, reject } of writes) {
        try {
          told.push(run());
        } catch (error) {
          if (!(error instanceof RouterError || error instanceof RangeError)) throw error;
          told.push(() => reject(error));
        }
      }
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#onEnded(false);
      for (const { reject } of writes) reject(error);
      return;
    }
    for (const tell of told) tell();
    this.#onEnded(true);
  }
}
