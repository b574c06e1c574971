/** How much of an agent's stderr is kept for error reports, in bytes. */
const TAIL_BYTES = 8 * 1024;

/** The last few KiB of a stream. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#bytes = Buffer.from(bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES)));
  }

  toString(): string {
    return this.#bytes.toString("utf8").trim();
  }
}
