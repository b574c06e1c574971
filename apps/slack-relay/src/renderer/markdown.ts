import { decidedTo, defuse } from "@acp-kit/slack-surface";
import { parseTree } from "./parse-tree.ts";
import { applyPatches, patchesOf } from "./patches.ts";
import { endOfStretch, escapeSigns } from "./plain-stretch.ts";
import { nothingSettled, type Settled, settle, withPlainBreaks } from "./settled.ts";
import { undecidedFrom } from "./undecided.ts";

export type Rendered = {
  readonly text: string;
  /** To go on from when the text has grown. */
  readonly settled: Settled;
};

/**
 * An agent's Markdown as it goes out: letter by letter as it was written, but nobody is mentioned, pictures are links, a
 * label does not hide where its link leads, and only addresses of the web and of mail are links. Pure.
 *
 * What was returned for a running text is the beginning of what is returned for any text that it grows into.
 *
 * @param running - More may be said: what more text could still change is left out at the end.
 * @param before - What an earlier call has settled; of use where that text is the beginning of this one.
 * @param stepUnits - See {@link settle}: the same for all that is made of a text.
 */
export function renderMarkdown(
  markdown: string,
  running: boolean,
  before: Settled = nothingSettled,
  stepUnits?: number,
): Rendered {
  const settled = settle(before, markdown, stepUnits);
  const { context, isPlain } = settled;
  const open = plainRest(markdown.slice(settled.source.length), running);
  const from = isPlain ? (endOfStretch(open) ?? open.length) : 0;
  const source = context + open.slice(from);
  const tree = parseTree(source, settled.marks);
  const end = running ? undecidedFrom(tree, source) : source.length;
  const read = applyPatches(patchesOf(tree, source), source, context.length, end);
  const rest = defuse(escapeSigns(open.slice(0, from)) + read);
  return { text: settled.text + (running ? rest.slice(0, decidedTo(rest)) : rest), settled };
}

/** A last line of which nothing says yet what it is: a block of its own, or more of the one before. */
const UNBEGUN = /^[-+*_=#~`|:<>.)\s\d]*(?:$|`{3}|~{3})/;

function plainRest(markdown: string, running: boolean): string {
  const text = withPlainBreaks(running ? markdown.replace(/[\uD800-\uDBFF\r]$/, "") : markdown);
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return running && UNBEGUN.test(line) ? text.slice(0, text.length - line.length) : text;
}
