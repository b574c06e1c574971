import type { Nodes } from "mdast";
import { openNodes } from "./open-nodes.ts";
import { parseTree, type Tree } from "./parse-tree.ts";
import { placeOf } from "./patches.ts";
import { walkTree } from "./walk-tree.ts";

/**
 * From where on more text could change what is made of a text; its length when nowhere. Only its last block can be
 * undecided: from the first sign on that something begins of which the end is not there yet.
 *
 * More of a line may say that it begins no block of its own, but goes on with the one before: until the line has ended,
 * what that one has left open is open.
 */
export function undecidedFrom(tree: Tree, source: string): number {
  const before = source.slice(0, source.lastIndexOf("\n") + 1);
  const here = openFrom(tree, source);
  if (before.length === source.length || BLANK_END.test(before)) return here;
  const there = openFrom(parseTree(before, tree.bounds.used), before);
  return there < before.length ? Math.min(here, there) : here;
}

/** Nothing that has been open in a text is so behind an empty line. */
const BLANK_END = /(?:^|\n)[ \t>]*\n$/;

/** The same for a text whose last line says what it is. */
export function openFrom(tree: Tree, source: string): number {
  const leaf = openNodes(tree).at(-1);
  if (!leaf) return source.length;
  const { from } = placeOf(leaf);
  switch (leaf.type) {
    case "code":
      // The rest of its first line says whether it is one.
      return /[`~]/.test(source.charAt(from)) && !source.includes("\n", from)
        ? from
        : source.length;
    case "table": {
      // Until the line below its head has ended, all of it may turn out to be a paragraph.
      const isSettled = source.indexOf("\n", source.indexOf("\n", from) + 1) >= 0;
      return openMark(tree, leaf, source, isSettled ? source.lastIndexOf("\n") + 1 : from);
    }
    case "listItem":
      return source.length;
    case "html":
      return afterLast(source, from);
    default:
      return Math.min(openMark(tree, leaf, source, from), plainFrom(tree, source, from));
  }
}

/** Signs that begin something, or may do so once there is more. */
const MARK = /\\[^\n]|!?\[|\]|`|<(?=[a-z/!?]|$)|[!\\]$/gi;

/** Where in a block, from a place on, something begins that has not ended. */
function openMark({ bounds }: Tree, leaf: Nodes, source: string, from: number): number {
  const text = maskEnded(leaf, source, source.slice(from), from);
  const brackets: number[] = [];
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    // An escape is no mark.
    if (mark.length === 2 && mark !== "![") continue;
    if (bounds.plain.has(from + index)) continue;
    if (mark.endsWith("[")) brackets.push(from + index);
    else if (mark !== "]") return brackets[0] ?? from + index;
    else {
      // What stands behind a label says whether it is one.
      const first = brackets[0];
      brackets.pop();
      if (first !== undefined && /^(?:$|\()/.test(text.slice(index + 1, index + 2))) return first;
    }
  }
  return brackets[0] ?? source.length;
}

/** Where signs beyond the bounds begin that the next line may make cells of a table's head of, with bounds of their own. */
function plainFrom({ bounds }: Tree, source: string, from: number): number {
  const head = Math.max(from, source.trimEnd().lastIndexOf("\n") + 1);
  for (const at of bounds.plain) if (at >= head) return at;
  return source.length;
}

const ending: ReadonlySet<string> = new Set(["inlineCode", "link", "image", "html"]);

/** The text of a block, with what has an end in it made unreadable. */
function maskEnded(leaf: Nodes, source: string, text: string, from: number): string {
  let masked = text;
  for (const node of walkTree(leaf, ({ type }) => ending.has(type))) {
    const { from: start, to } = placeOf(node);
    if (to <= from || !ending.has(node.type) || !hasEnded(node, source)) continue;
    masked = masked.slice(0, start - from) + "\0".repeat(to - start) + masked.slice(to - from);
  }
  return masked;
}

function hasEnded(node: Nodes, source: string): boolean {
  const { from, to } = placeOf(node);
  const own = source.slice(from, to);
  // More backticks would be another mark.
  if (node.type === "inlineCode" && to === source.length) return false;
  // Code, or a tag, that begins within a label may end behind its link.
  if (/^!?\[/.test(own) && /[`<]/.test(own)) return false;
  // The next line may make a table's head of the last one, and cells of its parts.
  const head = source.trimEnd().lastIndexOf("\n") + 1;
  return to <= head || !(from < head || own.includes("|"));
}

/** A line of which more text may say that it is no markup. */
function afterLast(source: string, from: number): number {
  const start = Math.max(from, source.lastIndexOf("\n") + 1);
  const at = source.slice(start).search(/\S/);
  return at < 0 ? source.length : start + at;
}
