import { type FileHandle, lstat, realpath } from "node:fs/promises";

/**
 * Whether an open file is the one at a path, and no part of the path is a symbolic link. Asked after opening, it tells
 * whether a name was led elsewhere in between.
 */
export async function isFileAt(handle: FileHandle, path: string): Promise<boolean> {
  try {
    const [own, there] = await Promise.all([
      handle.stat({ bigint: true }),
      lstat(path, { bigint: true }),
    ]);
    return own.dev === there.dev && own.ino === there.ino && (await realpath(path)) === path;
  } catch {
    return false;
  }
}
