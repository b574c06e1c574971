import { constants } from "node:fs";
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  realpath,
  unlink,
} from "node:fs/promises";
import path from "node:path";
import { AttachmentError } from "./errors.ts";
import { holdDirectory, within } from "./held-directory.ts";
import { isFileAt } from "./is-file-at.ts";
import { numberedName } from "./safe-file-name.ts";

/** So many files of one name may stand in a message's directory. */
const MAX_SAME_NAME = 100;

/** A file as it was written. */
export type WrittenFile = { readonly path: string; readonly name: string; readonly bytes: number };

/**
 * Where a conversation's files are kept: one directory (0700), a directory in it per message, files of 0600.
 *
 * An agent may write here too, so a name that was right a moment ago can be a symbolic link now. Directories are
 * therefore held open and used through the held descriptor, and what was opened is compared with what is at its path
 * before a byte is written and before its path is handed out.
 */
export class FilesDir implements AsyncDisposable {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** What may still be written. */
  #roomBytes: number;

  private constructor(dir: string, handle: FileHandle, roomBytes: number) {
    this.#path = dir;
    this.#handle = handle;
    this.#roomBytes = roomBytes;
  }

  /**
   * @param quotaBytes - What all files in it may have together; measured once, here.
   * @throws AttachmentError `inside-checkout`, `unwritable`
   */
  static async open(dir: string, quotaBytes: number): Promise<FilesDir> {
    await mkdir(dir, { recursive: true, mode: 0o700 }).catch(throwUnwritable);
    const real = await realpath(dir).catch(throwUnwritable);
    const checkout = await findCheckout(real);
    if (checkout !== undefined) {
      throw new AttachmentError(
        `Files are kept in "${real}", which is inside the git checkout "${checkout}"; keep them elsewhere.`,
        { code: "inside-checkout" },
      );
    }
    const handle = await holdDirectory(real).catch(throwUnwritable);
    try {
      await handle.chmod(0o700);
      return new FilesDir(real, handle, quotaBytes - (await sizeOf(real)));
    } catch (error) {
      await handle.close();
      return throwUnwritable(error);
    }
  }

  /**
   * Writes a file under its name, or under the name with a number when that is taken. A file that does not get complete
   * is removed.
   *
   * @param directory - The message's directory: a safe name, made when it is not there.
   * @param name - A safe name.
   * @throws AttachmentError `quota`, `unwritable`, and whatever the body throws
   */
  async write(
    directory: string,
    name: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<WrittenFile> {
    const parent = path.join(this.#path, directory);
    await mkdir(within(this.#handle, this.#path, directory), { mode: 0o700 }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throwUnwritable(error);
      },
    );
    const held = await holdDirectory(within(this.#handle, this.#path, directory)).catch(
      throwUnwritable,
    );
    try {
      if (!(await isFileAt(held, parent))) throw moved(parent);
      const { handle, finalName } = await createFile(held, parent, name);
      const finalPath = path.join(parent, finalName);
      try {
        if (!(await isFileAt(handle, finalPath))) throw moved(finalPath);
        const bytes = await this.#fill(handle, body);
        if (!(await isFileAt(handle, finalPath))) throw moved(finalPath);
        return { path: finalPath, name: finalName, bytes };
      } catch (error) {
        await unlink(within(held, parent, finalName)).catch(() => {});
        throw error;
      } finally {
        await handle.close();
      }
    } finally {
      await held.close();
    }
  }

  async #fill(handle: FileHandle, body: AsyncIterable<Uint8Array>): Promise<number> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        this.#roomBytes -= chunk.length;
        if (this.#roomBytes < 0) {
          throw new AttachmentError("The conversation holds as many files as it may.", {
            code: "quota",
          });
        }
        await handle.appendFile(chunk).catch(throwUnwritable);
      }
      return bytes;
    } catch (error) {
      this.#roomBytes += bytes;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** The nearest directory at or above this one that git takes for a checkout. */
async function findCheckout(dir: string): Promise<string | undefined> {
  for (let place = dir; ; place = path.dirname(place)) {
    const isCheckout = await access(path.join(place, ".git")).then(
      () => true,
      () => false,
    );
    if (isCheckout) return place;
    if (place === path.dirname(place)) return undefined;
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

async function createFile(held: FileHandle, parent: string, name: string) {
  for (let count = 1; count <= MAX_SAME_NAME; count += 1) {
    const finalName = numberedName(name, count);
    try {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      const handle = await open(within(held, parent, finalName), flags, 0o600);
      return { handle, finalName };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throwUnwritable(error);
    }
  }
  throw new AttachmentError("Too many files of one message have the same name.", {
    code: "unwritable",
  });
}

async function sizeOf(dir: string): Promise<number> {
  let bytes = 0;
  for await (const entry of await opendir(dir, { recursive: true })) {
    if (!entry.isFile()) continue;
    const file = await lstat(path.join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += file?.size ?? 0;
  }
  return bytes;
}

function moved(place: string): AttachmentError {
  return new AttachmentError(`"${place}" was changed by somebody else while it was written.`, {
    code: "unwritable",
  });
}

function throwUnwritable(error: unknown): never {
  if (error instanceof AttachmentError) throw error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  throw new AttachmentError(`A file cannot be kept (${code}).`, {
    code: "unwritable",
    cause: error,
  });
}
