import { capRunes } from "@acp-kit/statusline";
import { escapeFlags } from "./flags.ts";

/** Longest title in a tool line, plan entry or question, in code points: one line on most phones, two on small ones. */
export const MAX_TITLE_CODE_POINTS = 72;

/** Text of an agent as one short line: white space, control characters and what changes the direction become single spaces. */
export function oneLine(text: string, maxCodePoints: number): string {
  const start = text.slice(0, 20 * maxCodePoints); // a title can be a whole script, and is asked for again and again
  return capRunes(start.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim(), maxCodePoints);
}

/** A label as it stands in running text: nothing in it is markup, names a parameter or starts a formula. */
export function escapeLabel(label: string): string {
  return escapeFlags(label).replace(/[\\`*_~[\]<>&|$]/g, "\\$&");
}

/** A label as inline code. There are no escapes inside of it, so its own backticks become apostrophes. */
export function codeLabel(label: string): string {
  return `\`${escapeFlags(label.replaceAll("`", "'"))}\``;
}

/** Lines as a block quote. */
export function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? ">" : `> ${line}`))
    .join("\n");
}
