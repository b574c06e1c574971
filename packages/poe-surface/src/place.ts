import { type ConversationLog, type Cursor, type LogEvent, RouterError } from "@acp-kit/router";

/** A place in a log that goes on behind a gap when the events it wanted are no longer there. */
export class Place implements AsyncDisposable {
  readonly #log: ConversationLog;
  readonly #turn: string | undefined;
  #cursor: Cursor;
  #hasLost = false;

  /** @param turn - The place ends behind this turn's end; absent for a place without an end. */
  constructor(log: ConversationLog, after: number, turn: string | undefined) {
    this.#log = log;
    this.#turn = turn;
    this.#cursor = this.#follow(after);
  }

  /** Whether events were missing since this was asked last. */
  takeLost(): boolean {
    const hasLost = this.#hasLost;
    this.#hasLost = false;
    return hasLost;
  }

  /** The next events, or `undefined` at the end. */
  async next(): Promise<readonly LogEvent[] | undefined> {
    try {
      return await this.#cursor.next();
    } catch (error) {
      const { first, last } = error instanceof RouterError ? error : {};
      const after = first === undefined ? last : first - 1;
      if (after === undefined) throw error;
      this.#hasLost = true;
      // The log has become shorter, as by an erasure: the turn that was followed went with it.
      if (first === undefined && this.#turn !== undefined) return undefined;
      this.#cursor = this.#follow(after);
      return this.#cursor.next();
    }
  }

  /** Resolves at the end, whatever comes before it. */
  async ended(): Promise<void> {
    while (await this.next());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cursor[Symbol.asyncDispose]();
  }

  #follow(after: number): Cursor {
    return this.#log.follow({ after, ...(this.#turn !== undefined && { turn: this.#turn }) });
  }
}
