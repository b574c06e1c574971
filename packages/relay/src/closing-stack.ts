import { setTimeout } from "node:timers/promises";
import type { Log } from "./log.ts";

/** How long one thing may take to close when nothing else is said, in milliseconds. */
const CLOSE_MS = 15_000;

type Step = {
  readonly name: string;
  readonly close: () => Promise<unknown>;
  readonly limitMs: number;
};

/** What was started, to be stopped in the opposite order. */
export class ClosingStack {
  readonly #log: Log;
  readonly #steps: Step[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes over a resource and gives it back. */
  use<Resource extends AsyncDisposable>(name: string, resource: Resource): Resource {
    this.add(name, async () => resource[Symbol.asyncDispose]());
    return resource;
  }

  add(name: string, close: () => Promise<unknown>, limitMs: number = CLOSE_MS): void {
    this.#steps.push({ name, close, limitMs });
  }

  /** Closes everything, the newest first. What fails or takes too long is logged and keeps nothing else from closing. */
  async close(): Promise<void> {
    for (const { name: what, close, limitMs } of this.#steps.splice(0).reverse()) {
      const bound = new AbortController();
      const late = setTimeout(limitMs, "late" as const, bound);
      try {
        const first = await Promise.race([close(), late]);
        if (first === "late") this.#log.error({ what, limitMs }, "closing took too long");
      } catch (err) {
        this.#log.error({ err, what }, "closing failed");
      } finally {
        bound.abort();
      }
    }
  }
}
