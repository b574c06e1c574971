/**
 * So long without a sign of life, in milliseconds, and something may be lost: what the platform could not deliver it tries
 * again at once, a minute later and five minutes after that.
 */
export const AWAY_MS = 4 * 60_000;

/**
 * Whether the process was there all the time: signs of life that come too late are those of connections that were down,
 * and of a machine that has slept. By the time of day, which goes on meanwhile.
 */
export class Presence {
  #last: number;

  /** @param now - Milliseconds since the epoch. */
  constructor(now: number) {
    this.#last = now;
  }

  /** For how long there was no sign of life, in milliseconds, if that was too long; 0 otherwise. */
  sign(now: number): number {
    const silentMs = now - this.#last;
    this.#last = now;
    return silentMs >= AWAY_MS ? silentMs : 0;
  }
}
