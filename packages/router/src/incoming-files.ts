import { lstat, realpath, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import type { AgentCapabilities } from "@acp-kit/acp-wire";
import type { AttachmentBlocks } from "./attachments/attachment-blocks.ts";
import type { Downloads } from "./attachments/downloads.ts";
import type { AttachmentLimits } from "./attachments/limits.ts";
import type { IncomingFile } from "./attachments/take-in.ts";
import {
  type FileRecord,
  type FilesRecord,
  fileRecordOf,
  filesRecordKey,
  findFile,
  hasForeignFiles,
  parseFilesRecord,
  withFiles,
  withoutFiles,
} from "./files-record.ts";
import { findRequest } from "./prompt-blocks.ts";
import type { Lease, PromptItem, Store } from "./store.ts";
import type { Attachment, Turn } from "./transcript.ts";
import type { FileLending, LendResult, Workspace } from "./workspace.ts";

/** How long the files of one message may take together, in milliseconds: platforms let their URLs live for 10 minutes. */
const INTAKE_TIMEOUT_MS = 600_000;

/** Whatever the files of a conversation's messages need of it. */
export type IncomingFilesHost = {
  readonly conversation: string;
  readonly store: Pick<Store, "readRecord" | "writeRecord">;
  readonly attachmentLimits: AttachmentLimits;
  downloads(): Promise<Pick<Downloads, "fetch">>;
  workspace(): Promise<Workspace>;
  /** Absent: nothing can be saved, another owner has come. */
  readonly lease: Lease | undefined;
  failed(what: string, error: unknown): void;
};

type Intake = {
  readonly files: Promise<readonly IncomingFile[]>;
  readonly stop: AbortController;
  isFetching: boolean;
};

/**
 * The files of the messages that wait or run: fetched when a message comes, kept, and found again after a restart. One
 * message at a time, so that the conversation's quota holds; nobody waits for it but the message's own turn.
 */
export class IncomingFiles {
  readonly #host: IncomingFilesHost;
  readonly #intakes = new Map<string, Intake>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: IncomingFilesHost) {
    this.#host = host;
  }

  /** A message has come. */
  begin(turn: string, { query, user }: PromptItem): void {
    const request = findRequest(query);
    if (!request?.attachments.some(({ url }) => url !== "")) return;
    const stop = new AbortController();
    const files = this.#last.then(() => this.#takeIn(request, query, user, stop.signal));
    const intake: Intake = { files, stop, isFetching: true };
    this.#last = files.then(() => {
      intake.isFetching = false;
    });
    this.#intakes.set(turn, intake);
  }

  /** The message of the turn came with files. */
  has(turn: string): boolean {
    return this.#intakes.has(turn);
  }

  /** Something of it is still on its way. */
  isFetching(turn: string): boolean {
    return this.#intakes.get(turn)?.isFetching ?? false;
  }

  /** Resolves once each file of the turn's message is kept or given up. */
  async settled(turn: string): Promise<void> {
    await this.#intakes.get(turn)?.files;
  }

  /** The files of a turn's message for an agent that takes so much, and can open them where they are or borrows them. */
  async blocks(
    turn: string,
    { promptCapabilities, sessionCapabilities }: AgentCapabilities,
    lending?: FileLending,
  ): Promise<AttachmentBlocks> {
    const files = (await this.#intakes.get(turn)?.files) ?? [];
    if (files.length === 0) return { blocks: [] };
    const { createAttachmentBlocks } = await import("./attachments/index.ts");
    const limits = this.#host.attachmentLimits;
    const takesDirectories = sessionCapabilities?.additionalDirectories != null;
    const isNeeded = lending && (lending.isAlwaysNeeded || !takesDirectories);
    const lent = isNeeded ? await lendFiles(files, lending) : undefined;
    const copies = lent?.kind === "lent" ? lent.copies : undefined;
    const made = await createAttachmentBlocks(files, promptCapabilities, limits, copies);
    if (lent?.kind !== "refused") return made;
    const unseen = [made.unseen, lent.message].filter((one) => one !== undefined).join(" ");
    return { ...made, unseen };
  }

  /** The turn has ended: what it still fetches is of no use. */
  end(turn: string): void {
    this.#intakes.get(turn)?.stop.abort();
    this.#intakes.delete(turn);
  }

  /** Removes what was kept of a message, and what is still on its way. */
  async forget(message: string): Promise<void> {
    await this.#forget(message);
    // What has just been stopped may be kept all the same.
    this.#last = this.#last.then(() => this.#forget(message));
  }

  /** True when the agent may have been given files of others than this person. */
  async areForeign(user: string): Promise<boolean> {
    try {
      return hasForeignFiles(await this.#read(), user);
    } catch (error) {
      this.#host.failed("attachments", error);
      return true;
    }
  }

  /** Ends every download; resolves when none is left. */
  async close(): Promise<void> {
    for (const turn of this.#intakes.keys()) this.end(turn);
    await this.#last;
  }

  async #takeIn(
    request: Turn,
    query: readonly Turn[],
    user: string,
    stop: AbortSignal,
  ): Promise<readonly IncomingFile[]> {
    const attachments = request.attachments.filter(({ url }) => url !== "");
    try {
      stop.throwIfAborted();
      const { filesDir } = await this.#host.workspace();
      const record = await this.#read();
      const known = await Promise.all(
        attachments.map((one) => findKept(one, findFile(record, query, one), filesDir)),
      );
      const missing = attachments.filter((_, at) => !known[at]);
      const fetched = await this.#fetch({ ...request, attachments: missing }, user, filesDir, stop);
      await this.#remember(request.messageId, user, fetched, filesDir);
      return known.map((file) => file ?? fetched.shift()).filter((file) => file !== undefined);
    } catch (error) {
      // Whatever happens to its files, the message is answered.
      if (!stop.aborted) this.#host.failed("attachments", error);
      const code = stop.aborted ? "stopped" : "unwritable";
      return attachments.map((attachment) => ({ kind: "missed", attachment, code }));
    }
  }

  async #fetch(
    request: Turn,
    owner: string,
    filesDir: string,
    stop: AbortSignal,
  ): Promise<IncomingFile[]> {
    if (request.attachments.length === 0) return [];
    // Loaded late: whoever has no files needs neither an HTTP client nor the signatures of file types.
    const { takeInAttachments } = await import("./attachments/index.ts");
    const { attachmentLimits: limits } = this.#host;
    const downloads = await this.#host.downloads();
    const signal = AbortSignal.any([stop, AbortSignal.timeout(INTAKE_TIMEOUT_MS)]);
    const place = { filesDir, downloads, limits, signal, owner };
    return [...(await takeInAttachments(request, place))];
  }

  async #read(): Promise<FilesRecord> {
    const { store, conversation } = this.#host;
    return parseFilesRecord(await store.readRecord(filesRecordKey(conversation)));
  }

  async #forget(message: string): Promise<void> {
    const { store, conversation, lease } = this.#host;
    try {
      const { record, removed } = withoutFiles(await this.#read(), message);
      if (removed.length === 0 || !lease) return;
      const { filesDir, takeBack } = await this.#host.workspace();
      const directories = removed.map((file) => path.dirname(file.path));
      await takeBack?.([...new Set(directories)]);
      await removeFiles(removed, filesDir);
      await store.writeRecord(lease, filesRecordKey(conversation), record);
    } catch (error) {
      this.#host.failed("attachments", error);
    }
  }

  /** A message without an id cannot be told from the next one of its kind. What cannot be saved is fetched again. */
  async #remember(
    messageId: string,
    user: string,
    fetched: readonly IncomingFile[],
    filesDir: string,
  ): Promise<void> {
    const { store, conversation, lease, failed } = this.#host;
    const kept = fetched.filter((file) => file.kind === "kept");
    if (kept.length === 0 || !lease) return;
    const real = await realpath(filesDir);
    const added =
      messageId === ""
        ? []
        : kept.map((file) => fileRecordOf(messageId, file, (to) => path.relative(real, to)));
    const record = withFiles(await this.#read(), user, added);
    await store
      .writeRecord(lease, filesRecordKey(conversation), record)
      .catch((error: unknown) => failed("attachments", error));
  }
}

