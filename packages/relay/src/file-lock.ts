import { open } from "node:fs/promises";

/** A lock that only one process holds. The system's: it ends with the process, however that ends. */
export type FileLock = { release(): void };

/** SQLITE_BUSY, https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

/**
 * Takes the lock on a file, which is made if there is none. A process must not ask again for one that it holds.
 *
 * @returns `undefined` while another process holds it.
 */
export async function lockFile(file: string): Promise<FileLock | undefined> {
  await (await open(file, "a", 0o600)).close();
  // Loaded late: Node.js 22 warns when this module is loaded, and the command line redirects warnings first.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
}
