import type {
  ConnCounters,
  ConnOptions,
  NotificationHandler,
  RequestHandler,
  RequestOptions,
} from "./conn-options.ts";
import { ErrorCode, WireError } from "./errors.ts";
import { Handlers } from "./handlers.ts";
import { type Answer, CANCELLED, IncomingRequest } from "./incoming-request.ts";
import { type ConnIo, createSink, createSource, type Source } from "./io.ts";
import { Lanes } from "./lanes.ts";
import { LineSplitter } from "./line-splitter.ts";
import {
  classify,
  type IncomingMessage,
  isMessageId,
  type MessageId,
  type NoMessage,
  parseLine,
} from "./message.ts";
import { handled, Outbox } from "./outbox.ts";
import { OutgoingRequests, type PendingRequest } from "./outgoing-requests.ts";
import { parseOversize } from "./oversize.ts";
import { within } from "./within.ts";

/** Lane of what belongs to no session. */
const NO_SESSION = "";
const INTERNAL_ERROR: Answer = {
  error: { code: ErrorCode.internalError, message: "Internal error" },
};
/** How long handlers have to answer once their signal was aborted at the end of the input. */
const ABORTED_DRAIN_MS = 1_000;
/** How long a peer may take to read the last answers. */
const FLUSH_MS = 5_000;

/**
 * One JSON-RPC connection, for either side of ACP.
 *
 * Order, whatever the handlers take:
 * - handlers start in wire order, in the tick in which the bytes were read;
 * - notifications of one session are handled one after another, and no session waits for another;
 * - a response is delivered after every earlier notification of its session was handled.
 *
 * A notification handler that awaits an answer of the same connection holds up its own session.
 */
export class Conn implements AsyncDisposable {
  readonly counters: ConnCounters = {
    noise: 0,
    oversize: 0,
    lateAnswers: 0,
    strayAnswers: 0,
    duplicateIds: 0,
  };
  readonly #options: ConnOptions;
  readonly #source: Source;
  readonly #outbox: Outbox;
  readonly #outgoing = new OutgoingRequests((message) => this.#send(message));
  readonly #incoming = new Map<MessageId, IncomingRequest>();
  readonly #requestHandlers = new Handlers<RequestHandler>();
  readonly #notifyHandlers = new Handlers<NotificationHandler>();
  readonly #lanes = new Lanes(() => this.#resumeReading());
  readonly #maxWaiting: number;
  readonly #inputEnd = Promise.withResolvers<void>();
  #paused = false;
  #served: Promise<void> | undefined;

