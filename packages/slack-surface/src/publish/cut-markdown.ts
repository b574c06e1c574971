import {
  behindMarks,
  closingMarks,
  type FindEmphasis,
  noEmphasis,
  openFrom,
  reopeningMarks,
} from "./emphasis.ts";
import {
  closing,
  contextAt,
  MAX_CLOSING_CODE_POINTS,
  type MarkdownContext,
  plainContext,
  reduceMarkdownContext,
  reopening,
} from "./markdown-context.ts";
import { reopeningItem } from "./ordered-item.ts";

/** A piece of a text, as a message of its own. */
export type MarkdownPiece = {
  /** Well-formed by itself: fences and emphasis are closed and opened again, heads of tables repeated. */
  readonly body: string;
  /** Where the next piece begins, in UTF-16 units of the text. */
  readonly to: number;
};

/** Smallest size that leaves room for a head, a fence and some text. */
export const MIN_PIECE_CODE_POINTS = 500;

/** What takes more of a piece than this is not repeated. */
const MAX_HEAD_SHARE = 0.5;

/**
 * The piece of a text that begins at `from`: all of the rest where it fits, else up to the best place to cut. Pure.
 *
 * Where it is cut depends only on what would fit into it: text that comes later moves no cut. Emphasis is cut only where it
 * takes more than half of a piece.
 *
 * @param maxCodePoints - At least {@link MIN_PIECE_CODE_POINTS}.
 */
export function cutMarkdown(
  text: string,
  from: number,
  maxCodePoints: number,
  find: FindEmphasis = noEmphasis,
): MarkdownPiece {
  const start = contextAt(text, from);
  const head = reopeningAt(text, from, find);
  const before = [...head].length > maxCodePoints * MAX_HEAD_SHARE ? "" : head;
  const rest = text.slice(from);
  const room = maxCodePoints - MAX_CLOSING_CODE_POINTS - [...before].length;
  const window = rest.slice(0, offsetOf(rest, room));
  const isWhole = window.length === rest.length;
  const half = from + Math.floor(window.length / 2);
  const at = from + (isWhole ? window.length : bestCut(start, window));
  const to = isWhole
    ? at
    : behindMarks(text, openFrom(text, { message: from, from: half, at }, find), find);
  const piece = text.slice(from, to);
  return { body: before + piece + closingAt(text, to, find), to };
}

/** What goes before a message that begins at a place in a text. Pure. */
export function reopeningAt(text: string, at: number, find: FindEmphasis): string {
  const context = contextAt(text, at);
  if (context.kind === "plain") return reopeningItem(text, at) + reopeningMarks(text, at, find);
  const head = reopening(context);
  const isBehindLine = text.charAt(at) === "\n" && text.charAt(at - 1) !== "\n";
  const hasRows = context.kind !== "table" || /\S/.test(lineAt(text, isBehindLine ? at + 1 : at));
  if (!hasRows) return "";
  return isBehindLine ? head.slice(0, -1) : head;
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at, end < 0 ? text.length : end);
}

/** What goes behind a message that ends at a place in a text. Pure. */
export function closingAt(text: string, at: number, find: FindEmphasis): string {
  const told = text.slice(0, at);
  const code = closing(contextBehind(plainContext, told), told === "" || told.endsWith("\n"));
  return code === "" ? closingMarks(text, at, find) : code;
}

/** The beginning of a line that would be code without the lines above, or of which the window does not show what it is. */
const DEEP = /^(?! {0,3}\S)/;

/**
 * The last good place in a window: behind a block, else behind a row or a line of code, else behind any line, each in its
 * second half, else between two letters. Before a line that is far within a list it is cut only where nothing else is.
 */
function bestCut(start: MarkdownContext, window: string): number {
  let context = start;
  let previous = "";
  const best: { block?: number; row?: number; line?: number; deep?: number } = {};
  for (let from = 0, end = window.indexOf("\n"); end >= 0; end = window.indexOf("\n", from)) {
    const line = window.slice(from, end);
    context = reduceMarkdownContext(context, line, previous);
    previous = line;
    from = end + 1;
    const isBlock = line.trim() === "";
    if (context.kind !== "plain") best.row = from;
    // The line below may make a table's head of this one.
    else if (line.includes("|")) continue;
    else if (DEEP.test(window.slice(from, from + 4))) best.deep = from;
    else best[isBlock ? "block" : "line"] = from;
  }
  const isLate = (at: number | undefined) => at !== undefined && at >= window.length / 2;
  return [best.block, best.row, best.line, best.deep].find(isLate) ?? letterCut(window);
}

/** What must not be cut: a token, an entity, a link, an address. */
const UNFINISHED =
  /(?:<[^<>\s]{0,200}|&[a-zA-Z#0-9]{0,10}|!?\[[^\]\n]{0,200}(?:\](?:\([^)\s]{0,500})?)?|https?:\/\/[^\s)]{0,500})$/;

/** Within a line: at a space where one is near, else between two letters. */
function letterCut(window: string): number {
  const near = Math.max(0, window.length - MAX_LETTER_UNITS);
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  // The last one may go on behind the window.
  const last = [...letters.segment(window.slice(near))].at(-1)?.index ?? 0;
  const whole = last > 0 ? near + last : window.length;
  const end = beforeToken(window, whole);
  const space = window.lastIndexOf(" ", end - 1) + 1;
  return space > window.length * 0.75 ? beforeToken(window, space) : end;
}

/** The place itself, or the start of what it would cut. */
function beforeToken(window: string, at: number): number {
  const start = window.slice(0, at).search(UNFINISHED);
  return start > window.length / 2 ? start : at;
}

/** A letter that is longer, in UTF-16 units, is cut: nobody writes one. */
const MAX_LETTER_UNITS = 64;

/** The context behind a text, whose last line counts though it may go on. Pure. */
export function contextBehind(start: MarkdownContext, rest: string): MarkdownContext {
  let context = start;
  let previous = "";
  for (const line of rest.split("\n")) {
    context = reduceMarkdownContext(context, line, previous);
    previous = line;
  }
  return context;
}

/** The UTF-16 offset behind so many code points. */
function offsetOf(text: string, codePoints: number): number {
  if (text.length <= codePoints) return text.length;
  let offset = 0;
  for (let count = 0; count < codePoints && offset < text.length; count += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
