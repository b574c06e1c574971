import { closingLine, type Fence } from "./fence.ts";
import type { Rendered } from "./markdown.ts";

/** Blocks under each other, with an empty line between them. */
export type Page = {
  readonly text: string;
  /** Its last two characters: asking the whole text for them would put it together for each block. */
  readonly end: string;
  /** A code block that the last block has left open. */
  readonly fence: Fence | undefined;
  /** The tool call that the last block was about. */
  readonly lastTool: string | undefined;
};

export const EMPTY_PAGE: Page = { text: "", end: "", fence: undefined, lastTool: undefined };

/** An empty block leaves no trace. */
export function addBlock(page: Page, block: string): Page {
  if (block === "") return page;
  const closed = closeFence(page);
  return { ...write(closed, gapBehind(closed) + block), lastTool: undefined };
}

/** Tool lines follow each other without an empty line. */
export function addTool(page: Page, id: string, block: string): Page {
  if (block === "") return page;
  const added = page.lastTool === undefined ? addBlock(page, block) : write(page, `\n${block}`);
  return { ...added, lastTool: id };
}

export function addText(page: Page, { text, fence }: Rendered): Page {
  return text === "" ? page : { ...addBlock(page, text), fence };
}

/** What stands below an open code block would be read as code. */
export function closeFence(page: Page): Page {
  if (!page.fence) return page;
  const gap = page.end.endsWith("\n") ? "" : "\n";
  return { ...write(page, gap + closingLine(page.fence)), fence: undefined };
}

function write(page: Page, text: string): Page {
  return { ...page, text: page.text + text, end: (page.end + text.slice(-2)).slice(-2) };
}

function gapBehind({ end }: Page): string {
  if (end === "" || end === "\n\n") return "";
  return end.endsWith("\n") ? "\n" : "\n\n";
}
