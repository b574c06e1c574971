import type { TrackedTurn } from "@acp-kit/dcode-client";
import type { ErrorBody, EventPayload, KnownEvent } from "@acp-kit/dcode-protocol";

/** How a turn ended, and the last error that the daemon reported in it. */
export type TurnEnd = {
  readonly completed: EventPayload<"turn.completed">;
  readonly error: ErrorBody | undefined;
};

/**
 * The turn of a prompt. The daemon does not say which one it makes of it: it is the first that starts
 * behind what the session held before.
 */
export class OwnTurn {
  /** Resolves with undefined when nobody will learn how it ended. */
  readonly ended = Promise.withResolvers<TurnEnd | undefined>();
  readonly started = Promise.withResolvers<void>();
  /** Aborts when its prompt has been answered. */
  readonly over = new AbortController();
  readonly #text: string;
  readonly #after: number;
  /** Seq of its `turn.started`. */
  #seq: number | undefined;
  /** Of one that started with another text before the daemon had taken ours: somebody else's, it seems. */
  #doubtful: number | undefined;
  #accepted = false;

  constructor(text: string, after: number) {
    this.#text = text;
    this.#after = after;
    // Whoever waits hears of it; a prompt that was refused waits for nothing.
    this.ended.promise.catch(() => {});
  }

  get accepted(): boolean {
    return this.#accepted;
  }

  /** The daemon has taken the prompt: `running` is the turn that the session runs, as far as we have read. */
  accept(running: number | undefined): void {
    this.#accepted = true;
    if (this.#seq === undefined && running !== undefined && running === this.#doubtful) {
      this.#begin(running);
    }
  }

  /** Whether this is its start. */
  claim({ seq, payload }: Extract<KnownEvent, { type: "turn.started" }>): boolean {
    if (this.#seq !== undefined || seq <= this.#after) return false;
    const same = payload.text === undefined || payload.text.trim() === this.#text.trim();
    if (!same && !this.#accepted) {
      this.#doubtful = seq;
      return false;
    }
    this.#begin(seq);
    return true;
  }

  /** Whether this is it. One whose start was missed is the only one that can run, once it was taken. */
  isTurn(turn: TrackedTurn | undefined): boolean {
    return this.#seq === undefined ? this.#accepted && turn === undefined : turn?.seq === this.#seq;
  }

  #begin(seq: number): void {
    this.#seq = seq;
    this.started.resolve();
  }
}
