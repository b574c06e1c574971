import { fenced, type MrkdwnBlock } from "./mrkdwn.ts";

/** A text takes 4,000 when it is edited. */
export const MAX_MRKDWN_CODE_POINTS = 3_900;

/**
 * Blocks as messages, each of at most so many code points: cut between blocks, else between lines, else at a space, else
 * between two letters; never inside of a link or an entity. Code is closed and opened again. Pure.
 */
export function cutMrkdwn(
  blocks: readonly MrkdwnBlock[],
  maxCodePoints = MAX_MRKDWN_CODE_POINTS,
): readonly string[] {
  const messages: string[] = [];
  let open = "";
  for (const block of blocks) {
    for (const piece of cutBlock(block, maxCodePoints)) {
      const both = open === "" ? piece : `${open}\n\n${piece}`;
      if (count(both) <= maxCodePoints) open = both;
      else {
        messages.push(open);
        open = piece;
      }
    }
  }
  return open.trim() === "" ? messages : [...messages, open];
}

function cutBlock({ kind, text }: MrkdwnBlock, maxCodePoints: number): readonly string[] {
  if (kind === "code") return fill(text, maxCodePoints - count(fenced(""))).map(fenced);
  return fill(text, maxCodePoints)
    .map((piece) => piece.trimEnd())
    .filter((piece) => piece !== "");
}

/** What is not cut: a link, an entity, code in a line; then words, spaces, line breaks. */
const ATOM = /<[^<>]*>|&(?:amp|lt|gt);|`[^`\n]{1,200}`|\n|[^\S\n]+|[^\s<&`]+|[^\s]/gu;

/** Longer than this, in code points, a word is cut between its letters: so is what looks like a link. */
const MAX_ATOM_CODE_POINTS = 1_000;

function fill(text: string, maxCodePoints: number): readonly string[] {
  const pieces: string[] = [];
  let open: string[] = [];
  let size = 0;
  for (const atom of atomsOf(text, Math.min(MAX_ATOM_CODE_POINTS, maxCodePoints))) {
    const length = count(atom);
    while (size + length > maxCodePoints && open.length > 0) {
      // Back to the end of the last line, where that leaves enough.
      const line = open.lastIndexOf("\n");
      const keep = line > open.length / 2 ? line + 1 : open.length;
      pieces.push(open.slice(0, keep).join("").replace(/\n$/, ""));
      open = open.slice(keep);
      size = count(open.join(""));
    }
    if (open.length === 0 && pieces.length > 0 && atom === "\n") continue;
    open.push(atom);
    size += length;
  }
  return [...pieces, open.join("")];
}

function* atomsOf(text: string, maxCodePoints: number): Iterable<string> {
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const [atom] of text.matchAll(ATOM)) {
    if (count(atom) <= maxCodePoints) yield atom;
    else
      for (const { segment } of letters.segment(atom)) {
        // Nobody writes a letter that fills a message.
        if (count(segment) <= maxCodePoints) yield segment;
        else yield* segment;
      }
  }
}

function count(text: string): number {
  return [...text].length;
}
