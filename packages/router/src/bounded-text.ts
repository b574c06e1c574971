/** A text of at most `maxChars` characters; one that was cut ends in "…". */
export function boundedText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, wholeCodePoints(text, maxChars - 1))}…`;
}

/** The nearest cut at or before `end` that does not part a surrogate pair. */
export function wholeCodePoints(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end - 1 : end;
}
