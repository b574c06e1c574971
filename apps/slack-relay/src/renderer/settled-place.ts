import type { Code, ListItem, Nodes } from "mdast";
import { openNodes } from "./open-nodes.ts";
import type { Tree } from "./parse-tree.ts";
import { placeOf } from "./patches.ts";
import { openFrom } from "./undecided.ts";

/** Deeper, in lists, items and quotes, code and tables do not settle by lines: each of those reads each line. */
const MAX_DEEP_NODES = 16;

/** Where the rest of a text begins, and what it has to be read behind. */
export type SettledPlace = {
  readonly to: number;
  readonly context: string;
  readonly marks?: number;
};

/** Up to which line's beginning a text that consists of whole lines has settled. Pure. */
export function settledTo(tree: Tree, source: string): SettledPlace | undefined {
  const open = openNodes(tree);
  const last = open.at(-1);
  if (!last) return undefined;
  const start = lineStart(source, placeOf(last).from);
  if (last.type === "paragraph" && open.length === 1) return insideOf(tree, source, start);
  return insideOfRows(open, source) ?? behindBlocks(open, source);
}

/** All but the last block, in a list too: of a quote, all has to be there. */
function behindBlocks(open: readonly Nodes[], source: string): SettledPlace {
  const depth = open.findIndex(({ type }) => type !== "list" && type !== "listItem");
  const items = open.slice(0, depth < 0 ? open.length : depth);
  const block = open.at(depth);
  const item = items.findLast((node) => node.type === "listItem");
  const [outer = block] = open.filter(({ type }) => type === "listItem");
  // A tag in a line without the spaces of its item would begin another block by itself.
  const isOwn = !block || !item || columnOf(block) >= columnOf(item.children[0] ?? item);
  const start = isOwn ? block : outer;
  const to = lineStart(source, start ? placeOf(start).from : 0);
  return { to, context: headsOf(items, source, to) };
}

function columnOf({ position }: Nodes): number {
  return position?.start.column ?? 0;
}

/** The lines of code that goes on, or the rows of a table. */
function insideOfRows(open: readonly Nodes[], source: string): SettledPlace | undefined {
  const last = open.at(-1);
  if (last?.type !== "code" && last?.type !== "table") return undefined;
  const { from, to } = placeOf(last);
  const start = lineStart(source, from);
  const isNested = open.length > 1;
  // Of what ended in a quote or a list, these may have ended as well.
  if (open.length > MAX_DEEP_NODES) return undefined;
  if (isNested && to < lineStart(source, source.length - 1)) return undefined;
  const heads = headsOf(open, source, start);
  const behind = (context: string) => ({ to: source.length, context });
  if (last.type === "code") {
    if (!isClosed(last, source)) return behind(heads + firstLines(source, start, 1));
    return isNested ? undefined : behind("");
  }
  if (!isNested) return behind(/\n[ \t]*\n$/.test(source) ? "" : firstLines(source, start, 2));
  if (open.some(({ type }) => type === "blockquote")) return undefined;
  return behind(heads + firstLines(source, start, 2));
}

/** A paragraph's last line may become the head of a table; those before it have settled when nothing is open in them. */
function insideOf(tree: Tree, source: string, start: number): SettledPlace {
  const line = lineStart(source, source.trimEnd().length - 1);
  const isOpen = line <= start || openFrom(tree, source) < source.length;
  // It would make a table's head of the line that stands for those before it.
  const isRow = /^[ \t|:-]*$/.test(source.slice(line).trimEnd());
  if (isOpen || isRow) return { to: start, context: "" };
  const { used, marks } = tree.bounds;
  const before = marks.filter((at) => at >= start && at < line).length;
  return { to: line, context: "…\n", marks: before + (start === 0 ? used : 0) };
}

/** Lines that begin the items above a line, with an empty heading in them: nothing goes on with that. */
function headsOf(open: readonly Nodes[], source: string, before: number): string {
  const heads = new Map<number, string>();
  for (const node of open) {
    if (node.type !== "listItem") continue;
    const line = lineStart(source, placeOf(node).from);
    if (line < before) heads.set(line, `${markOf(node, source, line)}#\n`);
  }
  return [...heads.values()].join("");
}

/** A line up to what is in the item that it begins. */
function markOf(item: ListItem, source: string, line: number): string {
  const { from } = placeOf(item);
  const [first] = item.children;
  const content = first ? placeOf(first).from : source.length;
  // Of the spaces before code, all but one are its own.
  const isCode = first?.type === "code" && !isFenced(first, source);
  if (!isCode && content < source.indexOf("\n", from)) return source.slice(line, content);
  const [mark = ""] = /^(?:[-+*]|\d+[.)])/.exec(source.slice(from, content)) ?? [];
  return `${source.slice(line, from)}${mark} `;
}

function isFenced(code: Code, source: string): boolean {
  return /[`~]/.test(source.charAt(placeOf(code).from));
}

/** Whether a code block has ended, and not only the text. */
function isClosed(code: Code, source: string): boolean {
  const { from, to } = placeOf(code);
  const [first = "", ...lines] = source.slice(from, to).split("\n");
  const [mark] = /^(?:`+|~+)/.exec(first) ?? [];
  if (mark === undefined) return false;
  const end = (lines.at(-1) ?? "").replace(/^[ \t>]+/, "").trim();
  return end.length >= mark.length && end === mark.charAt(0).repeat(end.length);
}

function lineStart(source: string, at: number): number {
  return source.lastIndexOf("\n", at - 1) + 1;
}

function firstLines(source: string, from: number, count: number): string {
  return `${source.slice(from).split("\n", count).join("\n")}\n`;
}
