import type { CallQueue } from "../budget/call-queue.ts";

/** How many streams of a workspace are live, so that none is started that could not be ended in time. */
export class StreamSlots {
  readonly #queue: CallQueue;
  #live = 0;

  constructor(queue: CallQueue) {
    this.#queue = queue;
  }

  /** A stream may start now; disposing says that it has ended. */
  take(): Disposable | undefined {
    if (!this.#queue.admitsStream(this.#live)) return undefined;
    this.#live += 1;
    let isLive = true;
    return {
      [Symbol.dispose]: () => {
        if (isLive) this.#live -= 1;
        isLive = false;
      },
    };
  }
}
