import type { LogEvent } from "../events.ts";

/** A tail of more events is begun anew. */
const TAIL_EVENTS = 32;

/** Characters of event bodies that are kept in all. */
const TAIL_CHARS = 1 << 20;

type Tail = { readonly events: LogEvent[]; chars: number };

/**
 * The newest events of the conversations that this process wrote last, so that readers who keep up ask no database.
 * Only what is committed may be read: the database's transactions and this are moved in one tick.
 */
export class LogTail {
  /** In the order of their last append. */
  readonly #tails = new Map<string, Tail>();
  #chars = 0;

  /** @param chars - Size of the events' bodies. */
  append(conversation: string, events: readonly LogEvent[], chars: number): void {
    const known = this.#tails.get(conversation);
    const tail: Tail =
      known && known.events.length <= TAIL_EVENTS ? known : { events: [], chars: 0 };
    this.drop(conversation);
    tail.events.push(...events);
    tail.chars += chars;
    this.#tails.set(conversation, tail);
    this.#chars += tail.chars;
    for (const oldest of this.#tails.keys()) {
      if (this.#chars <= TAIL_CHARS) break;
      this.drop(oldest);
    }
  }

  /** At most `limit` events behind `after`; `undefined` when they are not all here. */
  read(conversation: string, after: number, limit: number): readonly LogEvent[] | undefined {
    const events = this.#tails.get(conversation)?.events;
    const first = events?.[0]?.seq;
    const last = events?.at(-1)?.seq;
    if (!events || first === undefined || last === undefined) return undefined;
    if (after + 1 < first || after > last) return undefined;
    return events.slice(after + 1 - first, after + 1 - first + limit);
  }

  drop(conversation: string): void {
    const tail = this.#tails.get(conversation);
    if (!tail) return;
    this.#chars -= tail.chars;
    this.#tails.delete(conversation);
  }
}
