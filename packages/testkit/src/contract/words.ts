const WORDS_PER_PARAGRAPH = 40;

/** `count` words that are all different, `k0001 k0002 …`, in paragraphs: whatever shows them may cut between them. */
export function numberedText(letter: string, count: number): string {
  const words = numberedWords(letter, count);
  const paragraphs: string[] = [];
  for (let at = 0; at < count; at += WORDS_PER_PARAGRAPH) {
    paragraphs.push(words.slice(at, at + WORDS_PER_PARAGRAPH).join(" "));
  }
  return paragraphs.join("\n\n");
}

export function numberedWords(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${String(at + 1).padStart(4, "0")}`);
}

/** Those that stand in a text, in its order, cut ones left out. */
export function findNumberedWords(letter: string, text: string): readonly string[] {
  return text.match(new RegExp(`\\b${letter}\\d{4}\\b`, "g")) ?? [];
}

export function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}
