import { decidedTo, defuse } from "@acp-kit/slack-surface";
import { openNodes } from "./open-nodes.ts";
import { parseTree, type Tree } from "./parse-tree.ts";
import { applyPatches, patchesOf, placeOf } from "./patches.ts";
import { endOfStretch, escapeSigns } from "./plain-stretch.ts";
import { type SettledPlace, settledTo } from "./settled-place.ts";
import { undecidedFrom } from "./undecided.ts";

/** What was made of the beginning of a text: more text does not change it. */
export type Settled = {
  /** The beginning itself, as it came: whole lines, but where the rest is plain. */
  readonly source: string;
  readonly text: string;
  /** Lines that the rest has to be read behind, such as those that opened a code block. */
  readonly context: string;
  /** Signs of markup in the block that the context stands for the beginning of. */
  readonly marks: number;
  /** The rest goes on with a block that is over its bounds: no sign in it is markup. */
  readonly isPlain: boolean;
  /** What has shown that, as it came: the source is its beginning. */
  readonly seen: string;
};

export const nothingSettled: Settled = {
  source: "",
  text: "",
  context: "",
  marks: 0,
  isPlain: false,
  seen: "",
};

/** UTF-16 units that are taken in at once, at least; half as many as the context has if that is more. */
const STEP_UNITS = 64;
/** Half as many as are open, up to this. */
export const MAX_STEP_UNITS = 512;
/** Lines of which nothing settles, beyond which nothing in their block is markup. */
export const MAX_OPEN_LINES = 256;
/** The same in UTF-16 units, also of one line. */
export const MAX_OPEN_UNITS = 8_192;

/**
 * Takes in what has settled since; of a text that goes on otherwise, all. Whole blocks are, in a list too; of code and
 * tables whole lines are. Pure.
 *
 * It is done in steps, whose places the text alone decides about: reading some texts takes the square of their lines.
 * Where more is open behind a step than may be, all that is decided has settled, and the rest of its block is plain.
 */
export function settle(known: Settled, markdown: string, stepUnits = STEP_UNITS): Settled {
  let settled = markdown.startsWith(known.seen) ? known : nothingSettled;
  for (;;) {
    const end = endOfStep(settled, markdown, stepUnits);
    if (end === undefined) return settled;
    settled = takeIn({ ...settled, seen: markdown.slice(0, end) });
  }
}

/** The end of a line, or a place within one that is too long. */
function endOfStep(settled: Settled, markdown: string, stepUnits: number): number | undefined {
  const { seen, source, context, isPlain } = settled;
  const half = Math.ceil((seen.length - source.length) / 2);
  const units = Math.max(Math.min(half, MAX_STEP_UNITS), Math.ceil(context.length / 2));
  const least = seen.length + Math.max(stepUnits, units);
  // A carriage return at the end may be half of a line break.
  const ends = /\r\n|\n|\r(?=[^\n])/g;
  ends.lastIndex = least - 1;
  const end = ends.test(markdown) ? ends.lastIndex : undefined;
  const line = markdown.lastIndexOf("\n", least - 1) + 1;
  const within = Math.max(least, seen.length + half, line + MAX_OPEN_UNITS);
  if (isPlain || (end ?? markdown.length) <= within) return end;
  // Neither a letter nor a line break is parted.
  return /[\uD800-\uDBFF\r]/.test(markdown.charAt(within - 1)) ? within + 1 : within;
}

function takeIn(before: Settled): Settled {
  const raw = before.seen.slice(before.source.length);
  if (before.isPlain) return passStretch(before, raw);
  const source = before.context + withPlainBreaks(raw);
  const tree = parseTree(source, before.marks);
  const from = before.context.length;
  const isLine = source.endsWith("\n");
  const place = isLine ? settledTo(tree, source) : undefined;
  if (isLine && !isOver(source.slice(Math.max(from, place?.to ?? 0)))) {
    return place && place.to > from ? passTo(before, raw, tree, source, place) : before;
  }
  // Nor may a token be parted.
  const to = Math.max(from, decidedTo(source.slice(0, undecidedFrom(tree, source))));
  if (!isLine && (isInsideOfCode(tree, source) || EMBEDDED.test(source.slice(to)))) return before;
  return { ...passTo(before, raw, tree, source, { to, context: "" }), isPlain: true };
}

/** Bytes of a picture or a file, which may have a long line, as code may: they are left out. */
const EMBEDDED = /^!?\[[^[\]\n]{0,300}\]\([ \t]*<?data:[^\s()[\]]*$/i;

function isInsideOfCode(tree: Tree, source: string): boolean {
  const last = openNodes(tree).at(-1);
  return last?.type === "code" && source.includes("\n", placeOf(last).from);
}

function isOver(open: string): boolean {
  return (
    open.length > MAX_OPEN_UNITS || open.split("\n", MAX_OPEN_LINES + 2).length > MAX_OPEN_LINES + 1
  );
}

function passTo(
  before: Settled,
  raw: string,
  tree: Tree,
  source: string,
  { to, context, marks = 0 }: SettledPlace,
): Settled {
  const from = before.context.length;
  return {
    ...before,
    source: before.source + raw.slice(0, rawLength(raw, source.slice(from, to))),
    text: before.text + defuse(applyPatches(patchesOf(tree, source), source, from, to)),
    context,
    marks,
  };
}

/** Takes in the rest of a block that is over its bounds, and what comes behind it. */
function passStretch(before: Settled, raw: string): Settled {
  const source = withPlainBreaks(raw);
  const end = endOfStretch(source);
  // Where it may have ended, the next line decides about that.
  const stretch = end === undefined ? source.trimEnd() : source.slice(0, end);
  const after = {
    ...before,
    source: before.source + raw.slice(0, rawLength(raw, stretch)),
    text: before.text + defuse(escapeSigns(stretch)),
    isPlain: end === undefined,
  };
  return end === undefined ? after : takeIn(after);
}

/** With one kind of line break, and without halves of letters. */
export function withPlainBreaks(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD").toWellFormed();
}

/** How much of a text its plain form's beginning stands for. */
function rawLength(raw: string, plain: string): number {
  if (!raw.includes("\r")) return plain.length;
  const lines = plain.split("\n");
  const ends = /\r\n?|\n/g;
  for (let count = lines.length; count > 1; count -= 1) ends.exec(raw);
  return ends.lastIndex + (lines.at(-1)?.length ?? 0);
}
