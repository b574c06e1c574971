import { setTimeout } from "node:timers/promises";
import { withinEventSize } from "./event-size.ts";
import type { EventBody, NewEvent } from "./events.ts";
import { isOutput, measure } from "./output-cap.ts";
import { MAX_EVENT_CHARS } from "./session-update.ts";

/** How long nothing can be saved before what runs is stopped, in milliseconds. */
export const SAVE_PATIENCE_MS = 30_000;

/** Output that waits to be saved before what runs is stopped, in bytes. */
export const MAX_UNSAVED_BYTES = 8 * 1024 * 1024;

/** Pauses between two attempts to save, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;

export type LogWriterHost = {
  append(events: readonly NewEvent[]): Promise<unknown>;
  now(): number;
  /** Saving has failed, and is tried again. Called once for each time that it begins to fail. */
  onFailure(error: unknown): void;
  /** Nothing could be saved for too long, or too much waits: what runs must come to its end. It can still be recorded. */
  onStuck(): void;
  /** Nothing can be recorded any more: another owner has come, or the store is closed or damaged. Called once. */
  onLost(error: unknown): void;
};

type Outage = {
  readonly since: number;
  /** Output that was recorded since. */
  bytes: number;
  /** What runs has been told to come to its end. */
  stuck: boolean;
  /** Output was dropped. */
  dropped: boolean;
};

/**
 * Writes what a conversation has to say to its log: what is recorded in one tick becomes one transaction, and texts
 * that follow each other in it become one event.
 *
 * While the store cannot be written, everything waits in memory and is tried again; once it is written, a notice says
 * so in front of it. Beyond a bound the agent's output is dropped, and the notice says that too.
 */
export class LogWriter {
  readonly #host: LogWriterHost;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  /** What was recorded in this tick. */
  #batch: NewEvent[] = [];
  /** Ends when everything that was recorded so far is saved; rejects when that will never be. */
  #written: Promise<void> = Promise.resolve();
  /** Set while saving fails. */
  #outage: Outage | undefined;
  #lost = false;

  constructor(host: LogWriterHost, patienceMs: number = SAVE_PATIENCE_MS) {
    this.#host = host;
    this.#patienceMs = patienceMs;
  }

  record(event: EventBody, turn: string | undefined): void {
    if (this.#lost) return;
    if (this.#outage && isOutput(event) && !this.#hasRoom(this.#outage, event)) return;
    const last = this.#batch.at(-1);
    if (
      (event.kind === "text" || event.kind === "thought") &&
      last?.kind === event.kind &&
      last.turn === turn &&
      last.text.length + event.text.length <= MAX_EVENT_CHARS
    ) {
      this.#batch[this.#batch.length - 1] = { ...last, text: last.text + event.text };
      return;
    }
    const fitting = isOutput(event) ? event : withinEventSize(event);
    this.#batch.push({ ...fitting, at: this.#host.now(), ...(turn !== undefined && { turn }) });
    if (this.#batch.length === 1) queueMicrotask(() => this.flush().catch(() => undefined));
  }

  /** Resolves once everything that was recorded is saved; rejects when it never will be. */
  flush(): Promise<void> {
    if (this.#batch.length > 0) {
      const batch = this.#batch;
      this.#batch = [];
      this.#written = this.#written.then(() => this.#save(batch));
      // Whoever needs to know asks by a flush of its own.
      this.#written.catch(() => undefined);
    }
    return this.#written;
  }

  /** From now on the first failure is the last: the owner leaves. */
  stopRetrying(): void {
    this.#closing.abort();
  }

  async #save(batch: readonly NewEvent[]): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      try {
        await this.#host.append(this.#outage ? [this.#createNotice(batch), ...batch] : batch);
        this.#outage = undefined;
        return;
      } catch (error) {
        if (!isUnwritable(error) || this.#closing.signal.aborted) {
          this.#lose(error);
          throw error;
        }
        this.#noteFailure(error);
      }
      await setTimeout(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  #noteFailure(error: unknown): void {
    const now = this.#host.now();
    if (!this.#outage) {
      this.#outage = { since: now, bytes: 0, stuck: false, dropped: false };
      this.#host.onFailure(error);
    } else if (now - this.#outage.since >= this.#patienceMs) {
      this.#giveUp(this.#outage);
    }
  }

  #hasRoom(outage: Outage, event: EventBody): boolean {
    outage.bytes += measure(event);
    if (outage.bytes > MAX_UNSAVED_BYTES) this.#giveUp(outage);
    if (outage.stuck) outage.dropped = true;
    return !outage.stuck;
  }

  #giveUp(outage: Outage): void {
    if (outage.stuck) return;
    outage.stuck = true;
    this.#host.onStuck();
  }

  #lose(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#batch = [];
    this.#host.onLost(error);
  }

  #createNotice(batch: readonly NewEvent[]): NewEvent {
    const at = this.#host.now();
    const seconds = Math.ceil((at - (this.#outage?.since ?? at)) / 1000);
    const lost = this.#outage?.dropped ? " Part of the agent's output is missing." : "";
    const text = `The relay could not save anything for ${seconds} s.${lost}`;
    const turn = batch[0]?.turn;
    return { kind: "notice", level: "warning", text, at, ...(turn !== undefined && { turn }) };
  }
}

function isUnwritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "unwritable";
}
