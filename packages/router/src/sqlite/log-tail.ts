import type { LogEvent } from "../events.ts";

/** Events that are kept of each conversation. */
const TAIL_EVENTS = 32;

/**
 * The newest events of the conversations that this process writes, so that readers who keep up ask no database.
 * Only what is committed may be read: the database's transactions and this are moved in one tick.
 */
export class LogTail {
  readonly #tails = new Map<string, LogEvent[]>();

  append(conversation: string, events: readonly LogEvent[]): void {
    const tail = this.#tails.get(conversation);
    if (!tail) {
      this.#tails.set(conversation, events.slice(-TAIL_EVENTS));
      return;
    }
    tail.push(...events.slice(-TAIL_EVENTS));
    if (tail.length > 2 * TAIL_EVENTS) tail.splice(0, tail.length - TAIL_EVENTS);
  }

  /** At most `limit` events behind `after`; `undefined` when they are not all here. */
  read(conversation: string, after: number, limit: number): readonly LogEvent[] | undefined {
    const tail = this.#tails.get(conversation);
    const first = tail?.[0]?.seq;
    const last = tail?.at(-1)?.seq;
    if (!tail || first === undefined || last === undefined) return undefined;
    if (after + 1 < first || after > last) return undefined;
    return tail.slice(after + 1 - first, after + 1 - first + limit);
  }

  drop(conversation: string): void {
    this.#tails.delete(conversation);
  }
}
