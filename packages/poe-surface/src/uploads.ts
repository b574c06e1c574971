import {
  createPoeClient,
  type FileEvent,
  MAX_FILE_BYTES,
  type PoeClient,
  PoeProtocolError,
} from "@acp-kit/poe-protocol";
import { hashId, type Journal, type Log } from "@acp-kit/relay";
import { createReference, type Router, type SentFile } from "@acp-kit/router";
import type { PoeSurfaceBot } from "./poe-bot.ts";
import { words } from "./words.ts";

/** A file that Poe has, or one sentence on why it does not. */
export type Upload =
  | { readonly kind: "uploaded"; readonly file: FileEvent["data"] }
  | { readonly kind: "failed"; readonly text: string };

export type UploadsOptions = {
  readonly router: Pick<Router, "openFile">;
  readonly log: Log;
  readonly journal: Pick<Journal, "fail">;
  /** Base of Poe's upload call; default: Poe's own. */
  readonly uploadUrl?: string | undefined;
};

/** Each holds a whole file in memory, up to 50 MB. */
const AT_ONCE = 3;

/** As often as Poe's own library tries. */
const TRIES = 2;

/** Uploads that are remembered, so that a redrive shows the same file and sends no other. */
const MAX_REMEMBERED = 200;

/** Brings the files of logs to Poe. */
export class Uploads implements AsyncDisposable {
  readonly #options: UploadsOptions;
  readonly #clients = new Map<string, PoeClient>();
  /** By what is uploaded and for whom, oldest first; failed ones are forgotten. */
  readonly #uploads = new Map<string, Promise<Upload>>();
  readonly #closed = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Uploads a file, once for whoever shows it. Never rejects. */
  upload(bot: PoeSurfaceBot, conversation: string, file: SentFile): Promise<Upload> {
    const id = JSON.stringify([conversation, file.path, file.sha256]);
    const known = this.#uploads.get(id);
    if (known !== undefined) return known;
    const upload = this.#upload(bot, conversation, file).then((result) => {
      if (result.kind === "failed") this.#uploads.delete(id);
      return result;
    });
    this.#uploads.set(id, upload);
    const [oldest] = this.#uploads.keys();
    if (this.#uploads.size > MAX_REMEMBERED && oldest !== undefined) this.#uploads.delete(oldest);
    return upload;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#uploads.values());
  }

  async #upload(bot: PoeSurfaceBot, conversation: string, file: SentFile): Promise<Upload> {
    const { log, journal } = this.#options;
    try {
      const work = this.#inTurn(() => this.#send(bot, conversation, file));
      return await work;
    } catch (error) {
      const ref = createReference();
      journal.fail({ ref, conversation, what: "upload", error });
      const about = { ref, conversation: hashId(conversation), sha256: file.sha256 };
      log.warn(about, "a file was not uploaded");
      return { kind: "failed", text: words.notUploaded(file.name, whyOf(error), ref) };
    }
  }

  /** A few at a time: the rest waits here. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
    this.#closed.signal.throwIfAborted();
    const running = work();
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(settled);
    try {
      return await running;
    } finally {
      this.#running.delete(settled);
    }
  }

  async #send(bot: PoeSurfaceBot, conversation: string, file: SentFile): Promise<Upload> {
    if (file.bytes > MAX_FILE_BYTES)
      throw new UploadFailure("it is larger than the 50 MB that Poe takes");
    const bytes = await this.#read(conversation, file);
    const { name, contentType } = file;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const data = await this.#clientOf(bot).uploadFile(
          { file: bytes, name, contentType },
          this.#closed.signal,
        );
        return { kind: "uploaded", file: { ...data, name } };
      } catch (error) {
        if (attempt === TRIES || !isPassing(error)) throw error;
      }
    }
  }

  async #read(conversation: string, file: SentFile): Promise<Uint8Array> {
    await using opened = await this.#options.router.openFile(conversation, file);
    if (!opened) throw new UploadFailure("it is no longer kept");
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened.stream()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  #clientOf({ name, settings }: PoeSurfaceBot): PoeClient {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const [accessKey = ""] = settings.accessKeys;
    const { uploadUrl } = this.#options;
    const client = createPoeClient({ accessKey, ...(uploadUrl !== undefined && { uploadUrl }) });
    this.#clients.set(name, client);
    return client;
  }
}

/** Thrown for what is known before Poe is asked; its message is fit for chat. */
class UploadFailure extends Error {}

/** Whether the same call may succeed in a moment. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof PoeProtocolError)) return false;
  const { code, status = 0 } = error;
  return code === "unreachable" || code === "timeout" || (code === "refused" && status >= 500);
}

/** In words for chat: what Poe itself said stays in the log. */
function whyOf(error: unknown): string {
  if (error instanceof UploadFailure) return error.message;
  if (!(error instanceof PoeProtocolError)) return "it cannot be read any more";
  switch (error.code) {
    case "refused":
      return `Poe refused it (${error.status ?? "?"})`;
    case "timeout":
      return "Poe took too long";
    case "unreachable":
      return "Poe could not be reached";
    default:
      return "the upload went wrong";
  }
}
