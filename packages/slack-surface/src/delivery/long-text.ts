import { contextBehind } from "../publish/cut-markdown.ts";
import { closing, contextAt, plainContext, reopening } from "../publish/markdown-context.ts";

/** How much of a text is shown in messages, in UTF-16 units, up to the end of the line that reaches it. */
export const MAX_SHOWN_UNITS = 36_000;

/** A line that goes on for longer behind that is cut. */
const MAX_LINE_UNITS = 2_000;

export type LongText = {
  /** What messages show of it. Of a text that grows it only grows. */
  readonly shown: string;
  readonly rest?: {
    /** Well-formed by itself: a fence is opened again, the head of a table repeated. */
    readonly markdown: string;
    /** What follows `shown` for it to be well-formed. */
    readonly closing: string;
    readonly units: number;
  };
};

/** Divides what would be too many messages. Pure. */
export function divideLongText(text: string): LongText {
  const at = endOfShown(text);
  if (at >= text.length) return { shown: text };
  const shown = text.slice(0, at);
  const context = contextBehind(plainContext, shown);
  return {
    shown,
    rest: {
      markdown: reopening(contextAt(text, at)) + text.slice(at),
      closing: closing(context, shown.endsWith("\n")),
      units: text.length - at,
    },
  };
}

function endOfShown(text: string): number {
  if (text.length <= MAX_SHOWN_UNITS) return text.length;
  const most = MAX_SHOWN_UNITS + MAX_LINE_UNITS;
  const end = text.indexOf("\n", MAX_SHOWN_UNITS);
  if (end >= 0 && end < most) return end + 1;
  if (text.length <= most) return text.length;
  const isInLetter = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return isInLetter ? most - 1 : most;
}
