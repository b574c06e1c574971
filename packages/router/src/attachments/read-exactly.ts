import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 64 * 1024;

/** The first `size` bytes of an open file, wherever others have read it to. Throws when it has fewer. */
export async function* readExactly(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
