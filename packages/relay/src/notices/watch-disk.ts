import { statfs } from "node:fs/promises";
import type { Notices } from "./notices.ts";

const EVERY_MS = 5 * 60_000;

/** How full a disk may be before operators are told. */
const FULL = 0.8;

/** Tells operators when the disk of a directory fills up. Disposing ends it. */
export function watchDisk(
  directory: string,
  notices: Notices,
  readUse: (directory: string) => Promise<number> = readDiskUse,
): Disposable {
  const look = async () => {
    const use = await readUse(directory).catch(() => 0);
    if (use < FULL) return;
    const text = `The disk of the state directory is ${Math.floor(use * 100)} % full. When it is full, nothing can be saved and turns end.`;
    notices.tell({ kind: "disk", about: use >= 0.95 ? "nearly full" : "", text });
  };
  void look();
  const timer = setInterval(() => void look(), EVERY_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** How full the disk of a directory is for this user, 0 to 1. */
async function readDiskUse(directory: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(directory);
  const used = blocks - bfree;
  return used + bavail === 0 ? 0 : used / (used + bavail);
}
