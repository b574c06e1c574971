import { createHash } from "node:crypto";

/** Longest name of a kept file in bytes of UTF-8; file systems take 255. */
export const MAX_NAME_BYTES = 200;

/** What a name is made of when the given one cannot be used. */
export type NameFallback = {
  /** Where the file came from; only its digest is used. */
  readonly source: string;
  readonly contentType: string;
};

const extensions: Readonly<Record<string, string>> = {
  "application/gzip": ".gz",
  "application/json": ".json",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".ogg",
  "audio/wav": ".wav",
  "image/gif": ".gif",
  "image/heic": ".heic",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "image/webp": ".webp",
  "text/csv": ".csv",
  "text/html": ".html",
  "text/markdown": ".md",
  "text/plain": ".txt",
  "video/mp4": ".mp4",
};

/**
 * A name for a file in one directory, whatever the given name is: never empty, hidden, a path or a way out, without
 * control, invisible and direction characters, at most MAX_NAME_BYTES long with its extension kept. A name that is a
 * path is not cut to its last part but replaced, because whoever sent it meant another place.
 */
export function safeFileName(given: string, fallback: NameFallback): string {
  const name = clean(given);
  if (name !== "" && !/[/\\]/.test(given) && !/^\.+$/.test(name)) {
    return capName(name.replace(/^\./, "_."));
  }
  const digest = createHash("sha256").update(fallback.source).digest("hex").slice(0, 8);
  return `attachment-${digest}${extensionOf(fallback.contentType)}`;
}

/** With its dot; `.bin` for a type that is not known. */
export function extensionOf(contentType: string): string {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  return (Object.hasOwn(extensions, type) ? extensions[type] : undefined) ?? ".bin";
}

/**
 * The `count`th name like this one: `a.txt`, `a-2.txt`, `a-3.txt`.
 *
 * @param count - From 1.
 */
export function numberedName(name: string, count: number): string {
  if (count === 1) return name;
  const [stem, extension] = splitName(name);
  return capName(`${stem}-${count}${extension}`, `-${count}`);
}

/** A name for the directory of a message, whatever the message's id is: the id where it is harmless, else its digest. */
export function safeDirectoryName(id: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(id)) return id;
  return `m-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

function clean(name: string): string {
  return name
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .trim()
    .replace(/[. ]+$/, "");
}

/** Cuts the stem, so that extension and number stay. */
function capName(name: string, number = ""): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const [stem, extension] = splitName(name);
  const end = number + extension;
  const room = MAX_NAME_BYTES - Buffer.byteLength(end);
  if (room <= 0) return capBytes(name, MAX_NAME_BYTES);
  const own = number === "" ? stem : stem.slice(0, -number.length);
  return capBytes(own, room) + end;
}

/** The longest beginning of whole characters that fits. */
function capBytes(text: string, maxBytes: number): string {
  let end = 0;
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
}
