import type { PermissionOutcome } from "@acp-kit/acp-wire";
import type { EventBody, PermissionAsk, PermissionEnd, PermissionOption } from "./events.ts";

/** How a question ended. Without an option the agent is told `cancelled`. */
export type Ending = {
  readonly end: PermissionEnd;
  readonly option?: PermissionOption;
  readonly by?: string;
  readonly remembered?: "now" | "before";
};

/** What the log has of a question. */
export type QuestionEvent = Extract<EventBody, { kind: "permission-ask" | "permission-answer" }>;

/** The open questions of a turn. Each ends once: by an answer, the clock, the agent, or the turn. */
export class Questions {
  readonly #record: (event: QuestionEvent, ask: PermissionAsk) => void;
  readonly #open = new Map<
    string,
    { ask: PermissionAsk; tell: (outcome: PermissionOutcome) => void }
  >();

  constructor(record: (event: QuestionEvent, ask: PermissionAsk) => void) {
    this.#record = record;
  }

  /** Oldest first. */
  get asks(): readonly PermissionAsk[] {
    return [...this.#open.values()].map(({ ask }) => ask);
  }

  /**
   * Asks, and resolves with what the agent is to be told.
   *
   * @param expiresInMs - The question lapses then; the agent is told `cancelled`.
   */
  async ask(
    ask: PermissionAsk,
    expiresInMs: number,
    signal: AbortSignal,
  ): Promise<PermissionOutcome> {
    const { promise, resolve } = Promise.withResolvers<PermissionOutcome>();
    this.#open.set(ask.id, { ask, tell: resolve });
    this.#record({ kind: "permission-ask", ask }, ask);
    const timer = setTimeout(() => this.settle(ask.id, { end: "expired" }), expiresInMs);
    const cancel = () => this.settle(ask.id, { end: "cancelled" });
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends all of them: the agent is told `cancelled`. */
  drop(): void {
    for (const id of [...this.#open.keys()]) this.settle(id, { end: "cancelled" });
  }

  /**
   * Ends a question; false when it has ended already. The event is recorded at once, so that it stands before whatever
   * the turn says next.
   */
  settle(permission: string, ending: Ending): boolean {
    const question = this.#open.get(permission);
    if (!question) return false;
    this.#open.delete(permission);
    this.#record({ kind: "permission-answer", permission, ...ending }, question.ask);
    question.tell(
      ending.option === undefined
        ? { outcome: "cancelled" }
        : { outcome: "selected", optionId: ending.option.id },
    );
    return true;
  }
}
