import { asNotSent, WireError } from "./errors.ts";
import type { Frame, Sink } from "./io.ts";

/** Most that may wait for a peer that does not read, in bytes. */
export const DEFAULT_MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** A caller that waits for room is let through below this, in bytes: the size of a Linux pipe. */
const HIGH_WATER_BYTES = 64 * 1024;

export interface OutboxOptions {
  maxQueuedBytes?: number | undefined;
  /** How long a write may wait for the peer before the connection fails. 0: for ever. */
  writeTimeoutMs?: number | undefined;
  onError: (error: WireError) => void;
}

const READY: Promise<void> = Promise.resolve();

/**
 * The one way out: frames leave in the order of `send`, and all that are sent in one tick leave in
 * one write. Knows whether the peer reads, and bounds what waits for it.
 */
export class Outbox {
  readonly #sink: Sink;
  readonly #options: OutboxOptions;
  readonly #maxQueuedBytes: number;
  #frames: Frame[] = [];
  #queuedBytes = 0;
  #scheduled = false;
  /** Set while the stream is full: nothing is written until it has drained. */
  #blocked = false;
  #error: WireError | undefined;
  /** Resolves when everything has been taken by the stream. Made only when somebody waits. */
  #room: PromiseWithResolvers<void> | undefined;

  constructor(sink: Sink, options: OutboxOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    sink.onGone((cause) => {
      const message = cause ? `The connection broke: ${cause.message}` : "The output was closed.";
      // A peer that ended in peace may have answered: what waits for it ends with the input.
      this.fail(new WireError(message, { code: "closed", cause }), cause !== undefined);
    });
  }

  /** @throws WireError `overflow` when the queue is full, or whatever ended the output. */
  send(message: object): void {
    if (this.#error !== undefined) throw asNotSent(this.#error);
    const frame = this.#sink.encode(message);
    // A single frame above the cap may pass an empty queue; the peer sets its own limit.
    if (this.#frames.length > 0 && this.#queuedBytes + frame.bytes > this.#maxQueuedBytes) {
      throw new WireError(
        `The peer does not read: ${this.#queuedBytes} bytes wait for it (limit ${this.#maxQueuedBytes}).`,
        { code: "overflow", sent: false },
      );
    }
    this.#frames.push(frame);
    this.#queuedBytes += frame.bytes;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    // Behind all pending microtasks: a loop that awaits each send still makes one write.
    process.nextTick(() => {
      this.#scheduled = false;
      this.#write();
    });
  }

  /** Sends what must not be missing, such as an answer: when it cannot, the output fails. */
  sendOrFail(message: object): void {
    try {
      this.send(message);
    } catch (error) {
      if (error instanceof WireError) this.fail(error);
      else throw error;
    }
  }

  /** Resolves at once while there is room, else when the peer has read. Rejects when it never will. */
  ready(): Promise<void> {
    if (this.#error !== undefined) return handled(Promise.reject(this.#error));
    if (!this.#blocked && this.#queuedBytes < HIGH_WATER_BYTES) return READY;
    return this.#waitForRoom();
  }

  /** Resolves when all that was sent has been taken by the stream, or the output has failed. */
  async flush(): Promise<void> {
    if (this.#error === undefined && (this.#blocked || this.#frames.length > 0)) {
      await this.#waitForRoom().catch(() => {});
    }
  }

  /** Flushes, then ends the output. */
  async end(): Promise<void> {
    await this.flush();
    this.fail(new WireError("The connection is closed.", { code: "closed", sent: false }), false);
    await this.#sink.end();
  }

  fail(error: WireError, tell = true): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#frames = [];
    this.#queuedBytes = 0;
    this.#room?.reject(error);
    this.#room = undefined;
    if (tell) this.#options.onError(error);
  }

  #waitForRoom(): Promise<void> {
    this.#room ??= Promise.withResolvers();
    return handled(this.#room.promise);
  }

  #write(): void {
    if (this.#error !== undefined || this.#blocked) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#queuedBytes = 0;
    const drained = frames.length > 0 ? this.#sink.write(frames) : undefined;
    if (drained !== undefined) {
      this.#blocked = true;
      void this.#unblock(drained);
      return;
    }
    this.#room?.resolve();
    this.#room = undefined;
  }

  async #unblock(drained: Promise<void>): Promise<void> {
    const timeoutMs = this.#options.writeTimeoutMs ?? 0;
    const timer =
      timeoutMs > 0
        ? setTimeout(() => {
            const message = `The peer has not read for ${timeoutMs} ms.`;
            this.fail(new WireError(message, { code: "stalled" }));
          }, timeoutMs)
        : undefined;
    try {
      await drained;
    } finally {
      clearTimeout(timer);
    }
    this.#blocked = false;
    this.#write();
  }
}

/** The same promise; when it rejects and nobody waits for it, that is no error of the program. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
