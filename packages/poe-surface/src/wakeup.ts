/** Ends the one wait of a loop, from wherever something happens that concerns it. */
export class Wakeup {
  #woken = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  /** Wakes when `work` has settled; gives where its result is then. */
  watch<T>(work: Promise<T>): { result?: () => T } {
    const settled: { result?: () => T } = {};
    const settle = (result: () => T) => {
      settled.result = result;
      this.wake();
    };
    work.then(
      (value) => settle(() => value),
      (error: unknown) =>
        settle(() => {
          throw error;
        }),
    );
    return settled;
  }

  /** Resolves at the next `wake`, at once if there was one since the last wait, and at the latest after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#woken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
      await promise;
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    this.#woken = false;
  }
}

/** Longer waits overflow Node's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;
