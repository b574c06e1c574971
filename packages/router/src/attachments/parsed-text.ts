/** Most of what a platform read out of a file that goes into a prompt, in characters. */
export const MAX_PARSED_CHARS = 200_000;

/** The beginning of a text that fits, without half a character at its end. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  const isHigh = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHigh && maxChars > 1 ? maxChars - 1 : maxChars);
}
