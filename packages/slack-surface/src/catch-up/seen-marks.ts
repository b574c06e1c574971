import type { HeardBook } from "../book/heard-book.ts";

/** Channels, of many the latest, in which it is looked for what was missed. */
export const MAX_CHANNELS = 50;

/** What was said shortly before the newest message that came in may have been overtaken by it, in seconds. */
export const OVERLAP_S = 120;

/**
 * Up to where the channels were heard. A mark that stood when the process began stays where it is until it is known what
 * came between it and then: otherwise the first new message would hide what was missed. So does the mark of when the bot
 * was here last, and with it those of channels that were never heard.
 */
export class SeenMarks {
  /** The `ts` up to which nothing was missed where nothing was ever heard; undefined for a bot that is new. */
  readonly hereUntil: string | undefined;
  readonly #heard: HeardBook;
  /** All that were ever heard. */
  readonly #known: ReadonlySet<string>;
  /** As they stood. */
  readonly #held: Map<string, string>;
  /** Newest messages of channels whose marks are held. */
  readonly #since = new Map<string, string>();
  #isHere: boolean;

  constructor(heard: HeardBook) {
    this.#heard = heard;
    const marks = heard.seen();
    this.#known = new Set(marks.map(({ channel }) => channel));
    this.#held = new Map(marks.slice(0, MAX_CHANNELS).map(({ channel, ts }) => [channel, ts]));
    this.hereUntil = heard.hereUntil();
    this.#isHere = this.hereUntil === undefined;
  }

  /** Marks that are held. */
  get held(): ReadonlyMap<string, string> {
    return this.#held;
  }

  /** Whether something was heard in a channel before the process began. */
  isKnown(channel: string): boolean {
    return this.#known.has(channel);
  }

  /** A message came in, and what it led to is committed. */
  see(channel: string, ts: string): void {
    if (this.#held.has(channel) || (!this.#isHere && !this.#known.has(channel))) {
      if (ts > (this.#since.get(channel) ?? "")) this.#since.set(channel, ts);
    } else {
      this.#heard.see(channel, ts);
    }
    if (this.#isHere) this.#heard.here((Number(ts) - OVERLAP_S).toFixed(6));
  }

  /** Nothing is missing in the channel any more. */
  letGo(channel: string): void {
    const ts = this.#since.get(channel);
    this.#held.delete(channel);
    this.#since.delete(channel);
    if (ts !== undefined) this.#heard.see(channel, ts);
  }

  /** Nothing that was said before an instant is missing where nothing was ever heard. @param ts - The instant. */
  here(ts: string): void {
    this.#isHere = true;
    this.#heard.here(ts);
    for (const channel of [...this.#since.keys()])
      if (!this.#held.has(channel)) this.letGo(channel);
  }
}
