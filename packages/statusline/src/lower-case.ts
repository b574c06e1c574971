import { capRunes } from "./cap-runes.ts";

/**
 * Lower case, one code point for one, as Go does it. `toLowerCase` on the whole text would turn a final Σ into ς
 * and İ into two code points, so that a name's length and look depended on more than its letters.
 */
export function lowerCase(text: string): string {
  return Array.from(text, (rune) => capRunes(rune.toLowerCase(), 1)).join("");
}
