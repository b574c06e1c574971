import { escapeFlags } from "./flags.ts";

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
