/**
 * Longest mood, plan or model label in code points. Chat on a phone has room for little more on one line.
 */
export const MAX_FIELD_RUNES = 12;

/**
 * Longest activity label ("Thinking", a tool's title) in code points, for relays that show one behind the
 * {@link segments}. Nothing in this package applies it; pass it to {@link capRunes}.
 */
export const MAX_ACTIVITY_RUNES = 36;

/**
 * The first `max` code points of `text`, without an ellipsis: at these widths it would cost a letter.
 *
 * Counts code points ("runes"), neither UTF-16 units nor what a reader sees as one character: a surrogate pair
 * is never split, but an emoji joined from several, or a letter with a combining mark, may be. A lone surrogate
 * counts as one and stays as it is. Nothing is trimmed. Reads no more of `text` than it returns.
 *
 * @param max - Upper bound in code points. Zero, negative numbers and NaN give `""`.
 * @returns `""` also when `text` is not a string or `max` not a number. Never throws.
 */
export function capRunes(text: string, max: number): string {
  if (typeof text !== "string" || typeof max !== "number") return "";
  let capped = "";
  let room = max;
  for (const rune of text) {
    if (!(room >= 1)) break; // so put that NaN stops as well
    room -= 1;
    capped += rune;
  }
  return capped;
}
