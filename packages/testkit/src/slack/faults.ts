/** What a call meets instead of its answer. */
export type SlackFault =
  /** `ok: false` with this word, and nothing is carried out. */
  | { readonly kind: "error"; readonly error: string }
  /** HTTP 429, or the same said with status 200. */
  | { readonly kind: "rate-limit"; readonly retryAfterS: number; readonly status?: 429 | 200 }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** It is carried out, and the connection breaks before the answer. */
  | { readonly kind: "lose-answer" }
  /** It is carried out, and the answer is this error. */
  | { readonly kind: "false-error"; readonly error: string }
  /** The connection breaks, and nothing is carried out. */
  | { readonly kind: "break" }
  /** Nothing is answered, as long as the client waits. */
  | { readonly kind: "hang" }
  /** It is carried out when this resolves. */
  | { readonly kind: "hold"; readonly until: Promise<unknown> };

/** Faults that wait for calls of their method, first come first served. */
export class SlackFaults {
  #waiting: { readonly method: string; readonly fault: SlackFault; times: number }[] = [];

  /** @param method - As in `chat.update`, or `*` for any. */
  add(method: string, fault: SlackFault, times: number): void {
    this.#waiting.push({ method, fault, times });
  }

  take(method: string): SlackFault | undefined {
    const next = this.#waiting.find((each) => each.method === method || each.method === "*");
    if (!next) return undefined;
    next.times -= 1;
    if (next.times === 0) this.#waiting = this.#waiting.filter((each) => each !== next);
    return next.fault;
  }

  clear(): void {
    this.#waiting = [];
  }
}
