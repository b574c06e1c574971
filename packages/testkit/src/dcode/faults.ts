/** What a request meets instead of its answer. */
export type DcodeFault =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  /** It is carried out, and the connection breaks before the answer. */
  | { readonly kind: "lose-answer" }
  /** The connection breaks, and nothing is carried out. */
  | { readonly kind: "break" }
  /** Nothing is answered. */
  | { readonly kind: "hang" };

/** Faults that wait for the requests of their routes, first come first served. */
export class Faults {
  #waiting: { readonly route: string; readonly fault: DcodeFault; times: number }[] = [];

  add(route: string, fault: DcodeFault, times: number): void {
    this.#waiting.push({ route, fault, times });
  }

  take(route: string): DcodeFault | undefined {
    const next = this.#waiting.find((each) => each.route === route);
    if (!next) return undefined;
    next.times -= 1;
    if (next.times === 0) this.#waiting = this.#waiting.filter((each) => each !== next);
    return next.fault;
  }
}
