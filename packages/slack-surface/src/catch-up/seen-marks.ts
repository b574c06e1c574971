import type { HeardBook } from "../book/heard-book.ts";

/** Channels, of many the latest, in which it is looked for what was missed. */
export const MAX_CHANNELS = 50;

/**
 * Up to where the channels were heard. A mark that stood when the process began stays where it is until it is known what
 * came between it and then: otherwise the first new message would hide what was missed.
 */
export class SeenMarks {
  readonly #heard: HeardBook;
  /** As they stood. */
  readonly #held: Map<string, string>;
  /** Newest messages of channels whose marks are held. */
  readonly #since = new Map<string, string>();

  constructor(heard: HeardBook) {
    this.#heard = heard;
    const marks = heard.seen().slice(0, MAX_CHANNELS);
    this.#held = new Map(marks.map(({ channel, ts }) => [channel, ts]));
  }

  /** Marks that are held. */
  get held(): ReadonlyMap<string, string> {
    return this.#held;
  }

  /** A message came in, and what it led to is committed. */
  see(channel: string, ts: string): void {
    if (!this.#held.has(channel)) this.#heard.see(channel, ts);
    else if (ts > (this.#since.get(channel) ?? "")) this.#since.set(channel, ts);
  }

  /** Nothing is missing in the channel any more. */
  letGo(channel: string): void {
    const ts = this.#since.get(channel);
    this.#held.delete(channel);
    this.#since.delete(channel);
    if (ts !== undefined) this.#heard.see(channel, ts);
  }
}
