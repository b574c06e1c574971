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

  /** Set once events were missing. */
  get hasLost(): boolean {
    return this.#hasLost;
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