/** With the directory that was made for each. */
async function removeFiles(files: readonly FileRecord[], filesDir: string): Promise<void> {
  for (const { path: file, textPath, rendition } of files) {
    for (const one of [file, textPath, rendition?.path]) {
      if (one === undefined) continue;
      await rm(path.join(filesDir, one), { force: true });
      await rmdir(path.join(filesDir, path.dirname(one))).catch(() => undefined);
    }
  }
}

async function lendFiles(files: readonly IncomingFile[], lending: FileLending) {
  const paths = files.flatMap((file) => {
    if (file.kind !== "kept") return [];
    return [file.path, file.textPath, file.rendition?.path].filter((one) => one !== undefined);
  });
  const nothing: LendResult = { kind: "lent", copies: new Map() };
  return paths.length === 0 ? nothing : lending.lend(paths);
}

/** The file as it was kept, if it is still there. */
async function findKept(
  attachment: Attachment,
  record: FileRecord | undefined,
  filesDir: string,
): Promise<IncomingFile | undefined> {
  if (!record) return undefined;
  const { name, contentType, bytes, textPath, rendition } = record;
  const dir = await realpath(filesDir).catch(() => filesDir);
  const file = path.join(dir, record.path);
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile() || found.size !== bytes) return undefined;
  return {
    kind: "kept",
    attachment,
    path: file,
    name,
    contentType,
    bytes,
    ...(textPath !== undefined && { textPath: path.join(dir, textPath) }),
    ...(rendition && { rendition: { ...rendition, path: path.join(dir, rendition.path) } }),
  };
}
