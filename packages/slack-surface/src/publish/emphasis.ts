import { blockStart } from "./block-start.ts";
import { JOINER } from "./defuse.ts";
import { reopeningItem } from "./ordered-item.ts";

/** A stretch of emphasis or code in a text, by UTF-16 offsets. */
export type Emphasis = {
  readonly from: number;
  /** Behind its last mark; without it, more text may end it. */
  readonly to: number | undefined;
  /** The marks that it begins with. */
  readonly mark: string;
};

/** All emphasis and code of blocks, in the order of their beginnings. Pure. */
export type FindEmphasis = (markdown: string) => readonly Emphasis[];

/** For who does not look. */
export const noEmphasis: FindEmphasis = () => [];

/** The longest marks that are closed and opened again, in UTF-16 units. */
const MAX_MARKS_UNITS = 24;

const MARK = /[*_~`]/;
const BLOCK_END = /\n[ \t>]*(?:\n|$)/;

/**
 * Where emphasis begins that may go on behind a place in a text; that place where none does. Pure.
 *
 * @param message - Where the message begins that the place is in.
 * @param from - What began before is not looked for.
 */
export function openFrom(
  text: string,
  { message, from, at }: { readonly message: number; readonly from: number; readonly at: number },
  find: FindEmphasis,
): number {
  const first = blockStart(text, at);
  const start = Math.max(message, first);
  const block = text.slice(start, at);
  if (!MARK.test(block)) return at;
  // In the middle of a line nothing is a block of its own.
  const before = start > first ? `${reopeningItem(text, start)}…` : "";
  for (const each of find(before + block)) {
    const place = start + each.from - before.length;
    if (each.to === undefined && place >= from) return place;
  }
  return at;
}

/** The place itself, or behind the last marks of the emphasis whose words end there. Pure. */
export function behindMarks(text: string, at: number, find: FindEmphasis): number {
  const ending = emphasisAt(text, at, find).filter(({ to, mark }) => at >= to - mark.length);
  return ending[0]?.to ?? at;
}

/** What goes behind a message that ends at a place in a text: it closes the emphasis around it. Pure. */
export function closingMarks(text: string, at: number, find: FindEmphasis): string {
  const marks = marksAt(text, at, find).toReversed().join("");
  return marks !== "" && /\s/.test(text.charAt(at - 1)) ? JOINER + marks : marks;
}

/** What goes before a message that begins at a place in a text: it opens that emphasis again, and begins no block. Pure. */
export function reopeningMarks(text: string, at: number, find: FindEmphasis): string {
  const marks = marksAt(text, at, find).join("");
  if (marks !== "") return /\s/.test(text.charAt(at)) ? marks + JOINER : marks;
  const isInLine = at > 0 && text.charAt(at - 1) !== "\n";
  return isInLine && seemsToBegin(text, at) ? JOINER : "";
}

/** Of the emphasis that a place in a text is in the middle of, outermost first; none where they are too long. */
function marksAt(text: string, at: number, find: FindEmphasis): readonly string[] {
  const marks = emphasisAt(text, at, find).map(({ mark }) => mark);
  return marks.join("").length > MAX_MARKS_UNITS ? [] : marks;
}

function emphasisAt(text: string, at: number, find: FindEmphasis) {
  if (at >= text.length) return [];
  const start = blockStart(text, at);
  if (!MARK.test(text.slice(start, at))) return [];
  const end = text.slice(at).search(BLOCK_END);
  const block = `${text.slice(start, end < 0 ? text.length : at + end)}\n`;
  return find(block)
    .map(({ from, to = 0, mark }) => ({ from: start + from, to: start + to, mark }))
    .filter(({ from, to }) => from < at && at < to);
}

/** What is a block at the beginning of a message, though it was none in its line. */
const LIKE_BLOCK =
  /^(?: {4}|[ \t]*(?:\t|[-+*](?:\s|$)|-{2}|_{3}|#|>|=|\||~{3}|`{3}|\d{1,9}(?:[.)]|$)))/;

function seemsToBegin(text: string, at: number): boolean {
  const rest = text.slice(at, at + 32);
  // Behind a letter, not each mark may begin emphasis.
  return (
    LIKE_BLOCK.test(rest) || (/^[*_~]/.test(rest) && /[^\s\p{P}\p{S}]/u.test(text.charAt(at - 1)))
  );
}
