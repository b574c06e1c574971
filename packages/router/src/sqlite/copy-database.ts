import { closeSync, openSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { companions } from "./store-files.ts";

const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database as it is at one moment, while it is written, without holding the process up. The copy is one file
 * with mode 0600; it is there completely or not at all.
 *
 * @param check - Sees the copy before it gets its name; what it throws leaves nothing behind.
 */
export async function copyDatabase(
  from: string,
  to: string,
  check: (copy: DatabaseSync) => void = () => {},
): Promise<void> {
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, "wx", 0o600));
  try {
    const source = new DatabaseSync(from, { readOnly: true });
    try {
      // All pages in one step, over a connection of its own: writers neither wait for it nor make it begin again.
      await backup(source, partial, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    const copy = new DatabaseSync(partial);
    try {
      copy.exec("PRAGMA journal_mode = DELETE");
      check(copy);
    } finally {
      copy.close();
    }
    await flush(partial);
    await rename(partial, to);
  } catch (error) {
    for (const file of [partial, ...companions(partial)]) rmSync(file, { force: true });
    throw error;
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
