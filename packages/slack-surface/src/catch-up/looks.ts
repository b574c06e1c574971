import type { Clock } from "../budget/clock.ts";

/**
 * While something is still owed it is looked again after so long, in milliseconds; after the last, that long each time.
 * What was not acknowledged comes again by itself within six minutes.
 */
const AGAIN_MS = [7, 14, 28, 60].map((minutes) => minutes * 60_000);

export type LooksOptions = {
  readonly clock: Clock;
  /** One look. What of it fails is its own business. */
  readonly look: () => Promise<void>;
  /** Whether something is owed a look. */
  readonly isOwed: () => boolean;
};

/** When it is looked for what was missed: one look at a time, and however often one is asked for meanwhile, one more. */
export class Looks implements Disposable {
  readonly #options: LooksOptions;
  #isLooking = false;
  #isWanted = false;
  #isClosed = false;
  #later: { readonly timer: Disposable; readonly at: number } | undefined;
  /** Looks since something new was missed. */
  #attempts = 0;

  constructor(options: LooksOptions) {
    this.#options = options;
  }

  /** Looks at once, or when the look that goes on is over. Resolves when no look goes on. */
  async now(): Promise<void> {
    this.#attempts = 0;
    await this.#look();
  }

  /** Something more is owed a look: it has time until the platform does not bring it any more. */
  soon(): void {
    this.#attempts = 0;
    if (!this.#isLooking) this.#wait();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#later?.timer[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    this.#isWanted = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#later?.timer[Symbol.dispose]();
    this.#later = undefined;
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        await this.#options.look();
      }
    } finally {
      this.#isLooking = false;
      this.#wait();
    }
  }

  #wait(): void {
    const { clock, isOwed } = this.#options;
    if (this.#isClosed || !isOwed()) return;
    const ms = AGAIN_MS[this.#attempts] ?? AGAIN_MS.at(-1) ?? 0;
    const at = clock.now() + ms;
    if (this.#later && this.#later.at <= at) return;
    this.#later?.timer[Symbol.dispose]();
    const timer = clock.after(ms, () => {
      this.#later = undefined;
      this.#attempts += 1;
      void this.#look();
    });
    this.#later = { timer, at };
  }
}
