import { defuse } from "@acp-kit/slack-surface";
import type { Code } from "mdast";
import { parseTree, type Tree } from "./parse-tree.ts";
import { applyPatches, patchesOf, placeOf } from "./patches.ts";
import { openFrom } from "./undecided.ts";

/** What was made of the beginning of a text: more text does not change it. */
export type Settled = {
  /** The beginning itself: whole lines, as they came. */
  readonly source: string;
  readonly text: string;
  /** Lines that the rest has to be read behind, such as those that opened a code block. */
  readonly context: string;
  /** Signs of markup in the block that the context stands for the beginning of. */
  readonly marks: number;
  /** Whole lines, as they came, that have shown that: the source is their beginning. */
  readonly seen: string;
};

export const nothingSettled: Settled = { source: "", text: "", context: "", marks: 0, seen: "" };

/** Takes in what has settled since; of a text that goes on otherwise, all. Whole blocks are, of a list whole items, of code and tables whole lines. Pure. */
export function settle(known: Settled, markdown: string): Settled {
  const before = markdown.startsWith(known.seen) ? known : nothingSettled;
  const end = markdown.lastIndexOf("\n") + 1;
  if (end <= before.seen.length) return before;
  const seen = markdown.slice(0, end);
  const raw = seen.slice(before.source.length);
  const source = before.context + withPlainBreaks(raw);
  const tree = parseTree(source, before.marks);
  const place = settledTo(tree, source);
  const from = before.context.length;
  if (place === undefined || place.to <= from) return { ...before, seen };
  const text = defuse(applyPatches(patchesOf(tree, source), source, from, place.to));
  return {
    source: markdown.slice(0, before.source.length + endOfLine(raw, source.slice(from, place.to))),
    text: before.text + text,
    context: place.context,
    marks: place.marks ?? 0,
    seen,
  };
}

/** With one kind of line break, and without halves of letters. */
export function withPlainBreaks(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").toWellFormed();
}

type Place = { readonly to: number; readonly context: string; readonly marks?: number };

/** Up to which line's beginning a text that consists of whole lines has settled. */
function settledTo(tree: Tree, source: string): Place | undefined {
  const last = tree.children.at(-1);
  if (!last) return undefined;
  const start = lineStart(source, placeOf(last).from);
  const behind = (lines: string): Place => ({ to: source.length, context: lines });
  switch (last.type) {
    case "code":
      if (!/[`~]/.test(source.charAt(placeOf(last).from))) return { to: start, context: "" };
      return behind(isClosed(last, source) ? "" : firstLines(source, start, 1));
    case "table":
      return behind(/\n[ \t]*\n$/.test(source) ? "" : firstLines(source, start, 2));
    case "list": {
      const item = last.children.at(-1);
      return { to: item ? lineStart(source, placeOf(item).from) : start, context: "" };
    }
    case "paragraph":
      return insideOf(tree, source, start);
    default:
      return { to: start, context: "" };
  }
}

/** A paragraph's last line may become the head of a table; those before it have settled when nothing is open in them. */
function insideOf(tree: Tree, source: string, start: number): Place {
  const line = lineStart(source, source.trimEnd().length - 1);
  const isOpen = line <= start || openFrom(tree, source) < source.length;
  // It would make a table's head of the line that stands for those before it.
  const isRow = /^[ \t|:-]*$/.test(source.slice(line).trimEnd());
  if (isOpen || isRow) return { to: start, context: "" };
  const { used, marks } = tree.bounds;
  const before = marks.filter((at) => at >= start && at < line).length;
  return { to: line, context: "…\n", marks: before + (start === 0 ? used : 0) };
}

/** Whether a code block has ended, and not only the text. */
function isClosed(code: Code, source: string): boolean {
  const { from, to } = placeOf(code);
  const [first = "", ...lines] = source.slice(from, to).split("\n");
  const [mark = ""] = /^(?:`+|~+)/.exec(first) ?? [];
  const end = lines.at(-1)?.trim() ?? "";
  return end.length >= mark.length && end === mark.charAt(0).repeat(end.length);
}

function lineStart(source: string, at: number): number {
  return source.lastIndexOf("\n", at - 1) + 1;
}

function firstLines(source: string, from: number, count: number): string {
  return `${source.slice(from).split("\n", count).join("\n")}\n`;
}

/** Where in a text the line breaks have been passed that its plain form has. */
function endOfLine(raw: string, plain: string): number {
  if (!raw.includes("\r")) return plain.length;
  const ends = /\r\n?|\n/g;
  for (let count = plain.split("\n").length; count > 1; count -= 1) ends.exec(raw);
  return ends.lastIndex;
}
