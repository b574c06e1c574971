import { type Blocks, type Fence, noBlocks, readLine } from "./fence.ts";
import { HARMLESS_DASHES, RESERVED_FLAG, undecidedFlag } from "./flags.ts";
import { renderImage } from "./image.ts";
import { renderLink } from "./link.ts";
import { QUESTION_MARKS } from "./question-mark.ts";

/** What was made of the whole lines of a text, to go on from when the text has grown. */
export type Lines = {
  readonly source: string;
  readonly text: string;
  readonly blocks: Blocks;
  /** The paragraph so far has backticks that its lines do not close: they may close any that follow. */
  readonly inDoubt: boolean;
};

export type Rendered = {
  readonly text: string;
  readonly fence: Fence | undefined;
  readonly lines: Lines;
};

/**
 * An agent's Markdown as it may stand in a message: reserved flags defused, images of hosts that nobody named as links, links that lead where
 * they say, HTML as text, the mark of our questions as a plain question mark. Code, inline or in a block, is left as it
 * is; what may be code or not is taken for text.
 *
 * What was returned for a running text is the beginning of what is returned for any text that it grows into: an end
 * of which more text decides what it is, is held back, and nothing else.
 *
 * Blocks are told from each other line by line, without a parser, so that a growing text costs what it has grown by.
 *
 * @param from - What an earlier call made of the beginning of `text`, or a code block that is open where it begins.
 * @param imageHosts - Whose images are shown as such.
 */
export function renderMarkdown(
  text: string,
  running = false,
  from: Lines = noLines,
  imageHosts: readonly string[] = [],
): Rendered {
  const lines = renderLines(text, from, imageHosts);
  const rest = text.slice(lines.source.length);
  // Half of a surrogate pair cannot be sent: the other half comes with the next chunk, if at all.
  const whole = /[\uD800-\uDBFF]$/.test(rest.slice(-1)) ? rest.slice(0, -1) : rest;
  const { isCode, after } = readLine(whole, lines.blocks);
  if (isCode) return { text: lines.text + whole, fence: after.fence, lines };
  const held = running ? undecided(whole.slice(-MAX_UNDECIDED)) : "";
  const shown = whole.slice(0, whole.length - held.length);
  const last = scanLine(shown, running, lines.inDoubt, imageHosts).text;
  return { text: lines.text + last, fence: after.fence, lines };
}

export const noLines: Lines = { source: "", text: "", blocks: noBlocks, inDoubt: false };

/** Renders the lines behind `from` that have ended. */
function renderLines(text: string, from: Lines, imageHosts: readonly string[]): Lines {
  const length = text.lastIndexOf("\n") + 1;
  if (length <= from.source.length) return from;
  const rendered = [from.text];
  let { blocks, inDoubt } = from;
  for (let at = from.source.length; at < length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end);
    const { isCode, after } = readLine(line, blocks);
    if (isCode || line.trim() === "") inDoubt = false;
    if (isCode || !rare.test(line)) {
      rendered.push(line, "\n");
    } else {
      const scanned = scanLine(line, false, inDoubt, imageHosts);
      rendered.push(scanned.text, "\n");
      inDoubt = scanned.inDoubt;
    }
    blocks = after;
    at = end + 1;
  }
  // Not `+`: that makes a string of as many pieces as there were calls, and whoever reads it walks them all.
  return { source: text.slice(0, length), text: rendered.join(""), blocks, inDoubt };
}

// Longer than any reserved name with its dashes; a provider's name behind the prefix may be longer, but decides nothing.
const MAX_UNDECIDED = 32;

function undecided(end: string): string {
  return /(?:<?!(?:\[\]?)?|[<&\]])$/.exec(end)?.[0] ?? undecidedFlag(end);
}

/** What makes a line worth a closer look; most lines have nothing of it. */
const rare = new RegExp(`[\`${QUESTION_MARKS}<&]|!\\[|--|\\][(:]`);

