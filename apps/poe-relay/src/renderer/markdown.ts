import { HARMLESS_DASHES, RESERVED_FLAG, undecidedFlag } from "./flags.ts";
import { QUESTION_MARK } from "./question-mark.ts";

/** A code block that is still open, and how a line closes it. */
export type Fence = { readonly prefix: string; readonly mark: string };

/** What was made of the whole lines of a text, to go on from when the text has grown. */
export type Lines = {
  readonly source: string;
  readonly text: string;
  readonly fence: Fence | undefined;
};

export type Rendered = {
  readonly text: string;
  readonly fence: Fence | undefined;
  readonly lines: Lines;
};

/**
 * An agent's Markdown as it may stand in a message: reserved flags defused, remote images as links, the mark of our
 * questions as a plain question mark. Code, inline or in a block, is left as it is.
 *
 * What was returned for a running text is the beginning of what is returned for any text that it grows into: an end
 * of which more text decides what it is, is held back, and nothing else.
 *
 * Blocks are told from each other line by line, without a parser, so that a growing text costs what it has grown by.
 *
 * @param from - What an earlier call made of the beginning of `text`, or a code block that is open where it begins.
 */
export function renderMarkdown(text: string, running = false, from: Lines = noLines): Rendered {
  const lines = renderLines(text, from);
  const rest = text.slice(lines.source.length);
  // Half of a surrogate pair cannot be sent: the other half comes with the next chunk.
  const whole = running && /[\uD800-\uDBFF]$/.test(rest.slice(-1)) ? rest.slice(0, -1) : rest;
  const { fence } = lines;
  if (fence) {
    const open = closesFence(whole, fence) ? undefined : fence;
    return { text: lines.text + whole, fence: open, lines };
  }
  const held = running ? undecided(whole.slice(-MAX_UNDECIDED)) : "";
  const last = scanLine(whole.slice(0, whole.length - held.length));
  const shown = last.inCode ? last.text + held : last.text;
  return { text: lines.text + shown, fence: opensFence(whole), lines };
}

/** One line of Markdown outside of a code block. */
export function renderLine(line: string): string {
  return scanLine(line).text;
}

/** The line that closes a code block where it was opened. */
export function closingLine(fence: Fence): string {
  return fence.prefix + fence.mark;
}

const noLines: Lines = { source: "", text: "", fence: undefined };

/** Renders the lines behind `from` that have ended. */
function renderLines(text: string, from: Lines): Lines {
  const length = text.lastIndexOf("\n") + 1;
  if (length <= from.source.length) return from;
  let rendered = "";
  let { fence } = from;
  for (let at = from.source.length; at < length; ) {
    const found = fence ? text.indexOf(fence.mark, at) : indexOfToken(text, at);
    const start = found === -1 ? length : Math.max(at, text.lastIndexOf("\n", found) + 1);
    rendered += text.slice(at, Math.min(start, length));
    if (start >= length) break;
    at = text.indexOf("\n", start) + 1;
    const line = text.slice(start, at - 1);
    rendered += `${fence ? line : scanLine(line).text}\n`;
    if (!fence) fence = opensFence(line);
    else if (closesFence(line, fence)) fence = undefined;
  }
  // Not `+`: that makes a string of as many pieces as there were calls, and whoever reads it walks them all.
  const whole = [from.text, rendered].join("");
  return { source: text.slice(0, length), text: whole, fence };
}

// Longer than any reserved name with its dashes; a provider's name behind the prefix may be longer, but decides nothing.
const MAX_UNDECIDED = 32;

function undecided(end: string): string {
  return /!\[?$/.exec(end)?.[0] ?? undecidedFlag(end);
}

/** What makes a line worth a closer look; most lines have nothing of it. */
const rare = new RegExp(`[\`${QUESTION_MARK}]|!\\[|--|~~~`, "g");

function indexOfToken(text: string, from: number): number {
  rare.lastIndex = from;
  return rare.exec(text)?.index ?? -1;
}

const token = new RegExp(
  `\\\\[\\\\\`!]|\`+|${RESERVED_FLAG}|!\\[\\]?|${QUESTION_MARK}\\uFE0F?`,
  "g",
);

/** `inCode`: the line ends in a code span that it does not close. A span ends with its line at the latest. */
function scanLine(line: string): { text: string; inCode: boolean } {
  let text = "";
  let at = 0;
  let span = 0; // length of the run of backticks that opened the span in which `at` stands, 0 outside
  for (;;) {
    token.lastIndex = at;
    const match = span > 0 ? closingRun(line, at, span) : token.exec(line);
    if (!match) return { text: text + line.slice(at), inCode: span > 0 };
    const [found] = match;
    text += line.slice(at, match.index) + (span > 0 ? found : harmless(found));
    at = match.index + found.length;
    span = span === 0 && found.startsWith("`") ? found.length : 0;
  }
}

function closingRun(line: string, from: number, length: number): RegExpExecArray | null {
  const run = /`+/g;
  run.lastIndex = from;
  let match = run.exec(line);
  while (match && match[0].length !== length) match = run.exec(line);
  return match;
}

function harmless(found: string): string {
  if (found === "--") return HARMLESS_DASHES;
  // An image is fetched when the message is shown, and its address may carry what the agent has read.
  if (found.startsWith("![")) return found === "![]" ? "[image]" : "[";
  return found.startsWith(QUESTION_MARK) ? "?" : found;
}

const opening =
  /^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(?:(`{3,})[^`]*|(~{3,})[\s\S]*)$/;

function opensFence(line: string): Fence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const [, container = "", backticks, tildes] = opening.exec(line) ?? [];
  const mark = backticks ?? tildes;
  // Behind a list marker, later lines of the item are indented by as much as it took.
  return mark === undefined ? undefined : { prefix: container.replace(/[^ \t>]/g, " "), mark };
}

function closesFence(line: string, { mark }: Fence): boolean {
  const rest = line.replace(/^[ \t>]*/, "").trimEnd();
  return rest.length >= mark.length && rest === mark.charAt(0).repeat(rest.length);
}
