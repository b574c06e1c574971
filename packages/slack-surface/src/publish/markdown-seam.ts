import { contextBehind } from "./cut-markdown.ts";
import { closing, plainContext, reopening } from "./markdown-context.ts";

/** What a text needs where something else comes between it and its rest. */
export type MarkdownSeam = {
  readonly kind: "plain" | "fence" | "table";
  /** Goes behind the text: closes its code. */
  readonly closing: string;
  /** Goes before its rest, where that goes on with the same code or rows: whole lines. */
  readonly reopening: string;
};

/** What is open at the end of a text, which begins with nothing open. Pure. */
export function seamBehind(text: string): MarkdownSeam {
  const context = contextBehind(plainContext, text);
  return {
    kind: context.kind,
    closing: closing(context, text.endsWith("\n")),
    reopening: reopening(context),
  };
}
