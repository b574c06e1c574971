import { ClientError } from "./client-error.ts";

/** One event of the stream as it came: its `id` field, and its `data` lines joined. */
export type SseFrame = { readonly id: string | undefined; readonly data: string };

/**
 * Cuts a server-sent event stream into frames, wherever its chunks are split and whichever line ends
 * it uses. Comments and other fields are skipped; a frame that the end of the stream cuts off is not
 * delivered, as the standard has it.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseReader {
  readonly #maxCharacters: number;
  /** Pieces of the line that has not ended yet: joined once, so that a long line costs no more per character. */
  #line: string[] = [];
  /** `data` lines of the frame that has not ended yet. */
  #data: string[] = [];
  #id: string | undefined;
  /** Characters held in `#line` and `#data`. */
  #held = 0;
  /** The last chunk ended in CR: a LF at the start of the next one belongs to it. */
  #afterCr = false;
  /** Nothing has come yet: a byte order mark may. */
  #atStart = true;

  /** @param maxCharacters - Longest frame. Beyond it, `push` throws. */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** @throws ClientError `bad_event` when a frame grows beyond the limit. */
  push(chunk: string): SseFrame[] {
    const frames: SseFrame[] = [];
    let from = 0;
    if (this.#atStart && chunk !== "") {
      this.#atStart = false;
      if (chunk.startsWith("\uFEFF")) from = 1;
    }
    if (this.#afterCr && chunk !== "") {
      this.#afterCr = false;
      if (chunk[from] === "\n") from += 1;
    }
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = from;
    for (let end = ends.exec(chunk); end; end = ends.exec(chunk)) {
      this.#endLine(chunk.slice(from, end.index), frames);
      from = ends.lastIndex;
      if (end[0] === "\r" && from === chunk.length) this.#afterCr = true;
    }
    if (from < chunk.length) this.#hold(this.#line, chunk.slice(from));
    return frames;
  }

  #endLine(rest: string, frames: SseFrame[]): void {
    const line = this.#line.length === 0 ? rest : this.#line.join("") + rest;
    if (this.#line.length > 0) this.#held -= line.length - rest.length;
    this.#line = [];
    if (line === "") {
      if (this.#data.length > 0) frames.push({ id: this.#id, data: this.#data.join("\n") });
      this.#data = [];
      this.#id = undefined;
      this.#held = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#hold(this.#data, value);
    else if (field === "id") this.#id = value;
  }

  #hold(list: string[], text: string): void {
    this.#held += text.length;
    if (this.#held > this.#maxCharacters) {
      throw new ClientError(
        `The daemon sent an event of more than ${this.#maxCharacters} characters.`,
        { code: "bad_event" },
      );
    }
    list.push(text);
  }
}
