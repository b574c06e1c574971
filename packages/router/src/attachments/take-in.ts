import { createHash } from "node:crypto";
import type { Attachment, Turn } from "../transcript.ts";
import type { Downloads } from "./downloads.ts";
import { AttachmentError, type AttachmentErrorCode } from "./errors.ts";
import { FilesDir } from "./files-dir.ts";
import type { AttachmentLimits } from "./limits.ts";
import { ownedDirectory } from "./owned-directory.ts";
import { cutText, MAX_PARSED_CHARS } from "./parsed-text.ts";
import { extensionOf, safeDirectoryName, safeFileName } from "./safe-file-name.ts";
import { unshownBecause } from "./shown-pictures.ts";
import { SNIFF_BYTES, sniffType } from "./sniff-type.ts";

/** So many files of one message are taken; what comes after is missed as `too-many`. */
const MAX_FILES = 20;

/** What became of a file that came with a message. */
export type IncomingFile =
  | {
      readonly kind: "kept";
      readonly attachment: Attachment;
      readonly path: string;
      readonly name: string;
      /** By the file's bytes, not by what was declared. */
      readonly contentType: string;
      readonly bytes: number;
      /** Where all that the platform read out of the file stands, when it is too long for a prompt. */
      readonly textPath?: string;
      /** The platform's own version, where the file itself is no picture that can be shown. */
      readonly rendition?: KeptRendition;
    }
  | {
      readonly kind: "missed";
      readonly attachment: Attachment;
      readonly code: AttachmentErrorCode;
      /** More than the code says; see AttachmentError. */
      readonly reason?: string;
    };

export type KeptRendition = {
  readonly path: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
};

/** Where the files of a message come from and go to. */
export type IntakePlace = {
  /** The conversation's own directory, outside every checkout. */
  readonly filesDir: string;
  readonly downloads: Pick<Downloads, "fetch">;
  readonly limits: AttachmentLimits;
  /** Sent over TLS to hosts that the downloads' policy names. */
  readonly bearer?: string;
  readonly signal?: AbortSignal;
  /** Whose message it is: see ownerPrefix. Default: nobody's. */
  readonly owner?: string;
};

/**
 * Fetches and keeps the files of a message, one after another, in their order. Meant for the moment when the message
 * arrives: platforms let their URLs expire. It never throws: what could not be kept is told by its code.
 */
export async function takeInAttachments(
  message: Turn,
  place: IntakePlace,
): Promise<readonly IncomingFile[]> {
  const attachments = message.attachments.filter((one) => one.url !== "");
  const [first] = attachments;
  if (!first) return [];
  const own = messageDirectory(message, first.url);
  const directory = place.owner === undefined ? own : ownedDirectory(place.owner, own);
  const incoming: IncomingFile[] = [];
  try {
    await using files = await FilesDir.open(place.filesDir, place.limits.attachmentQuotaBytes);
    for (const attachment of attachments) {
      if (incoming.length === MAX_FILES) {
        const rest = attachments.slice(MAX_FILES);
        incoming.push(
          ...rest.map((one) => ({ kind: "missed", attachment: one, code: "too-many" }) as const),
        );
        break;
      }
      incoming.push(
        await takeIn(attachment, directory, files, place).catch((error: unknown) =>
          missed(attachment, error),
        ),
      );
    }
  } catch (error) {
    return attachments.map((attachment) => missed(attachment, error));
  }
  return incoming;
}

async function takeIn(
  attachment: Attachment,
  directory: string,
  files: FilesDir,
  place: IntakePlace,
): Promise<IncomingFile> {
  const { url, name, contentType: declared, parsedContent, renditionUrl } = attachment;
  const written = await fetchInto(files, directory, { url, name, declared }, place);
  let kept: IncomingFile = { kind: "kept", attachment, ...written };
  if (renditionUrl !== undefined && unshownBecause(written, place.limits) !== undefined) {
    // The original is there all the same: without this one it has to do.
    const rendition = await fetchInto(
      files,
      directory,
      { url: renditionUrl, name: written.name, declared: "", isRendition: true },
      place,
    ).catch(() => undefined);
    if (rendition) kept = { ...kept, rendition };
  }
  if (parsedContent.length <= MAX_PARSED_CHARS) return kept;
  // Without room for its text, the beginning in the prompt has to do.
  const text = await files
    .write(
      directory,
      safeFileName(`${written.name}.txt`, { source: url, contentType: "text/plain" }),
      encode(parsedContent),
    )
    .catch(() => undefined);
  return text ? { ...kept, textPath: text.path } : kept;
}

async function fetchInto(
  files: FilesDir,
  directory: string,
  wanted: {
    readonly url: string;
    readonly name: string;
    readonly declared: string;
    /** It is named after the file that it was made of. */
    readonly isRendition?: true;
  },
  { downloads, limits, bearer, signal }: IntakePlace,
): Promise<KeptRendition> {
  const { url, isRendition } = wanted;
  await using download = await downloads.fetch({
    url,
    maxBytes: limits.maxAttachmentBytes,
    ...(bearer === undefined ? {} : { bearer }),
    ...(signal ? { signal } : {}),
  });
  const declared = wanted.declared === "" ? download.contentType : wanted.declared;
  const given = wanted.name === "" ? (download.name ?? "") : wanted.name;
  const name = safeFileName(isRendition ? `${given}${extensionOf(declared)}` : given, {
    source: url,
    contentType: declared,
  });
  const head = new Head();
  const written = await files.write(directory, name, head.watch(download.body));
  return { ...written, contentType: await sniffType(head.bytes, declared) };
}

async function* encode(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const piece = cutText(text.slice(at), MAX_PARSED_CHARS);
    at += piece.length;
    yield Buffer.from(piece);
  }
}

/** A message without an id is told apart by what it says. */
function messageDirectory({ messageId, content }: Turn, firstUrl: string): string {
  if (messageId !== "") return safeDirectoryName(messageId);
  const digest = createHash("sha256")
    .update(content === "" ? firstUrl : content)
    .digest("hex");
  return `anon-${digest.slice(0, 8)}`;
}

function missed(attachment: Attachment, error: unknown): IncomingFile {
  if (!(error instanceof AttachmentError))
    return { kind: "missed", attachment, code: "unwritable" };
  const { code, reason } = error;
  return { kind: "missed", attachment, code, ...(reason !== undefined && { reason }) };
}

/** Remembers the beginning of a stream that passes. */
class Head {
  #bytes = Buffer.alloc(0);

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  async *watch(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      const missing = SNIFF_BYTES - this.#bytes.length;
      if (missing > 0) this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, missing)]);
      yield chunk;
    }
  }
}
