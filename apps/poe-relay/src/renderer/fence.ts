/** Where a line stands between the blocks of a text. */
export type Blocks = {
  /** The code block that is open, if one is. */
  readonly fence: Fence | undefined;
  /** Columns at which the contents of the open list items begin, outermost first. */
  readonly lists: readonly number[];
};

/** A code block that is open: it ends with its mark, or with the list item that it belongs to. */
export type Fence = { readonly base: number; readonly mark: string };

export const noBlocks: Blocks = { fence: undefined, lists: [] };

/** The line that closes a code block where it was opened. */
export function closingLine({ base, mark }: Fence): string {
  return " ".repeat(base) + mark;
}

/**
 * What a whole line is, and where the next one stands. Follows CommonMark where a wrong answer would take text for
 * code; where it cannot be sure without a parser (quotes, nested markers), the line is text.
 *
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function readLine(line: string, before: Blocks): { isCode: boolean; after: Blocks } {
  const { fence, lists } = before;
  const indent = indentOf(line);
  const isBlank = line.trim() === "";
  if (fence && (isBlank || indent >= fence.base)) {
    return {
      isCode: true,
      after: closes(line, indent, fence) ? { fence: undefined, lists } : before,
    };
  }
  if (isBlank) return { isCode: false, after: before };
  const open = lists.filter((column) => column <= indent);
  const base = open.at(-1) ?? 0;
  // Four columns and more are an indented block, or the rest of a paragraph.
  if (indent - base > 3) return { isCode: false, after: { fence: undefined, lists: open } };
  const content = line.slice(line.search(/\S/));
  const [marker] = /^(?:[-*+]|\d{1,9}[.)])[ ]{1,4}(?=\S)/.exec(content) ?? [];
  const column = indent + (marker?.length ?? 0);
  const inside = marker === undefined ? open : [...open, column];
  const mark = openingMark(content.slice(marker?.length ?? 0));
  const opened =
    mark === undefined ? undefined : { base: marker === undefined ? base : column, mark };
  return { isCode: false, after: { fence: opened, lists: inside } };
}

function openingMark(content: string): string | undefined {
  const [, backticks, tildes] = /^(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(content) ?? [];
  return backticks ?? tildes;
}

function closes(line: string, indent: number, { base, mark }: Fence): boolean {
  const rest = line.trim();
  return (
    indent - base <= 3 && rest.length >= mark.length && rest === mark.charAt(0).repeat(rest.length)
  );
}

/** Columns of white space in front; a tab goes to the next multiple of four. */
function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === "\t") columns += 4 - (columns % 4);
    else if (char === " ") columns += 1;
    else break;
  }
  return columns;
}
