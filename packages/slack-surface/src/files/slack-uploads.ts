import { Readable } from "node:stream";
import { hashId, type Journal, type Log } from "@acp-kit/relay";
import { createReference, type Router, type SentFile } from "@acp-kit/router";
import { checkUrl } from "@acp-kit/router/attachments";
import { request } from "undici";
import { z } from "zod";
import type { Priority } from "../budget/budget.ts";
import type { QueuedResult } from "../budget/call-result.ts";
import { Pause } from "../delivery/pause.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { fileHostsOf } from "./file-hosts.ts";
import { type FoundShare, findShare } from "./find-share.ts";
import { explainUploadRefusal, UploadFailure } from "./upload-failure.ts";

/** What of a workspace it takes. */
export type SlackUploadsHost = Pick<SlackWorkspace, "queue" | "clock"> & {
  readonly context: {
    readonly router: Pick<Router, "openFile">;
    readonly journal: Pick<Journal, "fail">;
    readonly log: Log;
  };
};

/** What is to be seen where. */
export type Upload = {
  readonly conversation: string;
  readonly channel: string;
  /** Absent: beside threads. */
  readonly thread?: string | undefined;
  /** The platform's id of a file that an earlier try may have shared. */
  readonly begun?: string | undefined;
  /** Called before anything can be seen, to be kept until the outcome is; called again when that file came to nothing. */
  readonly onBegun: (file: string) => void;
  readonly priority?: Priority;
};

export type UploadOutcome =
  | { readonly kind: "shared" }
  /** A sentence for people, who do not see the file. */
  | { readonly kind: "failed"; readonly text: string }
  /** This process ends; what was begun is gone on with by the next one. */
  | { readonly kind: "closed" };

type Content = {
  readonly name: string;
  readonly bytes: number;
  readonly snippet?: string;
  readonly stream: () => AsyncIterable<Uint8Array>;
};

/** After each try of which nothing is known, the next comes so much later, in milliseconds. */
const RETRY_AFTER_MS = [1_000, 4_000, 10_000];

/** Whether a file that was completed is shared is asked so often; Slack shows it a moment later, and sometimes never. */
const SHARED_AFTER_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** A file that Slack took and does not show is deleted and sent once more. */
const TRIES = 2;

/** Until its answer begins, and between two pieces, in milliseconds. */
const POST_MS = 60_000;

const SNIPPETS: Readonly<Record<string, string>> = { diff: "diff", md: "markdown", patch: "diff" };

const targetSchema = z.object({ upload_url: z.string(), file_id: z.string() });

/** Brings files to threads, each once, and says so where that fails. */
export class SlackUploads implements Disposable {
  readonly #host: SlackUploadsHost;
  readonly #apiUrl: string | undefined;
  readonly #closed = new AbortController();

  /** @param apiUrl - Of the Web API. Slack's own by default. */
  constructor(host: SlackUploadsHost, apiUrl?: string) {
    this.#host = host;
    this.#apiUrl = apiUrl;
  }

