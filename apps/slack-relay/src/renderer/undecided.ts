import type { Nodes, Root } from "mdast";
import { placeOf } from "./patches.ts";

/**
 * From where on more text could change what is made of a text; its length when nowhere. Only its last block can be
 * undecided: from the first sign on that something begins of which the end is not there yet.
 */
export function undecidedFrom(tree: Root, source: string): number {
  const leaf = lastLeaf(tree);
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
      return openMark(leaf, source, isSettled ? source.lastIndexOf("\n") + 1 : from);
    }
    case "listItem":
      return source.length;
    case "html":
      return afterLast(source, from);
    default:
      return openMark(leaf, source, from);
  }
}

/** The last block that holds text itself. */
function lastLeaf(tree: Root): Nodes | undefined {
  let node: Nodes = tree;
  while (isContainer(node)) {
    const last: Nodes | undefined = node.children.at(-1);
    if (!last) return node.type === "root" ? undefined : node;
    node = last;
  }
  return node;
}

function isContainer(node: Nodes): node is Extract<Nodes, { type: "root" | "list" }> {
  return ["root", "list", "listItem", "blockquote"].includes(node.type);
}

/** Where in a block, from a place on, something begins that has not ended. */
function openMark(leaf: Nodes, source: string, from: number): number {
  // An escape, or a reference to a letter, is no mark.
  const masked = maskEnded(leaf, source, source.slice(from), from).replace(/\\[^\n]/g, "\0\0");
  const found = masked.search(/`|<(?=[a-z/!?]|$)|~+$|!$|!\[|\\$|\[(?![^[\]]*\][^(:])/i);
  return found < 0 ? source.length : from + found;
}

/** The text of a block, with what has an end in it made unreadable. */
function maskEnded(node: Nodes, source: string, text: string, from: number): string {
  const { from: start, to } = placeOf(node);
  if (to <= from) return text;
  if (["inlineCode", "link", "image", "html"].includes(node.type)) {
    // More backticks would be another mark.
    if (node.type === "inlineCode" && to === source.length) return text;
    // Code, or a tag, that begins within a label may end behind its link.
    if (/^!?\[/.test(source.slice(start, to)) && /[`<]/.test(source.slice(start, to))) return text;
    if (to > headOfTable(source) && source.slice(start, to).includes("|")) return text;
    return text.slice(0, start - from) + "\0".repeat(to - start) + text.slice(to - from);
  }
  if (!("children" in node)) return text;
  return node.children.reduce<string>(
    (masked, child) => maskEnded(child, source, masked, from),
    text,
  );
}

/** Where the last line but one begins: the last may make a table's head of it, with cells that end within its links. */
function headOfTable(source: string): number {
  const last = source.lastIndexOf("\n");
  return last < 1 ? 0 : source.lastIndexOf("\n", last - 1) + 1;
}

/** A line of which more text may say that it is no markup. */
function afterLast(source: string, from: number): number {
  const start = Math.max(from, source.lastIndexOf("\n") + 1);
  const at = source.slice(start).search(/\S/);
  return at < 0 ? source.length : start + at;
}
