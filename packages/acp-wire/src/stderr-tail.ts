/** How much of an agent's stderr is kept for error reports, in characters. */
const TAIL_CHARS = 8 * 1024;

/** The last lines of a stream, whose secrets were blackened: where they are cut does not matter then. */
export class StderrTail {
  #text = "";

  push(line: string): void {
    this.#text += `${line}\n`;
    // Now and then is enough: cutting at each line would copy the whole text for each.
    if (this.#text.length > 2 * TAIL_CHARS) this.#text = this.#text.slice(-TAIL_CHARS);
  }

  toString(): string {
    return this.#text.slice(-TAIL_CHARS).trim();
  }
}
