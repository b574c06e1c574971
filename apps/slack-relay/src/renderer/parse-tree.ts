import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { type Bounds, createBounds } from "./bounds.ts";

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

export type Tree = Root & { readonly bounds: Bounds };

/**
 * Markdown as a tree, with tables and strikethrough; each node knows its place in the text. Signs beyond `bounds` are
 * letters, as pairing them takes the square of their number. Pure.
 *
 * Takes the square of the lines of some texts, such as a long paragraph in a list: of what may be long, `settle` gives
 * it some lines at once.
 *
 * @param used - Signs of markup that the first block had before this text began.
 */
export function parseTree(markdown: string, used = 0): Tree {
  const { extension, bounds } = createBounds(markdown, used);
  const tree = fromMarkdown(markdown, { extensions: [...extensions, extension], mdastExtensions });
  return { ...tree, bounds };
}
