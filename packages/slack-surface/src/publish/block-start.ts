import { plainContext, reduceMarkdownContext } from "./markdown-context.ts";

const BLANK = /^[ \t>]*$/;

/** Where the lines begin that a place in a text has to be read with; the place itself where that is code. Pure. */
export function blockStart(text: string, at: number): number {
  let context = plainContext;
  let previous = "";
  let start = 0;
  for (let from = 0; ; ) {
    const end = text.indexOf("\n", from);
    const isLast = end < 0 || end >= at;
    const line = text.slice(from, isLast ? at : end);
    const before = context;
    context = reduceMarkdownContext(context, line, previous);
    const isApart = before.kind !== "plain" || context.kind !== "plain";
    if (isLast) {
      if (before.kind === "fence" || context.kind === "fence") return at;
      if (isApart) start = from;
      break;
    }
    previous = line;
    from = end + 1;
    if (isApart || BLANK.test(line)) start = from;
  }
  // A paragraph of a list's item would be code without the item.
  return Math.min(at, start + text.slice(start).search(/[^ \t]|$/));
}
