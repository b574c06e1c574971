import type { Nodes, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** A message as an app's user reads it: its Markdown, in order. */
export type Delivered = readonly string[];

/**
 * The text of messages as one, without what belongs to no text of the agent: white space, tools, thoughts, heads of tables and
 * fences that a message only repeats.
 */
export function readDelivered(messages: Delivered): string {
  let head = "";
  let text = "";
  for (const markdown of messages) {
    const { children } = parse(markdown);
    for (const [at, child] of children.entries()) {
      const said = textOf(child);
      if (/tool-\w+-\d/.test(said)) continue;
      if (child.type === "table") {
        const own = headOf(child);
        text += at === 0 && own === head ? said.slice(own.length) : said;
        head = own;
      } else {
        text += said;
        head = "";
      }
    }
  }
  return text.replaceAll(THOUGHT, "");
}

/** It may be in two messages. */
const THOUGHT = /Thinking…thinkingabouts\d-\d/g;

/** What a Markdown text says, without white space. */
export function readMarkdown(markdown: string): string {
  return parse(markdown).children.map(textOf).join("");
}

/** Pure. */
export function parse(markdown: string) {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function headOf(table: Table): string {
  const [row] = table.children;
  return row ? textOf(row) : "";
}

function textOf(node: Nodes): string {
  if ("value" in node) return node.value.replaceAll(/[\s\u2060]+/g, "");
  return "children" in node ? node.children.map(textOf).join("") : "";
}
