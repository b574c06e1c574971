/** Handlers by method; the one of `"*"` takes what has none of its own. */
export class Handlers<Handler> {
  readonly #byMethod = new Map<string, Handler>();

  /** A later handler of a method replaces an earlier one; disposing removes only its own. */
  set(method: string, handler: Handler): Disposable {
    this.#byMethod.set(method, handler);
    return {
      [Symbol.dispose]: () => {
        if (this.#byMethod.get(method) === handler) this.#byMethod.delete(method);
      },
    };
  }

  get(method: string): Handler | undefined {
    return this.#byMethod.get(method) ?? this.#byMethod.get("*");
  }
}
