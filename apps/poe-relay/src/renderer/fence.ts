/** Where a line stands between the blocks of a text. */
export type Blocks = {
  /** The code block that is open, if one is. */
  readonly fence: Fence | undefined;
  /** Columns at which the contents of the open list items begin, outermost first. */
  readonly lists: readonly number[];
};

/** A code block that is open: it ends with its mark, or with the list item that it belongs to. */
export type Fence = {
  /** Columns in front of it that belong to its list item. */
  readonly base: number;
  readonly mark: string;
  /** What stands behind the mark: most often the code's language. */
  readonly info: string;
};

export const noBlocks: Blocks = { fence: undefined, lists: [] };

/** The line that closes a code block where it was opened. */
export function closingLine({ base, mark }: Fence): string {
  return " ".repeat(base) + mark;
}

/** The line that opens a code block again, for a text without the one around it; `undefined` deep inside of lists. */
export function openingLine({ base, mark, info }: Fence): string | undefined {
  // Up to three columns may stand in front of a mark; more belong to a list item, which needs a marker.
  if (base <= 3) return " ".repeat(base) + mark + info;
  return base <= 5 ? `-${" ".repeat(base - 1)}${mark}${info}` : undefined;
}

/**
 * What a whole line is, and where the next one stands. Follows CommonMark where a wrong answer would take text for
 * code; where it cannot be sure without a parser (quotes, nested markers), the line is text.
 *
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function readLine(line: string, before: Blocks): { isCode: boolean; after: Blocks } {
  const { lists } = before;
  const block = before.fence;
  const indent = indentOf(line);
  const isBlank = line.trim() === "";
  if (block && (isBlank || indent >= block.base)) {
    return {
      isCode: true,
      after: closes(line, indent, block) ? { fence: undefined, lists } : before,
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
  const [, mark, info = ""] = openingMark.exec(content.slice(marker?.length ?? 0)) ?? [];
  const fence =
    mark === undefined ? undefined : { base: marker === undefined ? base : column, mark, info };
  return { isCode: false, after: { fence, lists: inside } };
}

const openingMark = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/s;

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
