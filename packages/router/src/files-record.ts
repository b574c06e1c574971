import type { IncomingFile, KeptRendition } from "./attachments/take-in.ts";
import { hashId } from "./divergence.ts";
import { asFields } from "./fields.ts";
import type { Attachment, Turn } from "./transcript.ts";

/** A file of a message that was kept, so that it is not fetched again. */
export type FileRecord = {
  /** Digests: a URL may be a secret, and an id may be long. */
  readonly message: string;
  readonly url: string;
  /** Below the conversation's directory of files. */
  readonly path: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly textPath?: string;
  /** Its path is below that directory too. */
  readonly rendition?: KeptRendition;
};

/** What is kept over restarts of a conversation's files. */
export type FilesRecord = {
  /** Newest last. */
  readonly files: readonly FileRecord[];
  /** Whose files they are. The ids stand here as they are, so that whoever erases a person finds them. */
  readonly people: readonly { readonly who: string }[];
};

/** How much is remembered, so that a record stays below {@link import("./store.ts").MAX_RECORD_BYTES}. */
const MAX_FILES_BYTES = 40 * 1024;
const MAX_PEOPLE = 32;
const MAX_ID_CHARS = 100;

const empty: FilesRecord = { files: [], people: [] };

export function filesRecordKey(conversation: string): string {
  return `files:${conversation}`;
}

/** What an unreadable record would tell is fetched again. */
export function parseFilesRecord(value: unknown): FilesRecord {
  const fields = asFields(value);
  const isRecord = Array.isArray(fields?.["files"]) && Array.isArray(fields["people"]);
  return isRecord ? (value as FilesRecord) : empty;
}

/** The record with the files of a person's message; the oldest ones are forgotten. */
export function withFiles(
  record: FilesRecord,
  user: string,
  added: readonly FileRecord[],
): FilesRecord {
  const who = boundedId(user);
  const files = [...record.files, ...added];
  while (Buffer.byteLength(JSON.stringify(files)) > MAX_FILES_BYTES) files.shift();
  const others = record.people.filter((one) => one.who !== who);
  return { files, people: [...others, { who }].slice(-MAX_PEOPLE) };
}

/** The record without the files of a message that was taken back, and those files. @param message - Its id. */
export function withoutFiles(
  record: FilesRecord,
  message: string,
): { readonly record: FilesRecord; readonly removed: readonly FileRecord[] } {
  const id = hashId(message);
  const removed = record.files.filter((one) => one.message === id);
  return {
    record: { ...record, files: record.files.filter((one) => one.message !== id) },
    removed,
  };
}

/**
 * The newest record of just this file. It may have come with another message of the transcript, which is to be run
 * again; elsewhere the same URL may stand for something else by now.
 */
export function findFile(
  { files }: FilesRecord,
  query: readonly Turn[],
  { url }: Attachment,
): FileRecord | undefined {
  const messages = new Set(
    query
      .filter(
        ({ messageId, attachments }) =>
          messageId !== "" && attachments.some((one) => one.url === url),
      )
      .map(({ messageId }) => hashId(messageId)),
  );
  const wanted = hashId(url);
  return files.findLast((one) => one.url === wanted && messages.has(one.message));
}

/** @param relative - The path below the conversation's directory of files. */
export function fileRecordOf(
  messageId: string,
  file: Extract<IncomingFile, { kind: "kept" }>,
  relative: (path: string) => string,
): FileRecord {
  const { attachment, name, contentType, bytes, textPath, rendition } = file;
  return {
    message: hashId(messageId),
    url: hashId(attachment.url),
    path: relative(file.path),
    name,
    contentType,
    bytes,
    ...(textPath !== undefined && { textPath: relative(textPath) }),
    ...(rendition && { rendition: { ...rendition, path: relative(rendition.path) } }),
  };
}

/** True when somebody else's files are among those that the conversation keeps. */
export function hasForeignFiles({ people }: FilesRecord, user: string): boolean {
  const own = boundedId(user);
  return people.some(({ who }) => who !== own);
}

function boundedId(user: string): string {
  return user.length <= MAX_ID_CHARS ? user : hashId(user);
}
