import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isFileAt } from "./is-file-at.ts";

/**
 * Opens a regular file for reading at a path without symbolic links, or gives nothing: for links, directories, devices,
 * sockets and pipes (which are not waited for), and for files that somebody swaps meanwhile.
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  const isFine = await handle.stat().then(
    async (found) => found.isFile() && (await isFileAt(handle, path)),
    () => false,
  );
  if (isFine) return handle;
  await handle.close();
  return undefined;
}

/** The whole content of an open file, or nothing when it is larger. */
export async function readAtMost(
  handle: FileHandle,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  if (size > maxBytes) return undefined;
  // One byte more than there should be tells a file that grows.
  const buffer = Buffer.alloc(size + 1);
  let bytes = 0;
  while (bytes < buffer.length) {
    const { bytesRead } = await handle.read(buffer, bytes, buffer.length - bytes, bytes);
    if (bytesRead === 0) break;
    bytes += bytesRead;
  }
  return bytes > size ? undefined : buffer.subarray(0, bytes);
}
