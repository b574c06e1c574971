import { RESERVED_FLAG } from "./flags.ts";
import { QUESTION_MARKS } from "./question-mark.ts";

/** Longest end of a link, from its `](` on, and longest label that is looked at, in UTF-16 units. */
export const MAX_LINK = 1_024;
const MAX_LABEL = 300;

/** What a `](` in a line becomes, and where the line goes on behind it. */
export type Link = { readonly text: string; readonly end: number };

/**
 * The end of a link from its `](` on; `undefined` while more of the line decides what it is. Only addresses of the web
 * and of mail are links; of any other, the bracket is escaped, so that it reads the same and leads nowhere. A label that
 * looks like another host is followed by the real one.
 *
 * @param at - Where the `]` is.
 * @param running - The line may go on.
 */
export function renderLink(line: string, at: number, running: boolean): Link | undefined {
  const from = at + 2;
  const isCut = line.length - from > MAX_LINK;
  const rest = line.slice(from, from + MAX_LINK);
  // Embedded bytes are nothing to read, and there may be a million of them.
  if (/^[ \t]*<?data:/i.test(rest)) {
    embedded.lastIndex = from;
    embedded.test(line);
    return { text: "]\\(data:…", end: embedded.lastIndex };
  }
  const found = findDestination(rest);
  if (found === "unfinished" && running && !isCut) return undefined;
  const host = typeof found === "object" ? hostOf(found.url) : undefined;
  if (typeof found !== "object" || host === undefined) return { text: "]\\(", end: from };
  const isHonest = host === "" || isHonestLabel(findLabel(line, at), host);
  const url = found.isPointed ? `<${escapeUrl(found.url)}>` : escapeUrl(found.url);
  return { text: `](${url})${isHonest ? "" : ` (${host})`}`, end: from + found.end };
}

const embedded = /[^\s)>]*/y;

export type Destination = {
  readonly url: string;
  readonly isPointed: boolean;
  readonly end: number;
};

const pointed = /<([^<>]*)>/y;
const title = /[ \t]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))/y;
const blank = /[ \t]*/y;

/** The address that a text begins with, and where its link ends. A title is left out. */
export function findDestination(text: string): Destination | "unfinished" | undefined {
  const start = endOf(blank, text, 0);
  const isPointed = text.charAt(start) === "<";
  const behind = isPointed ? endOf(pointed, text, start) : endOfAddress(text, start);
  if (isPointed && behind === start) return "unfinished";
  const end = endOf(blank, text, endOf(title, text, behind));
  if (text.charAt(end) === ")") {
    const url = isPointed ? text.slice(start + 1, behind - 1) : text.slice(start, behind);
    return { url, isPointed, end: end + 1 };
  }
  const hasTitle = end > behind && /["'(]/.test(text.charAt(end));
  return end === text.length || hasTitle ? "unfinished" : undefined;
}

function endOfAddress(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && --depth < 0) return at;
    else if (/\s/.test(char)) return at;
  }
  return text.length;
}

/** Where what a pattern finds at a place ends; the place itself when it finds nothing. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/**
 * The host that an address leads to, empty for one of mail; `undefined` when it is none of the two, or when an escape in
 * front of the path could make it another.
 */
function hostOf(url: string): string | undefined {
  if (/^mailto:/i.test(url)) return "";
  if (!/^https?:\/\/[^\s/?#\\&<>]+(?:[/?#]|$)/i.test(url)) return undefined;
  return URL.parse(url)?.host || undefined;
}

/** The label that ends at `at`; `undefined` when it began on a line before, or is too long to look at. */
function findLabel(line: string, at: number): string | undefined {
  let depth = 0;
  for (let place = at - 1; place >= Math.max(0, at - MAX_LABEL); place -= 1) {
    const char = line.charAt(place);
    if (line.charAt(place - 1) === "\\") continue;
    if (char === "]") depth += 1;
    else if (char === "[" && --depth < 0) return line.slice(place + 1, at);
  }
  return undefined;
}

const hostLike = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}/gu;

function isHonestLabel(label: string | undefined, host: string): boolean {
  if (label === undefined) return false;
  const plain = label.normalize("NFKC").replace(/[\p{Cf}\\*_`]/gu, "");
  return (plain.match(hostLike) ?? []).every((name) => {
    const said = (URL.parse(`https://${name}`)?.hostname ?? name).replace(/^www\./, "");
    return host === said || host.endsWith(`.${said}`);
  });
}

const flags = new RegExp(RESERVED_FLAG, "g");
const marks = new RegExp(`[${QUESTION_MARKS}]`, "g");

/** An address that leads to the same place and names neither a parameter nor a question. */
export function escapeUrl(url: string): string {
  return url.replace(flags, "-%2D").replace(marks, encodeURIComponent);
}
