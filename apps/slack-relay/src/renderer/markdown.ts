import { decidedTo, defuse } from "@acp-kit/slack-surface";
import { parseTree } from "./parse-tree.ts";
import { patchesOf } from "./patches.ts";
import { undecidedFrom } from "./undecided.ts";

/**
 * An agent's Markdown as it goes out: letter by letter as it was written, but nobody is mentioned, pictures are links, a
 * label does not hide where its link leads, and only addresses of the web and of mail are links. Pure.
 *
 * @param running - More may be said: what more text could still change is left out at the end.
 */
export function renderMarkdown(markdown: string, running: boolean): string {
  const source = normalized(markdown, running);
  const tree = parseTree(source);
  const end = running ? undecidedFrom(tree, source) : source.length;
  let text = "";
  let from = 0;
  for (const patch of patchesOf(tree, source)) {
    if (patch.to > end || patch.from < from) continue;
    text += source.slice(from, patch.from) + patch.text;
    from = patch.to;
  }
  text = defuse(text + source.slice(from, end));
  return running ? text.slice(0, decidedTo(text)) : text;
}

/** A last line of which nothing says yet what it is: a block of its own, or more of the one before. */
const UNBEGUN = /^[-+*_=#~`|:<>.)\s\d]*(?:$|`{3}|~{3})/;

/** With one kind of line break, and without halves of letters. */
export function normalized(markdown: string, running: boolean): string {
  const whole = running ? markdown.replace(/[\uD800-\uDBFF\r]$/, "") : markdown;
  const text = whole.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").toWellFormed();
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return running && UNBEGUN.test(line) ? text.slice(0, text.length - line.length) : text;
}
