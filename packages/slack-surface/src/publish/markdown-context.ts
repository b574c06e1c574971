/** What a text is in the middle of, at the end of a line: what has to be closed there, and opened again behind it. */
export type MarkdownContext =
  | { readonly kind: "plain" }
  | {
      readonly kind: "fence";
      /** Indentation and quote marks before the fence. */
      readonly indent: string;
      /** Its backticks or tildes. */
      readonly mark: string;
      readonly info: string;
    }
  | { readonly kind: "table"; readonly head: string };

export const plainContext: MarkdownContext = { kind: "plain" };

/** The longest that {@link closing} gives. */
export const MAX_CLOSING_CODE_POINTS = 80;

/** More of a fence's first line than this is not repeated, in code points. */
const MAX_INFO_CODE_POINTS = 32;

/** Marks, indentation included, are short: {@link MAX_CLOSING_CODE_POINTS} has room for them. */
const FENCE =
  /^([ \t]{0,16}(?:>[ \t]?){0,8}[ \t]{0,8}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?)(`{3,16}|~{3,16})(?![`~])([^\n]*)$/;
const CLOSING = /^[ \t]*(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})[ \t]*$/;
const DELIMITER_ROW = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/**
 * The context behind a line. Pure.
 *
 * @param line - Without its line break.
 * @param previous - The line before, of which a delimiter row makes a table's head.
 */
export function reduceMarkdownContext(
  context: MarkdownContext,
  line: string,
  previous: string,
): MarkdownContext {
  if (context.kind === "fence") {
    const [, mark = ""] = CLOSING.exec(line) ?? [];
    const closes = mark[0] === context.mark[0] && mark.length >= context.mark.length;
    return closes ? plainContext : context;
  }
  const [, before = "", mark, rest = ""] = FENCE.exec(line) ?? [];
  if (mark !== undefined && !(mark[0] === "`" && rest.includes("`"))) {
    const indent = before.replace(/(?:[-*+]|\d{1,9}[.)])[ \t]+$/, (item) =>
      " ".repeat(item.length),
    );
    const info = [...rest.trim()].slice(0, MAX_INFO_CODE_POINTS).join("");
    return { kind: "fence", indent, mark, info };
  }
  if (context.kind === "table") return line.trim() === "" ? plainContext : context;
  const isHead = line.includes("|") && previous.includes("|") && DELIMITER_ROW.test(line);
  return isHead ? { kind: "table", head: `${previous}\n${line}\n` } : plainContext;
}

/** The context behind the first `end` characters of a text, which end with a line or within one. Pure. */
export function contextAt(text: string, end: number): MarkdownContext {
  let context: MarkdownContext = plainContext;
  let previous = "";
  for (let from = 0; from < end; ) {
    const lineEnd = text.indexOf("\n", from);
    if (lineEnd < 0 || lineEnd >= end) break;
    const line = text.slice(from, lineEnd);
    context = reduceMarkdownContext(context, line, previous);
    previous = line;
    from = lineEnd + 1;
  }
  return context;
}

/** What goes before a text that begins in this context. */
export function reopening(context: MarkdownContext): string {
  switch (context.kind) {
    case "plain":
      return "";
    case "fence":
      return `${asItem(context.indent)}${context.mark}${context.info}\n`;
    case "table":
      return asItem(context.head);
  }
}

const TAB_COLUMNS = 4;

/**
 * A line that is far within a list, as the first of an item whose other lines stay where they are: by itself it would be
 * code.
 */
function asItem(line: string): string {
  return line.replace(
    /^((?: {0,3}>[ \t]?)*)([ \t]{4,}|[ \t]*\t[ \t]*)/,
    (_, quotes: string, deep: string) => {
      let columns = 0;
      for (const each of deep) columns += each === "\t" ? TAB_COLUMNS - (columns % TAB_COLUMNS) : 1;
      // A mark with at most four spaces.
      let marks = "";
      for (; columns > 5; columns -= 4) marks += "-   ";
      return `${quotes}${marks}${"-".padEnd(columns)}`;
    },
  );
}

/** What goes behind a text that ends in this context. */
export function closing(context: MarkdownContext, endsLine: boolean): string {
  if (context.kind !== "fence") return "";
  return `${endsLine ? "" : "\n"}${context.indent}${context.mark}`;
}
