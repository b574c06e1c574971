/** Blocks under each other, with an empty line between them. */
export type Page = {
  readonly text: string;
  /** The tool call that the last block was about. */
  readonly lastTool: string | undefined;
};

export const EMPTY_PAGE: Page = { text: "", lastTool: undefined };

/** An empty block leaves no trace. */
export function addBlock({ text, lastTool }: Page, block: string): Page {
  if (block === "") return { text, lastTool };
  const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  return { text: text + gap + block, lastTool: undefined };
}

/** Tool lines follow each other without an empty line. */
export function addTool(page: Page, id: string, block: string): Page {
  if (block === "") return page;
  const { text } =
    page.lastTool === undefined ? addBlock(page, block) : { text: `${page.text}\n${block}` };
  return { text, lastTool: id };
}
