/** Whatever may be markup within a line. What is escaped already stays so. */
const SIGN = /\\[!-/:-@[-`{-~]|[*<[\]_`~]|(?<=\])\(/g;

/** A stretch in which no sign is markup, for any reader, whatever it takes the stretch for. Longer text only adds to it. Pure. */
export function escapeSigns(text: string): string {
  return text.replace(SIGN, (sign) => (sign.length > 1 ? sign : `\\${sign}`));
}

/**
 * Where such a stretch ends: at a line without a space in front, behind an empty one. There, nothing is open any more that
 * holds lines of other lists and quotes. `undefined` when it goes on. Pure.
 */
export function endOfStretch(text: string): number | undefined {
  const end = /(?<=\n[ \t]*\n)[^ \t\n]/.exec(text);
  return end?.index;
}
