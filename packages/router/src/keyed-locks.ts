/** Mutual exclusion by name, first come first served. */
export class KeyedLocks {
  /** For each name that is held: whoever waits for it, in order of arrival. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves with the release, once nobody else holds `name`. Rejects with the signal's reason when it aborts first. */
  async acquire(name: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(name);
    if (!waiting) {
      this.#waiting.set(name, []);
      return this.#release(name);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      const place = waiting.indexOf(resolve);
      if (place >= 0) waiting.splice(place, 1);
      reject(signal?.reason);
    };
    waiting.push(resolve);
    signal?.addEventListener("abort", abort);
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return this.#release(name);
  }

  #release(name: string): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiting.get(name)?.shift();
      if (next) next();
      else this.#waiting.delete(name);
    };
  }
}
