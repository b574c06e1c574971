import type { Segment, TurnView } from "@acp-kit/router";
import { type Fence, noBlocks } from "./fence.ts";
import { type Lines, type Rendered, renderMarkdown } from "./markdown.ts";
import { memoized } from "./memoized.ts";

type Spoken = Extract<Segment, { kind: "text" | "thought" }>;

/** Text or thought of an agent as a block of its own. Blank lines in front are left out, and blank text leaves nothing. */
export function renderSpoken(segment: Spoken, view: TurnView): Rendered {
  return isRunning(segment, view) ? renderRunning(segment, view) : renderEnded(segment);
}

/** Text that goes on where another one was interrupted. @param fence - A code block that is open there. */
export function renderContinued(
  segment: Spoken,
  view: TurnView,
  fence: Fence | undefined,
): Rendered {
  return renderMarkdown(segment.text, isRunning(segment, view), {
    source: "",
    text: "",
    blocks: { ...noBlocks, fence },
  });
}

const renderEnded = memoized((segment: Spoken) => renderMarkdown(withoutBlankStart(segment.text)));

// A growing segment is a new object with every chunk, but the view's tool calls stay the same ones meanwhile. Where they
// do not, or belong to another view by now, the text is rendered from its beginning.
const linesOfRunning = new WeakMap<TurnView["tools"], Lines>();

function renderRunning(segment: Spoken, view: TurnView): Rendered {
  const text = withoutBlankStart(segment.text);
  const lines = linesOfRunning.get(view.tools);
  const known = lines && text.startsWith(lines.source) ? lines : undefined;
  const rendered = renderMarkdown(text, true, known);
  linesOfRunning.set(view.tools, rendered.lines);
  return rendered;
}

function isRunning(segment: Spoken, view: TurnView): boolean {
  return view.outcome === undefined && view.segments.at(-1) === segment;
}

function withoutBlankStart(text: string): string {
  return /\S/.test(text) ? text.replace(/^(?:[^\S\n]*\n)+/, "") : "";
}
