import type { ServerResponse } from "node:http";
import {
  createPoeWriter,
  KEEP_ALIVE,
  type PoeAnswer,
  type PoeBudget,
  PREAMBLE,
  STREAM_HEADERS,
} from "@acp-kit/poe-protocol";
import type { Frame } from "./screen.ts";

/**
 * The connection of one response. Every write waits until the system has taken it, for a bounded time: a client that
 * does not read loses its connection and holds nothing but its own response.
 */
export class EventSocket {
  readonly #outgoing: ServerResponse;
  readonly #writeTimeoutMs: number;
  readonly #answer: PoeAnswer;
  /** Frames that wait for the next write. */
  #pending = "";
  /** Events of text, and of whole bodies, that were written so far. */
  readonly #written = { text: 0, replace: 0 };
  readonly #onGone: () => void;
  #isGone = false;
  /** Ends the wait of the running write. */
  #settle: ((taken: boolean) => void) | undefined;

  /** @param onGone - Called once when the connection ends before the response does. */
  constructor(outgoing: ServerResponse, writeTimeoutMs: number, onGone: () => void) {
    this.#outgoing = outgoing;
    this.#writeTimeoutMs = writeTimeoutMs;
    this.#onGone = onGone;
    outgoing.on("error", () => this.#lose());
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) this.#lose();
    });
    outgoing.writeHead(200, STREAM_HEADERS);
    this.#answer = createPoeWriter((frame) => {
      this.#pending += frame;
    })
      .send(PREAMBLE)
      .meta();
  }

  get budget(): PoeBudget {
    return this.#answer.budget;
  }

  /** What the response has cost so far: events, and characters of all that had any. */
  get statistics() {
    const { text, replace } = this.#written;
    return { texts: text, replaces: replace, characters: this.#answer.budget.allCharacters };
  }

  /** Sends frames in one write. False: the connection is gone, and whether they arrived is unknown. */
  send(frames: readonly Frame[]): Promise<boolean> {
    if (this.#isGone) return Promise.resolve(false);
    for (const frame of frames) this.#encode(frame);
    return this.#flush((bytes, taken) => this.#outgoing.write(bytes, taken));
  }

  /** Keeps proxies from cutting a connection that has nothing to say. */
  keepAlive(): Promise<boolean> {
    if (this.#isGone) return Promise.resolve(false);
    this.#answer.send(KEEP_ALIVE);
    return this.#flush((bytes, taken) => this.#outgoing.write(bytes, taken));
  }

  /** Sends the last frames and ends the response. True once the system has taken all of it. */
  end(frames: readonly Frame[]): Promise<boolean> {
    if (this.#isGone) return Promise.resolve(false);
    for (const frame of frames) this.#encode(frame);
    return this.#flush((bytes, taken) => this.#outgoing.end(bytes, taken));
  }

  /** Ends the connection without another word. */
  cut(): void {
    this.#lose();
  }

  /** Whatever happened to the connection: nothing more arrives, and whoever writes is told first of all. */
  #lose(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#onGone();
    this.#settle?.(false);
    this.#outgoing.destroy();
  }

  #encode(frame: Frame): void {
    switch (frame.kind) {
      case "text":
        this.#written.text += 1;
        this.#answer.text(frame.text);
        return;
      case "replace":
        this.#written.replace += 1;
        this.#answer.replaceResponse(frame.text);
        return;
      case "file":
        this.#answer.send({ event: "file", data: frame.file });
        return;
      case "done":
        this.#answer.done();
        return;
      case "fail":
        this.#answer.fail(frame.error);
        return;
    }
  }

  async #flush(write: (bytes: string, taken: (error?: Error | null) => void) => void) {
    const bytes = this.#pending;
    if (bytes === "") return true;
    this.#pending = "";
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#settle = resolve;
    const deadline = setTimeout(() => this.#lose(), this.#writeTimeoutMs);
    write(bytes, (error) => (error ? this.#lose() : resolve(!this.#isGone)));
    const taken = await promise;
    clearTimeout(deadline);
    this.#settle = undefined;
    return taken;
  }
}
