import { RouterError } from "../errors.ts";

const SQLITE_BUSY = 5;

/** Primary result codes of a database that cannot be written at the moment, and what helps. */
const unwritable: ReadonlyMap<number, string> = new Map([
  [SQLITE_BUSY, "another process holds it; is one stopped or stuck?"],
  [6, "another process holds it; is one stopped or stuck?"],
  [7, "memory is short"],
  [8, "it is read-only; make its directory writable"],
  [10, "its disk fails, is full, or a limit is reached"],
  [13, "its disk is full; free some space"],
  [14, "its files cannot be opened; are there descriptors left?"],
]);

/** Primary result codes of a database that is damaged. */
const corrupt: ReadonlySet<number> = new Set([11, 26]);

/**
 * What an error of the database means to callers of the store; any other error is given back as it is.
 *
 * @see https://www.sqlite.org/rescode.html
 */
export function parseStorageFailure(error: unknown): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const cure = unwritable.get(code & 0xff);
  if (cure !== undefined) {
    return new RouterError(`The database cannot be used now (${code}): ${cure}`, {
      code: "unwritable",
      cause: error,
    });
  }
  if (!corrupt.has(code & 0xff)) return error;
  return new RouterError(`The database is damaged (${code}); restore a backup`, {
    code: "corrupt",
    cause: error,
  });
}

/** True for the error of a lock that somebody else holds. */
export function isBusy(error: unknown): boolean {
  return ((resultCode(error) ?? 0) & 0xff) === SQLITE_BUSY;
}

/** True for an error that says that a database is damaged, or no database at all. */
export function isCorrupt(error: unknown): boolean {
  return corrupt.has((resultCode(error) ?? 0) & 0xff);
}

/** SQLite's extended result code. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode
    : undefined;
}
