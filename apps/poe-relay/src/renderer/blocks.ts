import { type Display, oneQuestionAtATime, type Segment, type TurnView } from "@acp-kit/router";
import { type Lines, renderMarkdown } from "./markdown.ts";

/** What an agent said or thought, as one text whatever unseen came between its pieces. */
export type SpokenBlock = {
  readonly kind: "text" | "thought";
  /** The segment that it begins with, the same one in every later view that has more behind it. */
  readonly first: Segment;
  readonly text: string;
};

/** What a body is made of. */
export type Block = SpokenBlock | Exclude<Segment, { kind: SpokenBlock["kind"] | "file" }>;

/**
 * What a reader sees of a view's segments, in their order. Only the last block still grows. Pure.
 *
 * A file is sent beside the text and a hidden thought not at all: the text goes on behind them, in the middle of a word
 * if need be. Questions are asked one after another. Only where two sentences would be glued together the second one is a block of its own.
 */
export function readBlocks({ segments }: TurnView, show: Display): readonly Block[] {
  const blocks: Block[] = [];
  let hasThought = false;
  /** Of the text that is last, as far as it was looked at. */
  let lines: Lines | undefined;
  for (const segment of oneQuestionAtATime(segments)) {
    switch (segment.kind) {
      case "file":
        continue;
      case "thought":
        if (show.thoughts) blocks.push({ kind: "thought", first: segment, text: segment.text });
        hasThought = true;
        continue;
      case "text": {
        const { text } = segment;
        const last = blocks.at(-1);
        let goesOn = last?.kind === "text";
        if (last?.kind === "text" && hasThought && isGlued(last.text, text)) {
          const rendered = renderMarkdown(last.text, true, lines);
          goesOn = rendered.fence !== undefined;
          lines = rendered.lines;
        }
        if (last?.kind === "text" && goesOn)
          blocks[blocks.length - 1] = { ...last, text: last.text + text };
        else blocks.push({ kind: "text", first: segment, text });
        if (!goesOn) lines = undefined;
        break;
      }
      default:
        blocks.push(segment);
    }
    hasThought = false;
  }
  return blocks;
}

/** Whether a sentence ends and the next one begins without a space. A letter is enough to tell: more text changes nothing. */
function isGlued(before: string, after: string): boolean {
  return /[.!?:…]["'»”’)\]]{0,3}$/.test(before.slice(-4)) && /^[\p{Lu}#>|-]/u.test(after.charAt(0));
}
