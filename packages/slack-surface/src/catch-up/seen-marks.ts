import type { HeardBook } from "../book/heard-book.ts";
import { FOLLOW_MS } from "../intake/follow.ts";

/** What was said shortly before the newest message that came in may have been overtaken by it, in seconds. */
export const OVERLAP_S = 120;

/** A channel into which it has to be looked, and the `ts` after which something may be missing there. */
export type OwedChannel = { readonly channel: string; readonly after: string };

/** Only a look that begins after `until`, in milliseconds since the epoch, shows all that may be missing. */
type Debt = { readonly after: string; readonly until: number };

/**
 * Up to where the channels were heard. Where something may be missing a mark stays as it is until it is known what came
 * since then: otherwise the next new message would hide it, from the next start too. So does the mark of when the bot was
 * here last, which stands for channels that were never heard.
 */
export class SeenMarks {
  readonly #heard: HeardBook;
  /** Channels that were ever heard or looked into, as they are written down. */
  readonly #known = new Set<string>();
  readonly #owed = new Map<string, Debt>();
  /** What all those channels are owed that are not known; undefined for nothing. */
  #unheard: Debt | undefined;
  /** Newest messages of channels whose marks stay as they are. */
  readonly #since = new Map<string, string>();

  constructor(heard: HeardBook) {
    this.#heard = heard;
  }

  /** Channels that are owed a look: first those that had their last message latest. */
  get owed(): readonly OwedChannel[] {
    return [...this.#owed].map(([channel, { after }]) => ({ channel, after }));
  }

  /** Whether channels that were never heard are owed a look, so that it has to be asked which there are. */
  get owesUnheard(): boolean {
    return this.#unheard !== undefined;
  }

  /** Nobody has heard for a while: whatever came after the marks may be missing. A bot that is new has missed nothing. */
  owe(now: number): void {
    for (const { channel, ts } of this.#heard.seen()) {
      this.#known.add(channel);
      if (this.#owed.has(channel)) continue;
      // Of messages of longer ago it is not known any more what became of them.
      const isOld = now - Number(ts) * 1_000 > FOLLOW_MS;
      this.#owed.set(channel, { after: isOld ? ts : before(ts), until: now });
    }
    for (const [channel, { after }] of this.#owed) this.#owed.set(channel, { after, until: now });
    const here = this.#unheard?.after ?? this.#heard.hereUntil();
    if (here !== undefined) this.#unheard = { after: here, until: now };
  }

  /** The bot is in these channels: those that were never heard are owed what all of them are. */
  oweUnheard(channels: readonly string[]): void {
    for (const channel of channels) {
      if (!this.#unheard || this.#known.has(channel) || this.#owed.has(channel)) continue;
      this.#owed.set(channel, this.#unheard);
    }
  }

  /** A message came in, and what it led to is committed. */
  see(channel: string, ts: string): void {
    if (this.#owed.has(channel) || (this.#unheard && !this.#known.has(channel))) {
      if (ts > (this.#since.get(channel) ?? "")) this.#since.set(channel, ts);
      return;
    }
    this.#see(channel, ts);
    if (!this.#unheard && this.#owed.size === 0) this.#heard.here(before(ts));
  }

  /** A message came in, and could not be taken: it may not come again. */
  miss(channel: string, ts: string, now: number): void {
    const { after = ts } = this.#owed.get(channel) ?? {};
    const from = Number(after) < Number(ts) ? after : before(ts);
    this.#owed.set(channel, { after: from, until: now });
  }

  /**
   * A channel and its threads were looked into.
   *
   * @param begun - When that began, in milliseconds since the epoch.
   * @param newest - The `ts` of the newest message that is there. By the platform's time: this machine's may be wrong.
   */
  pay(channel: string, begun: number, newest: string | undefined): void {
    const debt = this.#owed.get(channel);
    if (!debt || debt.until > begun) return;
    this.#see(channel, latest(newest, this.#since.get(channel), behind(debt.after)));
    this.#owed.delete(channel);
  }

  /**
   * All channels are known that were never heard, and those that could be read have been paid.
   *
   * @param begun - When it was begun to ask which there are, in milliseconds since the epoch.
   */
  payUnheard(begun: number): void {
    if ((this.#unheard?.until ?? 0) > begun) return;
    if ([...this.#owed.keys()].some((channel) => !this.#known.has(channel))) return;
    this.#heard.here(instant(begun));
    this.#unheard = undefined;
    for (const [channel, ts] of this.#since) if (!this.#owed.has(channel)) this.#see(channel, ts);
  }

  #see(channel: string, ts: string): void {
    this.#heard.see(channel, ts);
    this.#known.add(channel);
    this.#since.delete(channel);
  }
}

/** As the platform writes it. */
function instant(ms: number): string {
  return (ms / 1_000).toFixed(6);
}

function before(ts: string): string {
  return (Number(ts) - OVERLAP_S).toFixed(6);
}

/** The inverse of {@link before}. */
function behind(ts: string): string {
  return (Number(ts) + OVERLAP_S).toFixed(6);
}

/** All have the same number of digits until the year 2286. */
function latest(...all: readonly (string | undefined)[]): string {
  return all.reduce<string>((last, ts = "") => (ts > last ? ts : last), "");
}
