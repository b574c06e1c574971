import type { Clock } from "../budget/clock.ts";

/** Connections of others are told of when they are there for so long: a process that hands over has some yet, in milliseconds. */
const LASTING_MS = 60_000;

export type OtherConnectionsOptions = {
  readonly clock: Clock;
  /** Has the platform say once more how many there are. */
  readonly look: () => void;
  /** Somebody else has so many, and keeps them. */
  readonly onOthers?: ((count: number) => void) | undefined;
};

/** Connections that somebody else has for the same app: they take a share of what comes. */
export class OtherConnections implements Disposable {
  readonly #options: OtherConnectionsOptions;
  #counted = 0;
  #since: number | undefined;
  #isLasting = false;
  #timer: Disposable | undefined;

  constructor(options: OtherConnectionsOptions) {
    this.#options = options;
  }

  /** How many there are, once they last. */
  get count(): number {
    return this.#isLasting ? this.#counted : 0;
  }

  /** @param count - As the platform says at a greeting. */
  take(count: number): void {
    const { clock, look, onOthers } = this.#options;
    const now = clock.now();
    this.#counted = count;
    if (count === 0) {
      this[Symbol.dispose]();
      this.#since = undefined;
      this.#isLasting = false;
      return;
    }
    this.#since ??= now;
    if (this.#isLasting) return;
    const restMs = this.#since + LASTING_MS - now;
    this.#isLasting = restMs <= 0;
    if (this.#isLasting) onOthers?.(count);
    else this.#timer ??= clock.after(restMs, look);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
