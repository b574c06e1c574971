import { stripVTControlCharacters } from "node:util";

/** What is left behind escape sequences that Node.js knows: controls but tab and line feed, and marks that reorder text. */
const controls = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text of an app or a person without anything that a terminal would act on. */
export function harmlessText(text: string): string {
  return stripVTControlCharacters(text).replace(controls, "").replaceAll("\t", "    ");
}
