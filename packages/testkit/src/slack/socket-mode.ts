import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { isRecord } from "./args.ts";
import type { SlackClock } from "./clock.ts";
import { DeliveryError, type SlackEnvelope, type SlackTransport } from "./deliveries.ts";
import { SLACK_LIMITS } from "./limits.ts";

/** How the next connections go. */
export type SocketFault =
  /** They are told to go away before they are greeted. */
  | "early-disconnect"
  /** They are never greeted. */
  | "no-hello"
  /** The upgrade is answered with status 503. */
  | "refuse";

type Awaited = { answer(payload: unknown): void; fail(reason: string): void };

type Connection = {
  readonly socket: WebSocket;
  readonly awaited: Map<string, Awaited>;
  isReady: boolean;
  /** Neither answers nor sends, and takes what it is sent. */
  isStalled: boolean;
};

/** Socket Mode over real WebSockets: each envelope goes to one of those that are open. */
export class SocketMode implements SlackTransport, Disposable {
  readonly #clock: SlackClock;
  readonly #appId: string;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #connections = new Set<Connection>();
  readonly #tickets = new Set<string>();
  readonly #faults: SocketFault[] = [];
  readonly #pingEveryMs: number;
  #pinging: Disposable | undefined;
  #turn = 0;
  /** Connections that have ever been greeted. */
  greeted = 0;

  constructor(clock: SlackClock, appId: string, pingEveryMs: number) {
    this.#clock = clock;
    this.#appId = appId;
    this.#pingEveryMs = pingEveryMs;
    this.#schedulePing();
  }

  /** Connections that envelopes can go to. */
  get ready(): number {
    return [...this.#connections].filter(({ isReady }) => isReady).length;
  }

  /** A ticket for one connection. */
  createTicket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  failNext(fault: SocketFault, times = 1): void {
    for (let each = 0; each < times; each += 1) this.#faults.push(fault);
  }

  /** No fault waits any more. */
  healNext(): void {
    this.#faults.length = 0;
  }

  /** Tells each connection that it will be closed, and closes it. */
  refresh(reason: "warning" | "refresh_requested" | "link_disabled" = "refresh_requested"): void {
    for (const connection of this.#connections) {
      write(connection, { type: "disconnect", reason, debug_info: { host: "fake" } });
      if (reason === "warning") continue;
      connection.isReady = false;
      connection.socket.close(1000);
    }
  }

  /** Breaks the connections without a word. */
  cut(): void {
    for (const { socket } of this.#connections) socket.terminate();
  }

  /** From now on the open connections neither ping, nor answer, nor bring anything. */
  stall(): void {
    for (const connection of this.#connections) connection.isStalled = true;
  }

  /** They do again. */
  unstall(): void {
    for (const connection of this.#connections) connection.isStalled = false;
  }

  ping(): void {
    for (const { socket, isStalled } of this.#connections) if (!isStalled) socket.ping();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "", "http://slack").searchParams.get("ticket") ?? "";
    const fault = this.#faults[0];
    if (!this.#tickets.delete(ticket) || fault === "refuse") {
      if (fault === "refuse") this.#faults.shift();
      socket.end(`HTTP/1.1 ${fault === "refuse" ? "503 Unavailable" : "404 Not Found"}\r\n\r\n`);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened));
  }

  async send({ kind, payload, attempt, reason }: SlackEnvelope): Promise<unknown> {
    const ready = [...this.#connections].filter(({ isReady }) => isReady);
    this.#turn += 1;
    const connection = ready[this.#turn % ready.length];
    if (!connection) throw new DeliveryError("connection_failed");
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (why: string) => reject(new DeliveryError(why));
    const deadline = this.#clock.after(SLACK_LIMITS.ackMs, () => fail("timeout"));
    connection.awaited.set(id, { answer: resolve, fail });
    write(connection, {
      envelope_id: id,
      type: kind,
      payload,
      accepts_response_payload: kind !== "events_api",
      ...(kind === "events_api" && { retry_attempt: attempt, retry_reason: reason }),
    });
    try {
      return await promise;
    } finally {
      deadline[Symbol.dispose]();
      connection.awaited.delete(id);
    }
  }

  [Symbol.dispose](): void {
    this.#pinging?.[Symbol.dispose]();
    this.cut();
    this.#server.close();
  }

  #open(socket: WebSocket): void {
    const connection: Connection = {
      socket,
      awaited: new Map(),
      isReady: false,
      isStalled: false,
    };
    this.#connections.add(connection);
    socket.on("error", () => socket.terminate());
    socket.on("ping", (data) => {
      if (!connection.isStalled) socket.pong(data);
    });
    socket.on("message", (data) => accept(connection, String(data)));
    socket.on("close", () => {
      this.#connections.delete(connection);
      for (const { fail } of connection.awaited.values()) fail("connection_failed");
    });
    const fault = this.#faults.shift();
    if (fault === "no-hello") return;
    if (fault === "early-disconnect" || this.#connections.size > SLACK_LIMITS.sockets) {
      const reason = fault ? "refresh_requested" : "too_many_websockets";
      write(connection, { type: "disconnect", reason });
      socket.close(1000);
      return;
    }
    connection.isReady = true;
    this.greeted += 1;
    write(connection, {
      type: "hello",
      num_connections: this.#connections.size,
      debug_info: { host: "fake", approximate_connection_time: 18_060 },
      connection_info: { app_id: this.#appId },
    });
  }

  #schedulePing(): void {
    if (this.#pingEveryMs <= 0) return;
    this.#pinging = this.#clock.after(this.#pingEveryMs, () => {
      this.ping();
      this.#schedulePing();
    });
  }
}

function write({ socket, isStalled }: Connection, message: Record<string, unknown>): void {
  if (!isStalled && socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

function accept({ awaited }: Connection, text: string): void {
  const message: unknown = JSON.parse(text);
  if (!isRecord(message) || typeof message["envelope_id"] !== "string") return;
  awaited.get(message["envelope_id"])?.answer(message["payload"]);
}
