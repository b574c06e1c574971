/** What of a tool's output is worth sending, in bytes. */
const DEFAULT_MAX_BYTES = 8_000;

/**
 * The beginning of a text, cut between two characters, and a note of how much was left out.
 *
 * @param maxBytes - Longest text that stays whole, in bytes of UTF-8. The note comes on top.
 */
export function clipText(text: string, maxBytes: number = DEFAULT_MAX_BYTES): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  const head = bytes.toString("utf8", 0, end);
  const left = Array.from(text).length - Array.from(head).length;
  return `${head}\n…(${left} more chars truncated)`;
}
