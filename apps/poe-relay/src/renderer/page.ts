import { closingLine, type Fence } from "./fence.ts";
import type { Rendered } from "./markdown.ts";

/** Blocks under each other, with an empty line between them. */
export type Page = {
  /** Pieces that are long enough to stay as they are, and what stands behind them. */
  readonly full: readonly string[];
  readonly text: string;
  /** Its last two characters: asking the whole text for them would put it together for each block. */
  readonly end: string;
  /** A code block that the last block has left open. */
  readonly fence: Fence | undefined;
  /** The tool call that the last block was about. */
  readonly lastTool: string | undefined;
};

export const EMPTY_PAGE: Page = {
  full: [],
  text: "",
  end: "",
  fence: undefined,
  lastTool: undefined,
};

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

/** All of it: the same pieces at its beginning as those of the pages that it was made of. */
export function piecesOf({ full, text }: Page): readonly string[] {
  return full.length > 0 && text === "" ? full : [...full, text];
}

// Whoever reads a text that was put together pays for all of it: so only this much is ever put together.
const PIECE_CHARS = 8_192;

function write(page: Page, added: string): Page {
  const end = (page.end + added.slice(-2)).slice(-2);
  const text = page.text + added;
  return text.length < PIECE_CHARS
    ? { ...page, text, end }
    : { ...page, full: [...page.full, text], text: "", end };
}

function gapBehind({ end }: Page): string {
  if (end === "" || end === "\n\n") return "";
  return end.endsWith("\n") ? "\n" : "\n\n";
}
