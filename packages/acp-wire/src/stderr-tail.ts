/** How much of an agent's stderr is kept for error reports, in bytes. */
const TAIL_BYTES = 8 * 1024;
/** Shorter values are no secrets, and would blacken ordinary text. */
const MIN_SECRET_LENGTH = 8;

/** The last few KiB of a stream, with the given secrets blackened when it is read. */
export class StderrTail {
  readonly #secrets: readonly string[];
  #bytes: Buffer = Buffer.alloc(0);

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  }

  push(chunk: Buffer): void {
    const bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#bytes = Buffer.from(bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES)));
  }

  toString(): string {
    let text = this.#bytes.toString("utf8").trim();
    for (const secret of this.#secrets) text = text.replaceAll(secret, "[redacted]");
    return text;
  }
}
