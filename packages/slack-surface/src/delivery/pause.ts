import type { Clock } from "../budget/clock.ts";

/** Waits for a time, or until it is woken. One waits at once; a wake before is not forgotten. */
export class Pause {
  readonly #clock: Clock;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** @param ms - At most so long; `Infinity` for as long as nobody wakes. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      using _timer = ms === Number.POSITIVE_INFINITY ? undefined : this.#clock.after(ms, resolve);
      await promise;
      this.#wake = undefined;
    }
    this.#isWoken = false;
  }
}