  /** A file of the agent. Resolves once it is to be seen. Never rejects. */
  async sendFile(file: SentFile, upload: Upload): Promise<UploadOutcome> {
    const { router } = this.#host.context;
    return await this.#told(file.name, upload, async () => {
      await using opened = await router.openFile(upload.conversation, file);
      if (!opened) throw new UploadFailure("it is no longer kept");
      const { name, bytes } = opened;
      await this.#send({ name, bytes, stream: () => opened.stream() }, upload);
    });
  }

  /** A long text as a file that Slack shows the beginning of, by its name's ending. Never rejects. */
  async sendText(text: string, name: string, upload: Upload): Promise<UploadOutcome> {
    const body = Buffer.from(text);
    const snippet = SNIPPETS[name.split(".").at(-1) ?? ""] ?? "text";
    return await this.#told(name, upload, () =>
      this.#send(
        {
          ...{ name, snippet, bytes: body.length },
          async *stream() {
            yield body;
          },
        },
        upload,
      ),
    );
  }

  /** What is on its way comes to its end as `closed`. */
  [Symbol.dispose](): void {
    this.#closed.abort();
  }

  async #told(
    name: string,
    { conversation }: Upload,
    work: () => Promise<void>,
  ): Promise<UploadOutcome> {
    try {
      await work();
      return { kind: "shared" };
    } catch (error) {
      if (this.#closed.signal.aborted || error instanceof Closed) return { kind: "closed" };
      const { journal, log } = this.#host.context;
      const ref = createReference();
      journal.fail({ ref, conversation, what: "upload", error });
      log.warn({ ref, conversation: hashId(conversation) }, "a file was not uploaded");
      const why = error instanceof UploadFailure ? error.message : "it cannot be read any more";
      const label = name.replaceAll(/[\p{C}\\`*_~[\]<>#|]/gu, "").trim() || "A file";
      return { kind: "failed", text: `${label} could not be shown here: ${why} (ref ${ref}).` };
    }
  }

  async #send(content: Content, upload: Upload): Promise<void> {
    // Slack refuses a length of 0 with a word that says nothing.
    if (content.bytes === 0) throw new UploadFailure("it is empty, which Slack does not take");
    let id = upload.begun;
    let found: FoundShare = id === undefined ? "absent" : await this.#find(id, upload);
    for (let attempt = 1; ; attempt += 1) {
      // Of what is not there any more only its content can be sent again.
      if (id === undefined) {
        id = await this.#post(content, upload);
        upload.onBegun(id);
      }
      if (found !== "shared" && found !== "kept") found = await this.#complete(id, content, upload);
      if (found === "kept") found = await this.#awaitShare(id, upload);
      if (found === "shared") return;
      if (found === "kept") await this.#call("files.delete", { file: id }, upload);
      if (attempt === TRIES) throw new UploadFailure("Slack took it and does not show it");
      id = undefined;
      found = "absent";
    }
  }

  /** Gives Slack the bytes. Nothing of that is to be seen, so it may be done again. */
  async #post(content: Content, upload: Upload): Promise<string> {
    const { bytes: length, name: filename, snippet } = content;
    const args = { filename, length, ...(snippet !== undefined && { snippet_type: snippet }) };
    for (const ms of [...RETRY_AFTER_MS, undefined]) {
      const result = await this.#call("files.getUploadURLExternal", args, upload);
      if (result.kind === "refused") throw new UploadFailure(explainUploadRefusal(result.error));
      const target = result.kind === "ok" ? targetSchema.safeParse(result.body) : undefined;
      if (target?.success && (await this.#transfer(target.data.upload_url, content))) {
        return target.data.file_id;
      }
      if (ms !== undefined) await this.#pause(ms);
    }
    throw new UploadFailure("Slack could not be reached");
  }

  /** False when it may be tried again. The URL is a secret: whoever has it may write. */
  async #transfer(url: string, { bytes, stream }: Content): Promise<boolean> {
    if (!isOwnUrl(url, this.#apiUrl)) {
      throw new UploadFailure("Slack named a place for it that is not Slack's");
    }
    try {
      const { statusCode, body } = await request(url, {
        method: "POST",
        headers: { "content-type": "application/octet-stream", "content-length": `${bytes}` },
        body: Readable.from(stream()),
        headersTimeout: POST_MS,
        bodyTimeout: POST_MS,
        signal: this.#closed.signal,
      });
      await body.dump();
      return statusCode === 200;
    } catch (error) {
      if (this.#closed.signal.aborted || isCodeOf(error)) return false;
      // The file itself: it was changed, or is gone.
      throw error;
    }
  }

  /** Shares what Slack has, and finds out what became of that where nobody says. */
  async #complete(id: string, { name }: Content, upload: Upload): Promise<FoundShare> {
    const { channel, thread } = upload;
    const args = {
      files: [{ id, title: name }],
      channel_id: channel,
      ...(thread !== undefined && { thread_ts: thread }),
    };
    for (const ms of [...RETRY_AFTER_MS, undefined]) {
      const result = await this.#call("files.completeUploadExternal", args, upload);
      if (result.kind === "ok") return "kept";
      if (result.kind === "refused" && result.error !== "file_not_found") {
        throw new UploadFailure(explainUploadRefusal(result.error));
      }
      const found = await this.#find(id, upload);
      if (found === "hidden") return result.kind === "refused" ? "shared" : "kept";
      if (found !== "absent" || result.kind === "refused") return found;
      if (ms !== undefined) await this.#pause(ms);
    }
    throw new UploadFailure("Slack could not be reached");
  }

  /** The answer to a completion does not say where a file is to be seen. */
  async #awaitShare(id: string, upload: Upload): Promise<FoundShare> {
    for (const ms of SHARED_AFTER_MS) {
      await this.#pause(ms);
      const found = await this.#find(id, upload);
      // Who may not ask believes it.
      if (found === "hidden") return "shared";
      if (found !== "kept") return found;
    }
    return "kept";
  }

  async #find(id: string, upload: Upload): Promise<FoundShare> {
    for (const ms of [...RETRY_AFTER_MS, undefined]) {
      const result = await this.#call("files.info", { file: id }, upload);
      const found = findShare(result, upload.channel);
      if (found !== "unknown") return found;
      if (ms !== undefined) await this.#pause(ms);
    }
    throw new UploadFailure("Slack does not say what became of it");
  }

  async #call(
    method: string,
    args: Readonly<Record<string, unknown>>,
    { channel, priority = "text" }: Upload,
  ): Promise<QueuedResult> {
    const { queue } = this.#host;
    const result = await queue.run({ method, priority, channel, args: () => args });
    if (result.kind === "late" || this.#closed.signal.aborted) throw new Closed();
    return result;
  }

  async #pause(ms: number): Promise<void> {
    const pause = new Pause(this.#host.clock);
    const wake = () => pause.wake();
    const { signal } = this.#closed;
    signal.addEventListener("abort", wake);
    if (!signal.aborted) await pause.wait(ms);
    signal.removeEventListener("abort", wake);
    if (signal.aborted) throw new Closed();
  }
}

function isOwnUrl(url: string, apiUrl: string | undefined): boolean {
  try {
    checkUrl(url, fileHostsOf(apiUrl));
    return true;
  } catch {
    return false;
  }
}

/** Thrown where this process has no further say. */
class Closed extends Error {}

/** Whether an error is one of the connection. */
function isCodeOf(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "string";
}
