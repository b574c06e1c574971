import { channel } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { proxyOptionsOf } from "@acp-kit/relay";
import { buildConnector, EnvHttpProxyAgent, Pool, WebSocket } from "undici";
import { z } from "zod";
import type { SlackCaller } from "../budget/call-result.ts";
import type { Clock } from "../budget/clock.ts";
import type { OpenSocket, SocketConnection, SocketEnd } from "./connection.ts";

export type SlackSocketOptions = {
  /** Calls with the app's token, which alone opens connections. */
  readonly call: SlackCaller;
  readonly clock: Clock;
  /** Every connection but one to this machine goes through it. */
  readonly proxy?: string | undefined;
  /** From the attempt to the platform's greeting, in milliseconds. [15,000] */
  readonly helloTimeoutMs?: number;
  /** Longest silence; the platform pings every few seconds. [30,000] */
  readonly silenceMs?: number;
};

const messageSchema = z.object({
  type: z.string(),
  reason: z.string().optional().catch(undefined),
  envelope_id: z.string().optional().catch(undefined),
  payload: z.unknown().optional(),
  retry_attempt: z.number().catch(0),
  num_connections: z.number().optional().catch(undefined),
});

/**
 * Opens Socket Mode connections. Not with Slack's own client: it waits for a greeting for ever, throws in nobody's
 * arms when it cannot reconnect, and leaves seconds without any connection when it is told to.
 */
export function createSlackSocketOpener(options: SlackSocketOptions): OpenSocket {
  return (listener) => new SlackSocket(options, listener);
}

class SlackSocket implements SocketConnection {
  readonly ended: Promise<SocketEnd>;
  readonly #options: SlackSocketOptions;
  readonly #listener: Parameters<OpenSocket>[0];
  readonly #end: (end: SocketEnd) => void;
  #webSocket: WebSocket | undefined;
  /** Held to be destroyed: a peer that has fallen silent answers no closing handshake. */
  #socket: Socket | undefined;
  #dispatcher: EnvHttpProxyAgent | undefined;
  #silence: Disposable | undefined;
  #isReady = false;
  #isEnded = false;

  constructor(options: SlackSocketOptions, listener: Parameters<OpenSocket>[0]) {
    this.#options = options;
    this.#listener = listener;
    const { promise, resolve } = Promise.withResolvers<SocketEnd>();
    this.ended = promise;
    this.#end = resolve;
    this.#expect(options.helloTimeoutMs ?? 15_000);
    void this.#connect();
  }

  [Symbol.dispose](): void {
    this.#finish({ kind: "closed" });
  }

  async #connect(): Promise<void> {
    const result = await this.#options.call("apps.connections.open", {});
    if (this.#isEnded) return;
    if (result.kind === "refused") return this.#finish({ kind: "refused", error: result.error });
    const url = result.kind === "ok" ? result.body["url"] : undefined;
    if (typeof url !== "string") return this.#finish({ kind: "failed", cause: result });
    try {
      this.#listen(url);
    } catch (cause) {
      this.#finish({ kind: "failed", cause });
    }
  }

  #listen(url: string): void {
    const dispatcher = createSocketDispatcher(this.#options.proxy, (socket) => {
      this.#socket = socket;
      if (this.#isEnded) socket.destroy();
    });
    this.#dispatcher = dispatcher;
    const webSocket = new WebSocket(url, { dispatcher });
    this.#webSocket = webSocket;
    webSocket.addEventListener("message", ({ data }) => this.#take(String(data)));
    webSocket.addEventListener("error", (event) =>
      this.#finish({ kind: "failed", cause: event.error }),
    );
    webSocket.addEventListener("close", () => this.#finish({ kind: "refresh" }));
    pings.subscribe(this.#onPing);
  }

  #take(text: string): void {
    if (this.#isEnded) return;
    if (this.#isReady) this.#expectMore();
    const message = parseMessage(text);
    if (!message) return;
    const { type, reason, envelope_id: id, payload, retry_attempt: retry } = message;
    if (type === "hello") {
      this.#isReady = true;
      this.#expectMore();
      this.#listener.onReady(message.num_connections);
    } else if (type === "disconnect") this.#takeLeave(reason);
    else if (id !== undefined) {
      let isAcknowledged = false;
      const ack = (answer?: Readonly<Record<string, unknown>>) => {
        if (isAcknowledged || this.#isEnded) return;
        isAcknowledged = true;
        this.#send({ envelope_id: id, ...(answer && { payload: answer }) });
      };
      this.#listener.onEnvelope({ kind: type, payload, retry, ack });
    }
  }

  #takeLeave(reason: string | undefined): void {
    if (reason === "too_many_websockets") this.#finish({ kind: "too-many" });
    else if (reason === "link_disabled") this.#finish({ kind: "refused", error: reason });
    else if (this.#isReady) this.#listener.onWarning();
    else this.#finish({ kind: "refresh" });
  }

  #send(message: object): void {
    try {
      this.#webSocket?.send(JSON.stringify(message));
    } catch (cause) {
      this.#finish({ kind: "failed", cause });
    }
  }

  readonly #onPing = (message: unknown): void => {
    const { websocket } = message as { readonly websocket?: unknown };
    if (this.#isReady && websocket === this.#webSocket) this.#expectMore();
  };

  #expectMore(): void {
    this.#listener.onSign?.();
    this.#expect(this.#options.silenceMs ?? 30_000);
  }

  #expect(ms: number): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = this.#options.clock.after(ms, () => this.#finish({ kind: "silent" }));
  }

  #finish(end: SocketEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#silence?.[Symbol.dispose]();
    pings.unsubscribe(this.#onPing);
    this.#socket?.destroy();
    this.#dispatcher?.destroy().catch(() => undefined);
    this.#end(end);
  }
}

/** Of one WebSocket. @param hold - Gets what it is spoken over, as soon as there is a connection. */
function createSocketDispatcher(
  proxy: string | undefined,
  hold: (socket: Socket) => void,
): EnvHttpProxyAgent {
  const direct = buildConnector({ allowH2: false });
  return new EnvHttpProxyAgent({
    ...proxyOptionsOf(proxy),
    allowH2: false,
    factory(origin, options: Pool.Options) {
      const connect = typeof options.connect === "function" ? options.connect : direct;
      return new Pool(origin, {
        ...options,
        connect: (target, done) =>
          connect(target, (...[error, socket]) => {
            if (error) return done(error, null);
            hold(socket);
            done(null, socket);
          }),
      });
    },
  });
}

/** Every ping that any undici socket of this process gets. */
const pings = channel("undici:websocket:ping");

function parseMessage(text: string): z.infer<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
