import type { Emphasis } from "@acp-kit/slack-surface";
import type { Nodes } from "mdast";
import { openNodes } from "./open-nodes.ts";
import { parseTree } from "./parse-tree.ts";
import { placeOf } from "./patches.ts";
import { walkTree } from "./walk-tree.ts";

/** A block that is longer, in lines and UTF-16 units, is not read: some take the square of their lines. */
const MAX_LINES = 512;
const MAX_UNITS = 16_384;

/**
 * Emphasis and code of Markdown that begins with a block, in the order of their beginnings; last what the last block has
 * left open. Nothing of more than 512 lines or 16,384 UTF-16 units. Pure.
 */
export function findEmphasis(markdown: string): readonly Emphasis[] {
  if (markdown.length > MAX_UNITS || markdown.split("\n", MAX_LINES + 1).length > MAX_LINES)
    return [];
  const tree = parseTree(markdown);
  const found = Array.from(walkTree(tree)).flatMap((node) => readNode(node, markdown));
  const leaf = openNodes(tree).at(-1);
  const open = leaf ? findOpen(leaf, markdown) : [];
  return [...found, ...open].sort((a, b) => a.from - b.from);
}

function readNode(node: Nodes, source: string): readonly Emphasis[] {
  if (!isEmphasis(node)) return [];
  const { from, to } = placeOf(node);
  const inside = node.type === "inlineCode" ? undefined : node.children[0];
  const behind = inside ? placeOf(inside).from : from + lengthOfRun(source, from);
  // More of its last mark would be another mark.
  return [{ from, to: to < source.length ? to : undefined, mark: source.slice(from, behind) }];
}

function isEmphasis(node: Nodes) {
  return (
    node.type === "emphasis" ||
    node.type === "strong" ||
    node.type === "delete" ||
    node.type === "inlineCode"
  );
}

const MARKS = /\\[^\n]|([*_`])\1*|~~|~$/g;

/** Marks that have no partner yet. Those within emphasis or a link that has ended will have none. */
function findOpen(leaf: Nodes, source: string): readonly Emphasis[] {
  const found: Emphasis[] = [];
  // In a table the last line is all that goes on.
  const start = leaf.type === "table" ? source.lastIndexOf("\n") + 1 : 0;
  for (const node of walkTree(leaf, (each) => isEmphasis(each) || each.type === "link")) {
    if (node.type !== "text") continue;
    const { from, to } = placeOf(node);
    for (const { 0: mark, index } of source.slice(from, to).matchAll(MARKS)) {
      const at = from + index;
      if (at >= start && mayOpen(source, at)) found.push({ from: at, to: undefined, mark });
    }
  }
  return found;
}

/** Whether a run of marks may begin emphasis, by the letters beside it. @see https://spec.commonmark.org/0.31.2/#delimiter-run */
function mayOpen(source: string, at: number): boolean {
  const sign = source.charAt(at);
  if (sign === "\\") return false;
  if (sign === "`") return true;
  let start = at;
  while (source.charAt(start - 1) === sign) start -= 1;
  const before = Array.from(source.slice(Math.max(0, start - 2), start)).at(-1) ?? " ";
  const [after] = Array.from(source.slice(start + lengthOfRun(source, start)).slice(0, 2));
  const isBehindWord = !/[\s\p{P}\p{S}]/u.test(before);
  if (sign === "_" && isBehindWord) return false;
  // More may come.
  if (after === undefined) return true;
  return !/\s/.test(after) && !(isBehindWord && /(?![*_~])[\p{P}\p{S}]/u.test(after));
}

function lengthOfRun(source: string, at: number): number {
  let end = at;
  while (source.charAt(end) === source.charAt(at)) end += 1;
  return end - at;
}