  constructor(io: ConnIo, options: ConnOptions = {}) {
    this.#options = options;
    this.#maxWaiting = options.maxWaitingMessages ?? 10_000;
    this.#source = createSource(io);
    this.#outbox = new Outbox(createSink(io), {
      maxQueuedBytes: options.maxQueuedBytes,
      writeTimeoutMs: options.writeTimeoutMs ?? 60_000,
      onError: (error) => {
        this.#outgoing.fail(error);
        options.onBroken?.(error);
      },
    });
  }

  /**
   * Answers a method. A later handler of the same method replaces an earlier one; `"*"` takes every
   * method without a handler of its own. Throw an RpcError to choose the error that is sent.
   */
  handle(method: string, handler: RequestHandler): Disposable {
    return this.#requestHandlers.set(method, handler);
  }

  /** Takes the notifications of a method, or with `"*"` of every method without a handler. */
  handleNotify(method: string, handler: NotificationHandler): Disposable {
    return this.#notifyHandlers.set(method, handler);
  }

  /**
   * Hands whatever this side has no handler for to another connection, and its answers back: half of
   * a proxy. Order, error codes, unknown members and cancelling go through.
   */
  forwardTo(other: Conn): void {
    this.handle("*", (params, { method, signal }) => other.request(method, params, { signal }));
    this.handleNotify("*", (params, { method }) => other.notify(method, params));
  }

  /**
   * Asks the peer and waits for its answer.
   *
   * @throws RpcError what the peer answered
   * @throws WireError `timeout`, `aborted`, `overflow`, `stalled`, `closed`
   */
  request<T = unknown>(method: string, params?: unknown, options: RequestOptions = {}): Promise<T> {
    return this.#outgoing.request<T>(method, params, options);
  }

  /**
   * Sends a notification; it is queued before this returns. The promise resolves when there is room
   * for more: a sender of many awaits it. It may be left alone: nobody has to catch what it says.
   *
   * @throws WireError `overflow`, `stalled`, `closed`
   */
  notify(method: string, params?: unknown): Promise<void> {
    try {
      this.#send({ jsonrpc: "2.0", method, params });
    } catch (error) {
      return handled(Promise.reject(error));
    }
    return this.#outbox.ready();
  }

  /** Resolves when everything that was sent has been taken by the stream, or never will be. */
  flush(): Promise<void> {
    return this.#outbox.flush();
  }

  /**
   * Reads until the input ends or `signal` aborts. Then, in this order: requests that wait for an
   * answer fail, running handlers get `drainMs` to answer, their signals are aborted, the answers
   * are flushed. Register handlers first.
   */
  serve(signal?: AbortSignal): Promise<void> {
    this.#served ??= this.#serve(signal);
    return this.#served;
  }

  /** Stops reading, fails what is pending, aborts handlers, flushes and ends the output. */
  async close(): Promise<void> {
    this.#stopReading();
    for (const request of this.#incoming.values()) request.abort();
    await this.#outbox.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(signal?: AbortSignal): Promise<void> {
    const onAbort = () => this.#stopReading();
    if (signal?.aborted) onAbort();
    else this.#startReading();
    signal?.addEventListener("abort", onAbort, { once: true });
    await this.#inputEnd.promise;
    this.#options.onInputEnd?.();
    signal?.removeEventListener("abort", onAbort);
    await this.#handlersDone(this.#options.drainMs ?? 5_000);
    for (const request of this.#incoming.values()) request.abort();
    await this.#handlersDone(ABORTED_DRAIN_MS);
    // A peer that is gone but for its pipe would let this wait for ever.
    await within(FLUSH_MS, this.#outbox.flush());
  }

  #startReading(): void {
    const splitter = new LineSplitter({
      maxLineBytes: this.#options.maxLineBytes,
      onLine: (line) => this.#receive(parseLine(line), line),
      onOversize: (start) => this.#receiveOversize(start),
    });
    this.#source.start(
      (chunk) => {
        if (chunk instanceof Uint8Array) splitter.push(chunk);
        else if (typeof chunk === "string") splitter.push(Buffer.from(chunk));
        else this.#receive(classify(chunk), chunk);
        if (this.#lanes.size > this.#maxWaiting && !this.#paused) {
          this.#paused = true;
          this.#source.pause();
        }
      },
      (cause) => {
        splitter.flush();
        this.#endInput(
          cause ? `The connection broke: ${cause.message}` : "The peer closed the connection.",
          cause,
        );
      },
    );
  }

  #resumeReading(): void {
    if (!this.#paused || this.#lanes.size > this.#maxWaiting / 2) return;
    this.#paused = false;
    this.#source.resume();
  }

  #stopReading(): void {
    this.#source.stop();
    this.#endInput("The connection was closed.");
  }

  #endInput(message: string, cause?: Error): void {
    this.#outgoing.fail(new WireError(message, { code: "closed", cause }));
    this.#inputEnd.resolve();
  }

  async #handlersDone(withinMs: number): Promise<void> {
    const running = [...this.#incoming.values()].map((request) => request.answered);
    if (running.length > 0) await within(withinMs, Promise.all(running));
  }

  #send(message: object): void {
    this.#options.trace?.("out", message);
    this.#outbox.send(message);
  }

  #answer(id: MessageId, answer: Answer): void {
    const message = { jsonrpc: "2.0", id, ...answer };
    this.#options.trace?.("out", message);
    try {
      this.#outbox.sendOrFail(message);
    } catch (error) {
      // A result that JSON cannot hold: a cycle, a bigint.
      this.#options.onHandlerError?.(error, "answer");
      this.#answer(id, INTERNAL_ERROR);
    }
  }

  #refuse(id: MessageId, code: number, message: string): void {
    this.#answer(id, { error: { code, message } });
  }

  #receive(parsed: IncomingMessage | NoMessage, raw: unknown): void {
    if (typeof parsed === "object") this.#receiveMessage(parsed);
    else if (parsed !== "blank") this.#receiveNoise(parsed, raw);
  }

  #receiveNoise(kind: NoMessage, raw: unknown): void {
    this.counters.noise++;
    this.#options.onNoise?.(typeof raw === "string" ? raw : (JSON.stringify(raw) ?? String(raw)));
    // A batch comes from a peer that speaks JSON-RPC, so it is told, once; a banner is not.
    if (kind === "batch") this.#refuse(null, ErrorCode.invalidRequest, "ACP has no batches");
    else if (this.#options.malformed !== "answer") return;
    else if (kind === "noise") this.#refuse(null, ErrorCode.parseError, "Not JSON");
    else this.#refuse(null, ErrorCode.invalidRequest, "Not a JSON-RPC message");
  }

  /** Whoever waits for what was in that line is told; nobody else knows how long it would wait. */
  #receiveOversize(start: string): void {
    this.counters.oversize++;
    this.#options.onOversize?.(start);
    const lost = parseOversize(start);
    if (lost.kind === "request") {
      this.#refuse(lost.id, ErrorCode.invalidRequest, "The request is too long");
    } else if (lost.kind === "answer") {
      const error = new WireError("The answer is too long to be read.", { code: "protocol" });
      this.#deliver({ id: lost.id }, (pending) => pending.fail(error));
    }
  }

  #receiveMessage(message: IncomingMessage): void {
    this.#options.trace?.("in", message);
    const { method, id } = message;
    if (method === undefined) this.#receiveAnswer(message);
    else if (typeof method !== "string" || (id !== undefined && !isMessageId(id))) {
      const answerTo = isMessageId(id) ? id : null;
      this.#refuse(answerTo, ErrorCode.invalidRequest, "Not a JSON-RPC request");
    } else if (id === undefined) this.#receiveNotification(method, message.params);
    else this.#receiveRequest(id, method, message.params);
  }

  #receiveNotification(method: string, params: unknown): void {
    if (method === "$/cancel_request") {
      const requestId = (params as { requestId?: unknown } | undefined)?.requestId;
      if (isMessageId(requestId)) this.#incoming.get(requestId)?.abort();
      return;
    }
    const handler = this.#notifyHandlers.get(method);
    if (handler === undefined) return;
    if (this.#lanes.idle) {
      const unfinished = this.#runNotify(handler, method, params);
      if (unfinished !== undefined) this.#lanes.hold(laneOf(params), unfinished);
    } else this.#lanes.run(laneOf(params), () => this.#runNotify(handler, method, params));
  }

  #runNotify(
    handler: NotificationHandler,
    method: string,
    params: unknown,
  ): PromiseLike<void> | undefined {
    try {
      const result = handler(params, { method });
      if (!isThenable(result)) return undefined;
      return result.then(undefined, (error) => this.#options.onHandlerError?.(error, method));
    } catch (error) {
      this.#options.onHandlerError?.(error, method);
      return undefined;
    }
  }

  #receiveRequest(id: MessageId, method: string, params: unknown): void {
    if (this.#incoming.has(id)) {
      // An answer under that id would settle the first request; so the answer names it instead.
      this.counters.duplicateIds++;
      const text = `Request id ${JSON.stringify(id)} is in use`;
      this.#refuse(null, ErrorCode.invalidRequest, text);
      return;
    }
    const handler = this.#requestHandlers.get(method);
    if (handler === undefined) {
      this.#refuse(id, ErrorCode.methodNotFound, `Method not found: ${method}`);
      return;
    }
    const request = new IncomingRequest(id, method);
    this.#incoming.set(id, request);
    // A request starts in its turn but does not hold its lane: a cancel must reach a running prompt.
    if (this.#lanes.idle) this.#runRequest(request, handler, params);
    else {
      this.#lanes.run(laneOf(params), () => {
        this.#runRequest(request, handler, params);
        return undefined;
      });
    }
  }

  #runRequest(request: IncomingRequest, handler: RequestHandler, params: unknown): void {
    if (request.aborted) {
      this.#finish(request, CANCELLED);
      return;
    }
    try {
      const result = handler(params, request);
      if (isThenable(result)) {
        result.then(
          (value) => this.#finish(request, { result: value ?? null }),
          (error) => this.#finishFailed(request, error),
        );
      } else this.#finish(request, { result: result ?? null });
    } catch (error) {
      this.#finishFailed(request, error);
    }
  }

  #finishFailed(request: IncomingRequest, error: unknown): void {
    const answer = request.answerFor(error);
    if (answer === undefined) this.#options.onHandlerError?.(error, request.method);
    this.#finish(request, answer ?? INTERNAL_ERROR);
  }

  #finish(request: IncomingRequest, answer: Answer): void {
    this.#incoming.delete(request.id);
    this.#answer(request.id, answer);
    request.markAnswered();
  }

  #receiveAnswer(message: IncomingMessage): void {
    this.#deliver(message, (pending) => pending.settle(message));
  }

  /** Brings an answer to the request that waits for it, behind what came before it. */
  #deliver(answer: IncomingMessage, settle: (pending: PendingRequest) => void): void {
    const pending = this.#outgoing.take(answer);
    if (pending === "late") this.counters.lateAnswers++;
    else if (pending === "stray") this.counters.strayAnswers++;
    else if (this.#lanes.idle) settle(pending);
    else {
      this.#lanes.run(laneOf(pending.params) || laneOf(answer.result), () => {
        settle(pending);
        return undefined;
      });
    }
  }
}

function laneOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return NO_SESSION;
  const { sessionId } = value as { sessionId?: unknown };
  return typeof sessionId === "string" ? sessionId : NO_SESSION;
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
