import type { Log } from "./log.ts";

/** What was started, to be stopped in the opposite order. */
export class ClosingStack {
  readonly #log: Log;
  readonly #steps: { readonly name: string; readonly close: () => Promise<void> }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Takes over a resource and gives it back. */
  use<Resource extends AsyncDisposable>(name: string, resource: Resource): Resource {
    this.add(name, async () => resource[Symbol.asyncDispose]());
    return resource;
  }

  /** `close` has to end within a bound of its own. */
  add(name: string, close: () => Promise<void>): void {
    this.#steps.push({ name, close });
  }

  /** Closes everything, the newest first. One failure is logged and keeps nothing else from closing. */
  async close(): Promise<void> {
    for (const { name, close } of this.#steps.splice(0).reverse()) {
      try {
        await close();
      } catch (err) {
        this.#log.error({ err, what: name }, "closing failed");
      }
    }
  }
}
