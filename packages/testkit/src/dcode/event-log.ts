import { type DcodeEvent, parseEventValue } from "@acp-kit/dcode-protocol";

/** A session's events in memory. It keeps the last ones. */
export class EventLog {
  readonly #session: string;
  readonly #retention: number;
  readonly #at: () => string;
  readonly #listeners = new Set<() => void>();
  #events: DcodeEvent[] = [];
  #last = 0;

  /** @param at - The time of the next event. */
  constructor(session: string, retention: number, at: () => string) {
    this.#session = session;
    this.#retention = retention;
    this.#at = at;
  }

  get last(): number {
    return this.#last;
  }

  /** The first event that is still there, or the next one where there is none. */
  get first(): number {
    return this.#last - this.#events.length + 1;
  }

  get(seq: number): DcodeEvent | undefined {
    return this.#events[seq - this.first];
  }

  /** @throws ProtocolError when the payload is none of its type: the fault is in the script. */
  append(type: string, payload: unknown): DcodeEvent {
    const seq = this.#last + 1;
    const envelope = { seq, session_id: this.#session, type, at: this.#at() };
    const event = parseEventValue({ ...envelope, payload });
    this.#last = seq;
    this.#events.push(event);
    if (this.#events.length > this.#retention) this.#events.shift();
    for (const listener of this.#listeners) listener();
    return event;
  }

  /** Calls after each event, until disposed. */
  onAppend(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
