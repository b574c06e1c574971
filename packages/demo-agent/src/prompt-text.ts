import type { ContentBlock } from "@acp-kit/acp-wire";

/** The texts of a prompt's text blocks, in order. */
export function promptTexts(blocks: readonly ContentBlock[]): string[] {
  return blocks.flatMap((block) =>
    block.type === "text" && "text" in block && typeof block.text === "string" ? [block.text] : [],
  );
}

/** Whether `text` has `word` as a word of its own; case does not matter. */
export function hasWord(text: string, word: string): boolean {
  const words: readonly string[] = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.includes(word.toLowerCase());
}
