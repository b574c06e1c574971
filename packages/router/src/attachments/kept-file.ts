import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { SentFile } from "../events.ts";
import { FilesDir } from "./files-dir.ts";
import type { OfferedFile } from "./offer-file.ts";
import { openRegularFile } from "./open-regular-file.ts";
import { readExactly } from "./read-exactly.ts";

/** Where a copy of what an agent sends is kept. */
export type KeepPlace = {
  /** The conversation's own directory, outside every checkout. */
  readonly filesDir: string;
  /** A safe name: a directory in it. */
  readonly directory: string;
  /** What all files of the conversation may have together. */
  readonly quotaBytes: number;
};

/**
 * Copies a file that may leave, so that whoever shows it later shows what was judged, whatever becomes of the original.
 *
 * @throws AttachmentError `quota`, `unwritable`, `inside-checkout`, and what the file's stream throws
 */
export async function keepOffered(
  { name, contentType, bytes, sha256, stream }: OfferedFile,
  { filesDir, directory, quotaBytes }: KeepPlace,
): Promise<SentFile> {
  await using files = await FilesDir.open(filesDir, quotaBytes);
  const written = await files.write(directory, name, stream());
  return { path: path.posix.join(directory, written.name), name, contentType, bytes, sha256 };
}

/** A kept file, held open; disposing it closes it. */
export type OpenedFile = AsyncDisposable & {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Exactly `bytes` bytes from the start; throws at its end when they are not those that were judged. */
  stream(): AsyncIterable<Uint8Array>;
};

/** Opens a file that a log names; nothing when it is gone, or is not any more what was kept. */
export async function openKeptFile(
  filesDir: string,
  { path: relative, name, contentType, bytes, sha256 }: SentFile,
): Promise<OpenedFile | undefined> {
  const root = await realpath(filesDir).catch(() => undefined);
  if (
    root === undefined ||
    !/^[^/\\\0]+\/[^/\\\0]+$/.test(relative) ||
    /(?:^|\/)\.\.?(?:\/|$)/.test(relative)
  )
    return undefined;
  const file = path.join(root, relative);
  if ((await realpath(file).catch(() => undefined)) !== file) return undefined;
  const handle = await openRegularFile(file);
  if (!handle) return undefined;
  const { size } = await handle.stat();
  if (size !== bytes) {
    await handle.close();
    return undefined;
  }
  return {
    name,
    contentType,
    bytes,
    async *stream() {
      const hash = createHash("sha256");
      for await (const chunk of readExactly(handle, size)) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest("hex") !== sha256) throw new Error("The kept file was changed.");
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
