import { fileTypeFromBuffer } from "file-type";

/** So many bytes of the beginning tell a file's type. */
export const SNIFF_BYTES = 4100;

/** Types of containers: what is inside is only told by the declared type. */
const containers = new Set([
  "application/gzip",
  "application/x-cfb",
  "application/xml",
  "application/zip",
]);

/**
 * The type of a file by its first bytes, or as declared where the bytes tell nothing and do not contradict: what is not
 * an image by its bytes is never called one.
 *
 * @param head - The first SNIFF_BYTES bytes, or the whole file.
 * @param declared - What the platform or server said; may be empty.
 */
export async function sniffType(head: Uint8Array, declared: string): Promise<string> {
  const claim = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found && containers.has(found.mime)) {
    return claim.startsWith("application/") || claim === "image/svg+xml" ? claim : found.mime;
  }
  if (found) return found.mime;
  if (!looksLikeText(head)) return /^(?:application|font)\//.test(claim) ? claim : BINARY;
  const isTextual = /^(?:text\/|application\/|image\/svg\+xml$)/.test(claim);
  return isTextual && claim !== BINARY ? claim : "text/plain";
}

const BINARY = "application/octet-stream";

/** True for UTF-8 without control characters that no text has; the last character may be cut. */
function looksLikeText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells binary data.
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
