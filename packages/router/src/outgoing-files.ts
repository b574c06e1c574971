import path from "node:path";
import { mapFileLinks } from "@acp-kit/acp-wire";
import { AttachScanner, type ScannedPart } from "./attachments/attach-scanner.ts";
import type { Offer, OfferPolicy } from "./attachments/offer-file.ts";
import { ownedDirectory } from "./attachments/owned-directory.ts";
import { formatRefusal, type SendRefusal } from "./attachments/refusal-words.ts";
import type { EventBody } from "./events.ts";
import { asFields } from "./fields.ts";
import { type FileContent, isFileContent, type ShownByTools } from "./file-content.ts";
import type { RouterReport, SendPolicy } from "./router.ts";
import { parseContentBlock, textEvents } from "./session-update.ts";
import type { Workspace } from "./workspace.ts";

/** How long a turn waits at its end for what it sends, in milliseconds: the files are on this machine. */
const SETTLE_TIMEOUT_MS = 60_000;

/** So many refusals of a turn are told; an agent that goes on asking is not answered any more. */
const MAX_REFUSALS = 100;

/** What may wait to be judged in a conversation, in characters: a path counts as one of the longest there is. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;
const PATH_CHARS = 4_096;

/** Longest path in a report; of a longer one its end. */
const MAX_LABEL_CHARS = 500;

/** A file of this machine that the agent wants to send. */
export type FileToSend = {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** What it is called in the chat. Default: its own name. */
  readonly name?: string;
};

/** What became of it; `message` is one sentence that is fit for chat. */
export type SendResult =
  | { readonly kind: "sent"; readonly name: string; readonly bytes: number }
  | { readonly kind: "refused"; readonly reason: SendRefusal; readonly message: string };

/** The answer for a file that does not leave. */
export function refuseFile({ path, name }: FileToSend, reason: SendRefusal): SendResult {
  return { kind: "refused", reason, message: formatRefusal(name ?? path, reason) };
}

export type OutgoingFilesHost = {
  readonly conversation: string;
  readonly policy: SendPolicy | undefined;
  readonly quotaBytes: number;
  /** The person on whose behalf it is sent. */
  readonly owner: string | undefined;
  readonly shownByTools: ShownByTools;
  workspace(): Promise<Workspace>;
  /** The path on this machine of a file that the agent names by its own. */
  toHost(path: string): string;
  record(event: EventBody): void;
  report(report: RouterReport): void;
  failed(what: string, error: unknown): void;
};

type ContentEvent = Extract<EventBody, { kind: "content" }>;
type Decide = (policy: OfferPolicy) => Promise<Offer | { readonly kind: "link" }>;

/**
 * What an agent sends beside text in one turn, or between two: by a line of its text, as content, or by a tool. Files are
 * judged and copied one after another; nobody who takes the agent's updates waits for that.
 */
export class OutgoingFiles {
  readonly turn: string | undefined;
  readonly #host: OutgoingFilesHost;
  readonly #scanner: AttachScanner | undefined;
  #allowance: OfferPolicy["allowance"] | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Refusals that were told; what waits to be judged, in characters of content. */
  #refusals = 0;
  #waitingChars = 0;
  #isOver = false;

  constructor(turn: string | undefined, host: OutgoingFilesHost) {
    this.turn = turn;
    this.#host = host;
    const { directive } = host.policy ?? {};
    if (directive !== undefined) this.#scanner = new AttachScanner(directive);
  }