const harmful = `${RESERVED_FLAG}|!\\[|[${QUESTION_MARKS}]\\uFE0F?|<(?=[A-Za-z!/?])|&(?=#)|\\][(:]`;
const token = new RegExp(`\\\\[\\\\\`!<\\]]|\`+|${harmful}`, "g");
const harmfulToken = new RegExp(harmful, "g");

/** Ends of links in one line, beyond which none is one: each is looked at up to its own end, whenever the line has grown. */
export const MAX_LINKS = 200;

/** One line of Markdown among lines of which nothing is known: what stands there may decide about its code spans. */
export function renderLine(line: string): string {
  return scanLine(line, false, true).text;
}

/**
 * One line of a paragraph outside of a code block.
 *
 * @param running - The line may go on: where a code span is open, what the span's end decides about is held back.
 * @param inDoubt - Where its code spans begin and end is not known: nothing in it is code.
 */
function scanLine(
  line: string,
  running: boolean,
  inDoubt: boolean,
  imageHosts: readonly string[] = [],
): { text: string; inDoubt: boolean } {
  let text = "";
  let isOpen = inDoubt;
  let links = 0;
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(line);
    if (!match) return { text: text + line.slice(at), inDoubt: isOpen };
    const [found] = match;
    let end = match.index + found.length;
    text += line.slice(at, match.index);
    if (found === "](" && links >= MAX_LINKS) {
      text += "]\\(";
    } else if (found === "](") {
      links += 1;
      const link = renderLink(line, match.index, running);
      if (!link) return { text, inDoubt: isOpen };
      text += link.text;
      end = link.end;
    } else if (found === "![") {
      // An image is fetched when the message is shown, and its address may carry what the agent has read.
      const image = renderImage(line, match.index, running, imageHosts);
      if (image === "unfinished") return { text, inDoubt: isOpen };
      text += image?.text ?? (line.charAt(end) === "]" ? "[image" : "[");
      end = image?.end ?? end;
    } else if (!found.startsWith("`")) {
      text += harmless(found);
    } else if (inDoubt) {
      text += found;
    } else {
      const closed = endOfSpan(line, end, found.length);
      // Backticks at the end may become more, which would close nothing.
      if (running && (closed === undefined || closed === line.length)) {
        harmfulToken.lastIndex = end;
        text += line.slice(match.index, harmfulToken.exec(line)?.index);
        return { text, inDoubt: isOpen };
      }
      // Backticks that nothing closes are text, and so is what follows them.
      if (closed === undefined || mayDefine(line, end, closed)) isOpen = true;
      else end = closed;
      text += line.slice(match.index, end);
    }
    at = end;
  }
}

/** Where a code span of so many backticks ends; `undefined` when this line does not end it. */
function endOfSpan(line: string, from: number, length: number): number | undefined {
  const run = /`+/g;
  run.lastIndex = from;
  for (let match = run.exec(line); match; match = run.exec(line)) {
    if (match[0].length === length) return match.index + length;
  }
  return undefined;
}

/** A name and what it stands for: it is looked for before code spans are, so it may begin in one line and end in code. */
const definition = /^(?:[\s>*+-]|\d{1,9}[.)])*\[[^[\]]*$/;

/** Whether a part of a line may hold the end of a name that is given a meaning. */
function mayDefine(line: string, from: number, to: number): boolean {
  for (let at = line.indexOf("]:", from); at !== -1 && at < to; at = line.indexOf("]:", at + 1)) {
    const before = line.slice(0, at);
    if (!/[[\]]/.test(before) || definition.test(before)) return true;
  }
  return false;
}

function harmless(found: string): string {
  if (found === "--") return HARMLESS_DASHES;
  // HTML could swallow what stands behind it, and a character reference stands for any character.
  if (found === "<" || found === "&") return `\\${found}`;
  // What a name is said to stand for would make a link of it wherever it is used, with a label of its own.
  if (found === "]:") return "\\]:";
  return found.startsWith("\\") ? found : "?";
}
