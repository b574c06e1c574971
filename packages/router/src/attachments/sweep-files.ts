import { type FileHandle, lstat, opendir, realpath, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { holdDirectory, within } from "./held-directory.ts";
import { isFileAt } from "./is-file-at.ts";

/**
 * Removes what a conversation has kept for longer than it may: files that nobody wrote to since, and directories that
 * are empty then. Symbolic links are removed when old and never followed.
 *
 * @param now - Milliseconds since the epoch.
 * @returns how many files went
 */
export async function sweepFiles(dir: string, ttlMs: number, now: number): Promise<number> {
  const root = await realpath(dir).catch(() => undefined);
  return root === undefined ? 0 : sweep(root, root, now - ttlMs);
}

/** @param at - A path that leads to `dir` for certain. */
async function sweep(at: string, dir: string, before: number): Promise<number> {
  // Whatever goes or cannot be read in the meantime is left to the next sweep.
  const held = await holdDirectory(at).catch(() => undefined);
  if (!held) return 0;
  let removed = 0;
  try {
    if (!(await isFileAt(held, dir))) return 0;
    for await (const entry of await opendir(within(held, dir, "."))) {
      removed += await sweepEntry(held, dir, entry.name, before);
    }
    return removed;
  } finally {
    await held.close();
  }
}

async function sweepEntry(held: FileHandle, dir: string, name: string, before: number) {
  const place = within(held, dir, name);
  const found = await lstat(place).catch(() => undefined);
  if (!found) return 0;
  const isOld = found.mtimeMs < before;
  if (found.isDirectory()) {
    const removed = await sweep(place, path.join(dir, name), before);
    if (isOld) await rmdir(place).catch(() => {});
    return removed;
  }
  if (!isOld) return 0;
  return unlink(place).then(
    () => 1,
    () => 0,
  );
}
