import path from "node:path";

/** A piece of what an agent wrote: text to show, or a file that it wants to send. */
export type ScannedPart = { readonly kind: "text"; readonly text: string } | AttachDirective;

/** A line by which an agent sends a file. */
export type AttachDirective = {
  readonly kind: "attach";
  /** As the agent wrote it: relative to its directory, or absolute. */
  readonly path: string;
  /** What the file is called in the chat. */
  readonly name: string;
  /** It wants to be seen in the text, as a picture. */
  readonly inline: boolean;
};

/** Longest line that is held back in characters: a path has 4,096 at most. */
const MAX_HELD_CHARS = 16_384;

const OPENING = "<!--";

/**
 * Finds directives in a stream of text, line by line. A directive is a line that holds nothing but the comment
 * `<!-- TAG path="…" name="…" inline -->`; it goes, with its newline. Any other text comes out as it came in, and at
 * once, unless its line may still become a directive.
 */
export class AttachScanner {
  readonly #tag: string;
  /** The unfinished line while it may become a directive. */
  #held = "";
  /** The unfinished line has been let out in part, so it is text whatever follows. */
  #isOut = false;

  /** @param tag - The word behind `<!--`. */
  constructor(tag: string) {
    this.#tag = tag;
  }

  push(text: string): ScannedPart[] {
    const parts: ScannedPart[] = [];
    for (const piece of text.split(/(?<=\n)/)) this.#pushPiece(piece, parts);
    return joinTexts(parts);
  }

  /** At the end of the text. */
  flush(): ScannedPart[] {
    const line = this.#held;
    this.#held = "";
    this.#isOut = false;
    return line === "" ? [] : [this.#readLine(line)];
  }

  /** @param piece - Part of one line; a newline is its last character. */
  #pushPiece(piece: string, parts: ScannedPart[]): void {
    const isEnd = piece.endsWith("\n");
    if (this.#isOut) {
      parts.push({ kind: "text", text: piece });
      this.#isOut = !isEnd;
      return;
    }
    this.#held += piece;
    if (isEnd) {
      parts.push(this.#readLine(this.#held));
      this.#held = "";
    } else if (!mayBecomeDirective(this.#held)) {
      parts.push({ kind: "text", text: this.#held });
      this.#isOut = this.#held !== "";
      this.#held = "";
    }
  }

  #readLine(line: string): ScannedPart {
    return parseAttachDirective(line, this.#tag) ?? { kind: "text", text: line };
  }
}

/** Reads a whole line; nothing when it is no directive, or one without a path. */
export function parseAttachDirective(line: string, tag: string): AttachDirective | undefined {
  const comment = line.trim();
  if (!comment.startsWith(OPENING) || !comment.endsWith("-->")) return undefined;
  const inner = comment.slice(OPENING.length, -"-->".length).trim();
  if (!inner.startsWith(tag) || !/^\s/.test(inner.slice(tag.length))) return undefined;
  // Quoted values are taken out, so that no word in one of them counts.
  const values = new Map<string, string>();
  const words = inner
    .slice(tag.length)
    .replaceAll(/(\s)(\w+)="([^"]*)"(?!\S)/g, (_all, space, key, value) => {
      if (!values.has(key)) values.set(key, value);
      return space;
    });
  const filePath = values.get("path") ?? "";
  if (filePath === "") return undefined;
  const name = values.get("name") ?? "";
  return {
    kind: "attach",
    path: filePath,
    name: name === "" ? path.posix.basename(filePath) : name,
    inline: words.split(/\s+/).includes("inline"),
  };
}

/**
 * What stands in the text where a directive was.
 *
 * @param outcome - `sent` with the reference of a file that is seen in the text, or `failed`.
 */
export function formatAttached(
  { path: filePath, name, inline }: AttachDirective,
  outcome: { kind: "sent"; reference: string } | { kind: "failed" },
): string {
  if (outcome.kind === "failed")
    return `\n_(attachment failed: ${path.posix.basename(filePath)})_\n`;
  return inline ? `\n![${name}][${outcome.reference}]\n` : "";
}

function mayBecomeDirective(line: string): boolean {
  if (line.length > MAX_HELD_CHARS) return false;
  const start = line.replace(/^[ \t]+/, "");
  return start.startsWith(OPENING) || OPENING.startsWith(start);
}

function joinTexts(parts: readonly ScannedPart[]): ScannedPart[] {
  const joined: ScannedPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === "text" && part.text === "") continue;
    if (part.kind === "text" && last?.kind === "text") {
      joined[joined.length - 1] = { kind: "text", text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}
