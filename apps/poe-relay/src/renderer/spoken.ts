import type { Segment, TurnView } from "@acp-kit/router";
import type { SpokenBlock } from "./blocks.ts";
import { type Lines, type Rendered, renderMarkdown } from "./markdown.ts";

/**
 * What an agent said or thought. Blank lines in front are left out, and blank text leaves nothing.
 *
 * @param running - More may be said behind it.
 */
export function renderSpoken(block: SpokenBlock, view: TurnView, running: boolean): Rendered {
  const text = withoutBlankStart(block.text);
  return running ? renderRunning(text, view) : renderEnded(block.first, text);
}

const ended = new WeakMap<Segment, { readonly text: string; readonly rendered: Rendered }>();

function renderEnded(first: Segment, text: string): Rendered {
  const known = ended.get(first);
  // What belongs together depends on what the reader sees, so the same beginning may have another end.
  if (known?.text === text) return known.rendered;
  const rendered = renderMarkdown(text);
  ended.set(first, { text, rendered });
  return rendered;
}

// A growing segment is a new object with every chunk, but the view's tool calls stay the same ones meanwhile. Where they
// do not, or belong to another view by now, the text is rendered from its beginning.
const linesOfRunning = new WeakMap<TurnView["tools"], Lines>();

function renderRunning(text: string, view: TurnView): Rendered {
  const lines = linesOfRunning.get(view.tools);
  const known = lines && text.startsWith(lines.source) ? lines : undefined;
  const rendered = renderMarkdown(text, true, known);
  linesOfRunning.set(view.tools, rendered.lines);
  return rendered;
}

function withoutBlankStart(text: string): string {
  return /\S/.test(text) ? text.replace(/^(?:[^\S\n]*\n)+/, "") : "";
}
