/** What the fake's time is: life times, rate windows, deadlines and retries all go by it. */
export type SlackClock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms`, unless disposed before. */
  after(ms: number, run: () => void): Disposable;
};

export const systemClock: SlackClock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

type Waiting = { readonly at: number; readonly run: () => void };

/** A clock that stands still until it is moved. */
export class ManualClock implements SlackClock {
  #now: number;
  #waiting: Waiting[] = [];

  /** @param startAt - Milliseconds since the epoch. */
  constructor(startAt: number = Date.UTC(2026, 0, 5, 12)) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    const entry = { at: this.#now + Math.max(0, ms), run };
    this.#waiting.push(entry);
    return {
      [Symbol.dispose]: () => {
        this.#waiting = this.#waiting.filter((each) => each !== entry);
      },
    };
  }

  /** Moves on, and runs in their order what falls due on the way. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#waiting
        .filter(({ at }) => at <= until)
        .reduce<Waiting | undefined>(
          (first, each) => (first && first.at <= each.at ? first : each),
          undefined,
        );
      if (!next) break;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = until;
  }
}
