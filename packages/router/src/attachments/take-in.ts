import { createHash } from "node:crypto";
import type { Attachment, Turn } from "../transcript.ts";
import type { Downloads } from "./downloads.ts";
import { AttachmentError, type AttachmentErrorCode } from "./errors.ts";
import { FilesDir } from "./files-dir.ts";
import type { AttachmentLimits } from "./limits.ts";
import { ownedDirectory } from "./owned-directory.ts";
import { cutText, MAX_PARSED_CHARS } from "./parsed-text.ts";
import { safeDirectoryName, safeFileName } from "./safe-file-name.ts";
import { SNIFF_BYTES, sniffType } from "./sniff-type.ts";

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
    }
  | {
      readonly kind: "missed";
      readonly attachment: Attachment;
      readonly code: AttachmentErrorCode;
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
  { downloads, limits, bearer, signal }: IntakePlace,
): Promise<IncomingFile> {
  const { url, parsedContent } = attachment;
  await using download = await downloads.fetch({
    url,
    maxBytes: limits.maxAttachmentBytes,
    ...(bearer === undefined ? {} : { bearer }),
    ...(signal ? { signal } : {}),
  });
  const declared = attachment.contentType === "" ? download.contentType : attachment.contentType;
  const name = safeFileName(attachment.name, { source: url, contentType: declared });
  const head = new Head();
  const written = await files.write(directory, name, head.watch(download.body));
  const contentType = await sniffType(head.bytes, declared);
  const kept = { kind: "kept", attachment, contentType, ...written } as const;
  if (parsedContent.length <= MAX_PARSED_CHARS) return kept;
  // The original is there all the same: without room for its text, the beginning in the prompt has to do.
  const text = await files
    .write(
      directory,
      safeFileName(`${written.name}.txt`, { source: url, contentType: "text/plain" }),
      encode(parsedContent),
    )
    .catch(() => undefined);
  return text ? { ...kept, textPath: text.path } : kept;
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
  const code = error instanceof AttachmentError ? error.code : "unwritable";
  return { kind: "missed", attachment, code };
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
