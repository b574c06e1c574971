import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { Conn } from "./conn.ts";
import type { ConnOptions } from "./conn-options.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import { isMessageId, type MessageId } from "./message.ts";

export type { Stream } from "@agentclientprotocol/sdk";

/** A connection over a `Stream` of the ACP SDK, such as one of its HTTP or WebSocket transports. */
export function fromSdkStream(stream: Stream, options?: ConnOptions): Conn {
  return new Conn({ messages: stream }, options);
}

/**
 * A connection as a `Stream`, for `client()` and `agent()` apps of the ACP SDK: they get this
 * package's framing, order and back-pressure. The app is handed only what the connection has no
 * handler for, so hot or vendor-specific methods (`session/update`) can be taken before it.
 *
 * Starts serving the connection. The stream ends when the connection does.
 */
export function toSdkStream(conn: Conn): Stream {
  const bridge = new SdkBridge(conn);
  return { readable: bridge.readable, writable: bridge.writable };
}

/** A message as the app writes it. */
interface Frame {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

class SdkBridge {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
  readonly #conn: Conn;
  #toApp: ReadableStreamDefaultController<AnyMessage> | undefined;
  /** Requests of the peer that the app has to answer, by the id that the app sees. */
  readonly #forApp = new Map<number, PromiseWithResolvers<unknown>>();
  /** Requests of the app, to be given up when it cancels them. */
  readonly #ofApp = new Map<MessageId, AbortController>();
  #nextId = 1;

  constructor(conn: Conn) {
    this.#conn = conn;
    this.readable = new ReadableStream({
      start: (controller) => {
        this.#toApp = controller;
      },
    });
    this.writable = new WritableStream({
      write: (message) => this.#takeFromApp(message as Frame),
      close: () => conn.close(),
      abort: () => conn.close(),
    });
    conn.handleNotify("*", (params, { method }) => this.#giveToApp({ method, params }));
    conn.handle("*", (params, { method, signal }) => this.#askApp(method, params, signal));
    void conn.serve().then(() => this.#end());
  }

  #giveToApp(message: object): void {
    this.#toApp?.enqueue({ jsonrpc: "2.0", ...message } as AnyMessage);
  }

  #askApp(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#forApp.set(id, answer);
    this.#giveToApp({ id, method, params });
    signal.addEventListener(
      "abort",
      () => {
        if (this.#forApp.has(id)) {
          this.#giveToApp({ method: "$/cancel_request", params: { requestId: id } });
        }
      },
      { once: true },
    );
    return answer.promise;
  }

  #takeFromApp(message: Frame): Promise<void> | undefined {
    const { id, method, params } = message;
    if (typeof method !== "string") this.#answerPeer(message);
    else if (isMessageId(id)) void this.#askPeer(id, method, params);
    else if (method === "$/cancel_request") this.#cancel(params);
    else return this.#conn.notify(method, params);
    return undefined;
  }

  #answerPeer({ id, result, error }: Frame): void {
    const answer = this.#forApp.get(id as number);
    this.#forApp.delete(id as number);
    if (error) answer?.reject(new RpcError(error.code, error.message, error.data));
    else answer?.resolve(result);
  }

  async #askPeer(id: MessageId, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#ofApp.set(id, controller);
    try {
      const result = await this.#conn.request(method, params, { signal: controller.signal });
      this.#giveToApp({ id, result });
    } catch (error) {
      if (this.#toApp === undefined) return;
      const known = error instanceof RpcError ? error.toJSON() : undefined;
      const code = controller.signal.aborted ? ErrorCode.requestCancelled : ErrorCode.internalError;
      this.#giveToApp({ id, error: known ?? { code, message: (error as Error).message } });
    } finally {
      this.#ofApp.delete(id);
    }
  }

  #cancel(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (isMessageId(requestId)) this.#ofApp.get(requestId)?.abort();
  }

  #end(): void {
    const controller = this.#toApp;
    this.#toApp = undefined;
    controller?.close();
  }
}
