import type { SqliteStore } from "@acp-kit/router/sqlite";
import { RelayError } from "./errors.ts";

/**
 * Opens what a relay keeps in its state directory.
 *
 * @throws RelayError `store`, with the cure.
 */
export async function openStore(
  stateDir: string,
  durability: "process" | "power",
): Promise<SqliteStore> {
  // Loaded late: Node.js 22 warns when its SQLite is loaded, and the command line redirects warnings first.
  const { openSqliteStore } = await import("@acp-kit/router/sqlite");
  return describingFailure(stateDir, () => openSqliteStore({ directory: stateDir, durability }));
}

/** Turns what a store throws when it is opened, copied or restored into one line for the operator. */
export async function describingFailure<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const { name, message, code } = cause as NodeJS.ErrnoException;
    if (name === "StoreError") throw new RelayError(message, { code: "store", cause });
    if (code === undefined) throw cause;
    const text = `what is kept in ${stateDir} cannot be used (${code}): ${message}`;
    throw new RelayError(text, { code: "store", cause });
  }
}
