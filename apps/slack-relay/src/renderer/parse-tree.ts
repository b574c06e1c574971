import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/**
 * What is not read: addresses in running text, which the platform finds by itself; boxes of tasks, on some of which the
 * reader throws in development; and what is written in one place and
 * acts in another, as link definitions do, since the other place may have been told already.
 */
const unread = [
  "tasklistCheck",
  "definition",
  "wwwAutolink",
  "protocolAutolink",
  "emailAutolink",
  "gfmFootnoteDefinition",
  "gfmFootnoteCall",
  "gfmPotentialFootnoteCall",
];

/** Extensions of trees that change one after it was made move nodes away from their places in the text. */
const mdastExtensions = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension);

const extensions = [gfm({ singleTilde: false }), { disable: { null: unread } }];

/** Markdown as a tree, with tables and strikethrough; each node knows its place in the text. Pure. */
export function parseTree(markdown: string): Root {
  return fromMarkdown(markdown, { extensions, mdastExtensions });
}
