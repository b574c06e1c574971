import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";

/** Opens a directory that is one itself, and no link to one. */
export function holdDirectory(dir: string): Promise<FileHandle> {
  return open(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/**
 * The path of a name in a directory that is held open. It stays in that directory whatever stands at the directory's own
 * path by now; where the system has no such paths, the caller's comparison afterwards is the guard.
 */
export function within(held: FileHandle, dir: string, name: string): string {
  const base = process.platform === "linux" ? `/proc/self/fd/${held.fd}` : dir;
  return path.join(base, name);
}