  /** What is recorded for an event of the agent's now; files follow. @param update - That the event was read from. */
  take(event: EventBody, update: unknown): readonly EventBody[] {
    switch (event.kind) {
      case "text":
        return this.#scanner ? this.#show(this.#scanner.push(event.text)) : [event];
      case "content":
        return [...this.flush(), ...this.#takeContent(event, asFields(update)?.["content"])];
      case "tool-start":
        return [...this.flush(), event, ...this.#takeToolContent(update)];
      case "tool-update":
        return [event, ...this.#takeToolContent(update)];
      default:
        return [event];
    }
  }

  /** What was held back because it could have become a line that sends a file. */
  flush(): readonly EventBody[] {
    return this.#scanner ? this.#show(this.#scanner.flush()) : [];
  }

  /** Never rejects. Once it is sent its event is recorded. */
  send(file: FileToSend): Promise<SendResult> {
    return this.#queue(file.name ?? file.path, PATH_CHARS, async (policy) => {
      const { offerFile } = await import("./attachments/index.ts");
      return offerFile(this.#host.toHost(file.path), policy, file.name ?? path.basename(file.path));
    });
  }

  /** Resolves once everything is decided, or after a bounded time. */
  async settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, SETTLE_TIMEOUT_MS);
    try {
      await Promise.race([this.#last, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Nothing is recorded any more. */
  end(): void {
    this.#isOver = true;
  }

  #show(parts: readonly ScannedPart[]): readonly EventBody[] {
    return parts.flatMap((part) => {
      if (part.kind === "text") return textEvents("text", part.text);
      void this.send({ path: part.path, name: part.name }).then((result) => this.#tell(result));
      return [];
    });
  }

  #takeToolContent(update: unknown): readonly EventBody[] {
    const parts = this.#host.shownByTools.add(update);
    return parts.flatMap((block) => this.#takeFile(parseContentBlock(block), block));
  }

  #takeContent(event: ContentEvent, block: unknown): readonly EventBody[] {
    return this.#host.shownByTools.has(block) ? [] : this.#takeFile(event, block);
  }

  #takeFile(event: ContentEvent, block: unknown): readonly EventBody[] {
    if (!isFileContent(block)) return [event];
    const { name, uri = "" } = event;
    void this.#queue(name ?? uri, charsOf(block), async (policy) => {
      const { offerContent } = await import("./attachments/index.ts");
      const [mapped = block] = mapFileLinks([block], (file) => this.#host.toHost(file));
      return offerContent(mapped as typeof block, policy);
    }).then((result) => this.#tell(result));
    return [];
  }

  #tell(result: SendResult): void {
    if (result.kind === "sent" || this.#isOver || this.#refusals > MAX_REFUSALS) return;
    this.#host.record({ kind: "notice", level: "warning", text: result.message });
  }

  /**
   * @param label - What people and the operator are told of it.
   * @param chars - What it holds in memory while it waits.
   */
  #queue(label: string, chars: number, decide: Decide): Promise<SendResult> {
    const refuse = (reason: SendRefusal): SendResult => {
      const { conversation } = this.#host;
      const named = this.turn === undefined ? {} : { turn: this.turn };
      const file = label.slice(-MAX_LABEL_CHARS);
      this.#refusals += 1;
      if (this.#refusals <= MAX_REFUSALS) {
        this.#host.report({ kind: "file-refused", conversation, ...named, file, reason });
      }
      return { kind: "refused", reason, message: formatRefusal(label, reason) };
    };
    if (this.#refusals > MAX_REFUSALS || this.#waitingChars + chars > MAX_WAITING_CHARS) {
      return Promise.resolve(refuse("spent"));
    }
    this.#waitingChars += chars;
    const sent = this.#last.then(async (): Promise<SendResult> => {
      this.#waitingChars -= chars;
      try {
        return await this.#send(decide, refuse);
      } catch (error) {
        const { code } = error as { code?: unknown };
        this.#host.failed("send file", error);
        return refuse(code === "quota" ? "quota" : "unwritable");
      }
    });
    this.#last = sent;
    return sent;
  }

  async #send(decide: Decide, refuse: (reason: SendRefusal) => SendResult): Promise<SendResult> {
    const { policy, quotaBytes, conversation } = this.#host;
    if (!policy) return refuse("forbidden");
    const { keepOffered, OfferAllowance } = await import("./attachments/index.ts");
    const { cwd, filesDir } = await this.#host.workspace();
    const { maxFiles, maxFileBytes, deny } = policy;
    this.#allowance ??= new OfferAllowance({
      ...(maxFiles !== undefined && { files: maxFiles }),
      ...(maxFileBytes !== undefined && { maxFileBytes }),
    });
    const allowance = this.#allowance;
    const roots = [cwd, filesDir];
    const offer = await decide({ cwd, roots, allowance, ...(deny && { deny }) });
    if (offer.kind === "link") return refuse("path");
    if (offer.kind === "refused") return refuse(offer.reason);
    await using offered = offer;
    const { owner } = this.#host;
    const own = this.turn === undefined ? "sent" : `sent-${this.turn}`;
    const directory = owner === undefined ? own : ownedDirectory(owner, own);
    const file = await keepOffered(offered, { filesDir, directory, quotaBytes });
    if (this.#isOver) return refuse("no-turn");
    this.#host.record({ kind: "file", ...file });
    const { name, bytes, sha256 } = file;
    const named = this.turn === undefined ? {} : { turn: this.turn };
    const source = offered.path ?? "(content)";
    this.#host.report({ kind: "file-sent", conversation, ...named, file: source, bytes, sha256 });
    return { kind: "sent", name, bytes };
  }
}

function charsOf(block: FileContent): number {
  if ("data" in block) return block.data.length;
  if (block.type !== "resource") return PATH_CHARS;
  return "blob" in block.resource ? block.resource.blob.length : block.resource.text.length;
}
