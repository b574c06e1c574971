/** Longest line accepted by default, in bytes. The ACP SDK uses the same bound. */
export const DEFAULT_MAX_LINE_BYTES = 32 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
/** UTF-8 byte order mark. */
const BOM = [0xef, 0xbb, 0xbf] as const;
/** How much of an oversize line is handed on, so that a person can tell what it was. */
const PREVIEW_BYTES = 256;
/** A buffer for an unfinished line is given back above this size, in bytes. */
const KEEP_BYTES = 1024 * 1024;

export interface LineSplitterOptions {
  /** A whole line as text, without its LF or CRLF. Invalid UTF-8 arrives as U+FFFD. */
  onLine: (line: string) => void;
  /** A line passed `maxLineBytes`; called once, as soon as that is known. The line is skipped. */
  onOversize?: ((start: string) => void) | undefined;
  /** Longest accepted line in bytes, line end excluded. Default 32 MiB. */
  maxLineBytes?: number | undefined;
}

/**
 * Splits bytes into lines at LF, wherever the chunks are cut, and holds at most one unfinished line.
 *
 * Only whole lines are decoded, so a character that is cut between two chunks arrives
 * intact and U+2028 is no line end. A byte order mark at the start of the stream is taken off.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onOversize: ((start: string) => void) | undefined;
  readonly #maxBytes: number;
  /** Bytes of the line that has not ended yet: the first `#heldBytes` of `#held`. */
  #held: Buffer = Buffer.alloc(0);
  #heldBytes = 0;
  /** Set when the unfinished line was reported as oversize; its rest is skipped up to the next LF. */
  #skipping = false;
  /** How many bytes of a byte order mark the stream has begun with; undefined once that is settled. */
  #bomSeen: number | undefined = 0;

  constructor(options: LineSplitterOptions) {
    this.#onLine = options.onLine;
    this.#onOversize = options.onOversize;
    this.#maxBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  push(chunk: Uint8Array): void {
    let bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#bomSeen !== undefined) bytes = this.#withoutBom(bytes);
    let start = 0;
    if (this.#heldBytes > 0 || this.#skipping) {
      const end = bytes.indexOf(LF);
      if (end === -1) {
        if (!this.#skipping) this.#hold(bytes, 0);
        return;
      }
      this.#endHeldLine(bytes, 0, end);
      start = end + 1;
    }
    const last = bytes.lastIndexOf(LF);
    if (last >= start) {
      if (last - start <= this.#maxBytes) this.#endLines(bytes, start, last);
      else this.#endLinesByBytes(bytes, start, last);
      start = last + 1;
    }
    if (start < bytes.length) this.#hold(bytes, start);
  }

  /** The input has ended: what is left is a line of its own. */
  flush(): void {
    const started = this.#bomSeen ?? 0;
    this.#bomSeen = undefined;
    // One or two bytes of a mark that never became one are ordinary (and invalid) text.
    if (started > 0 && started < BOM.length) this.#hold(Buffer.from(BOM.slice(0, started)), 0);
    if (this.#heldBytes > 0) this.#endHeldLine(this.#held, 0, 0);
    this.#skipping = false;
  }

  #withoutBom(bytes: Buffer): Buffer {
    const before = this.#bomSeen ?? 0;
    let seen = before;
    let at = 0;
    while (seen < BOM.length && at < bytes.length && bytes[at] === BOM[seen]) {
      seen++;
      at++;
    }
    if (seen === BOM.length) {
      this.#bomSeen = undefined;
      return bytes.subarray(at);
    }
    if (at === bytes.length) {
      this.#bomSeen = seen;
      return bytes.subarray(at);
    }
    this.#bomSeen = undefined;
    if (before > 0) this.#hold(Buffer.from(BOM.slice(0, before)), 0);
    return bytes;
  }

  /**
   * Lines that are short enough because all of them together are: decoded in one go, which is
   * cheaper and the same, since no sequence of bytes, valid or not, is decoded across an LF.
   */
  #endLines(bytes: Buffer, start: number, lastLineEnd: number): void {
    const text = bytes.toString("utf8", start, lastLineEnd + 1);
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      const hasCr = end > from && text.charCodeAt(end - 1) === CR;
      this.#onLine(text.slice(from, hasCr ? end - 1 : end));
      from = end + 1;
    }
  }

  #endLinesByBytes(bytes: Buffer, start: number, lastLineEnd: number): void {
    let from = start;
    while (from <= lastLineEnd) {
      const end = bytes.indexOf(LF, from);
      this.#endLine(bytes, from, end);
      from = end + 1;
    }
  }

  #endLine(bytes: Buffer, start: number, lineEnd: number): void {
    const end = lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    if (end - start > this.#maxBytes) this.#reportOversize(bytes, start, end);
    else this.#onLine(bytes.toString("utf8", start, end));
  }

  #endHeldLine(bytes: Buffer, start: number, lineEnd: number): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    if (lineEnd > start) this.#hold(bytes.subarray(0, lineEnd), start);
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const held = this.#held;
    const heldBytes = this.#heldBytes;
    this.#release();
    this.#endLine(held, 0, heldBytes);
  }

  #hold(bytes: Buffer, start: number): void {
    const needed = this.#heldBytes + bytes.length - start;
    // One byte more is allowed while it may be the CR of a CRLF.
    if (needed > this.#maxBytes + (bytes[bytes.length - 1] === CR ? 1 : 0)) {
      this.#grow(Math.min(needed, PREVIEW_BYTES));
      bytes.copy(this.#held, this.#heldBytes, start);
      this.#reportOversize(this.#held, 0, Math.min(needed, this.#held.length));
      this.#release();
      this.#skipping = true;
      return;
    }
    this.#grow(needed);
    bytes.copy(this.#held, this.#heldBytes, start);
    this.#heldBytes = needed;
  }

  #grow(needed: number): void {
    if (needed <= this.#held.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#held.length * 2, 4096));
    this.#held.copy(grown, 0, 0, this.#heldBytes);
    this.#held = grown;
  }

  #release(): void {
    this.#heldBytes = 0;
    if (this.#held.length > KEEP_BYTES) this.#held = Buffer.alloc(0);
  }

  #reportOversize(bytes: Buffer, start: number, end: number): void {
    this.#onOversize?.(bytes.toString("utf8", start, Math.min(end, start + PREVIEW_BYTES)));
  }
}
