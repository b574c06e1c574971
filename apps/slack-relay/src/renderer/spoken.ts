import { isSentenceSeam } from "@acp-kit/relay";
import { type MarkdownSeam, seamBehind } from "@acp-kit/slack-surface";
import { quote } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Settled } from "./settled.ts";

/** What an agent said or thought, as one text, also where something unseen came between its pieces. */
export type Spoken = {
  readonly kind: "text" | "thought";
  readonly text: string;
  /** What was open where something else came between this text and the one before. */
  readonly seam: MarkdownSeam | undefined;
};

/** What was rendered of a text that goes on. */
export type Known = { readonly markdown: Settled | undefined; readonly quoted: Quoted };

type Quoted = { readonly source: string; readonly text: string };

export const nothingKnown: Known = { markdown: undefined, quoted: { source: "", text: "" } };

/** As a block. @param running - More may be said: what that could change is left out. */
export function renderSpoken(spoken: Spoken, running: boolean, known: Known) {
  const source = sourceOf(spoken, running);
  const { text, settled } = renderMarkdown(source, running, known.markdown);
  if (spoken.kind === "text") return { text, known: { ...known, markdown: settled } };
  // Lines that may follow are none yet.
  const whole = `_Thinking…_\n${text.trimEnd()}`;
  const quoted = quoteOn(known.quoted, whole);
  return {
    text: text.trim() === "" ? "" : quoted.text + quote(whole.slice(quoted.source.length)),
    known: { markdown: settled, quoted },
  };
}

/** Whether what is said behind something unseen begins a block of its own. */
export function beginsAnew(before: string, after: string, unseen: "thought" | "tool"): boolean {
  if (/\s$/.test(before) || /^\s/.test(after)) return false;
  const isSeam =
    isSentenceSeam(before, after) || (unseen === "tool" && /^[\p{Lu}#>*-]/u.test(after));
  return isSeam && seamBehind(before).kind === "plain";
}

/** The Markdown of it. Blank lines in front are left out, and blank text leaves nothing. */
function sourceOf({ text, seam }: Spoken, running: boolean): string {
  if (seam?.kind === "fence") return reopen(seam.reopening, text, running);
  if (!/\S/.test(text)) return "";
  const source = text.replace(/^(?:[^\S\n]*\n)+/, "");
  return seam?.kind === "table" && source.startsWith("|") ? seam.reopening + source : source;
}

/** Code that goes on. Where it ends at once it is not opened again; until that is known, there is nothing. */
function reopen(opening: string, text: string, running: boolean): string {
  const [mark = ""] = /`{3,}|~{3,}/.exec(opening) ?? [];
  const end = text.indexOf("\n");
  const line = (end < 0 ? text : text.slice(0, end)).trim();
  const isMark = line === mark.charAt(0).repeat(line.length);
  if (isMark && end < 0 && running) return "";
  const closes = isMark && line.length >= mark.length;
  if (closes) return end < 0 ? "" : text.slice(end + 1).replace(/^(?:[^\S\n]*\n)+/, "");
  return /\S/.test(text) ? opening + text : "";
}

/** The lines that have ended are quoted once. */
function quoteOn(before: Quoted, text: string): Quoted {
  const known = text.startsWith(before.source) ? before : nothingKnown.quoted;
  const end = text.lastIndexOf("\n") + 1;
  if (end <= known.source.length) return known;
  return {
    source: text.slice(0, end),
    text: `${known.text}${quote(text.slice(known.source.length, end - 1))}\n`,
  };
}
