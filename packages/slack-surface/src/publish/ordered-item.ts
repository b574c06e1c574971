import { blockStart } from "./block-start.ts";

const NUMBERED = /^ {0,3}(\d{1,9}[.)])[ \t]/;
const ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]/;

/**
 * What goes before a message that begins within an item of an ordered list: its number. Without it the item would be a
 * paragraph, which none of the items behind can end. Pure.
 */
export function reopeningItem(text: string, at: number): string {
  const start = blockStart(text, at);
  const isNext = text.charAt(at - 1) === "\n" && ITEM.test(text.slice(at, at + 32));
  if (start >= at || isNext) return "";
  let number = "";
  for (const [nth, line] of text.slice(start, at).split("\n").entries()) {
    const [, found = ""] = NUMBERED.exec(line) ?? [];
    // A list that begins with another number begins no list below a paragraph.
    if (found !== "" && (nth === 0 || number !== "" || /^1\D/.test(found))) number = found;
  }
  return number === "" ? "" : `${number} `;
}
