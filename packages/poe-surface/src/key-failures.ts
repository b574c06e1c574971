import type { Journal, Log } from "@acp-kit/relay";

/** One failed check of a key is answered after this long, each further one of the same minute after more. */
const DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** So many may wait; who comes then gets no answer at all. */
const MAX_WAITING = 64;
const MINUTE_MS = 60_000;
const MAX_SOURCES = 1_000;

type Minute = { since: number; failures: number };

/** Requests with a wrong key: counted, slowed, and logged at most once per minute and source. */
export class KeyFailures {
  readonly #log: Log;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #sources = new Map<string, Minute>();
  #waiting = 0;

  constructor(log: Log, journal: Journal, now: () => number) {
    this.#log = log;
    this.#journal = journal;
    this.#now = now;
  }

  /** Resolves when the failure may be answered. False: not at all. */
  async admit(bot: string, source: string): Promise<boolean> {
    const failures = this.#count(bot, source);
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    const ms = Math.min(failures * DELAY_MS, MAX_DELAY_MS);
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#waiting -= 1;
    return true;
  }

  #count(bot: string, source: string): number {
    const now = this.#now();
    const name = `${bot} ${source}`;
    const before = this.#sources.get(name);
    const isKnown = before !== undefined && now - before.since < MINUTE_MS;
    this.#journal.note(
      { surface: "poe", bot, what: "request", decision: "refuse", reason: "bad-key", source },
      isKnown ? "counted" : "noted",
    );
    if (isKnown) {
      before.failures += 1;
      return before.failures;
    }
    this.#log.warn(
      // Of the minute that the line before this one began.
      { bot, source, failuresBefore: before?.failures ?? 0 },
      "a request had no valid access key",
    );
    this.#sources.delete(name);
    this.#sources.set(name, { since: now, failures: 1 });
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > MAX_SOURCES && oldest !== undefined) this.#sources.delete(oldest);
    return 1;
  }
}
