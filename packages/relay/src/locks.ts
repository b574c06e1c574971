import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileLock, lockFile } from "./file-lock.ts";

/** Takes the lock of that name, among all processes of a relay; `undefined` while somebody has it, also in this process. */
export type TakeLock = (name: string) => Promise<FileLock | undefined>;

/** @param directory - Where the lock files are; it is made if there is none. */
export function createLocks(directory: string): TakeLock {
  /** Of this process: it must not ask the system again for what it holds. */
  const held = new Set<string>();
  return async (name) => {
    if (held.has(name)) return undefined;
    held.add(name);
    let lock: FileLock | undefined;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      lock = await lockFile(join(directory, name));
    } finally {
      if (!lock) held.delete(name);
    }
    if (!lock) return undefined;
    let mine: FileLock | undefined = lock;
    return {
      // Only once: later it would be of the next one.
      release() {
        if (!mine) return;
        mine.release();
        mine = undefined;
        held.delete(name);
      },
    };
  };
}
