import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Session } from "@acp-kit/dcode-protocol";
import { writeAnswer } from "./answer.ts";
import { type DcodeFault, Faults } from "./faults.ts";
import { defaultSettings, type FakeDcodeOptions, type Settings } from "./options.ts";
import { Records } from "./records.ts";
import { answerRequest, routeName } from "./routes.ts";
import { Sessions } from "./sessions.ts";

export type DcodeRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
};

/**
 * A dcode daemon for tests, in this process and on a Unix socket: the routes, statuses, event streams
 * and races of release 0.20.0, with a script for a model and tools that only say so.
 *
 * With `tcp` it is what stands between a daemon and a network: a loopback port with a token, and with TLS.
 *
 * Its records outlive {@link FakeDcode.stop} and {@link FakeDcode.kill}; its sessions do not.
 */
export class FakeDcode implements AsyncDisposable {
  readonly socketPath: string;
  readonly #tcp: FakeDcodeOptions["tcp"];
  /** Kept when it listens again. */
  #port = 0;
  /** What was asked, in order. */
  readonly requests: DcodeRequest[] = [];
  /** Made for the socket, and removed with it. */
  readonly #folder: string | undefined;
  readonly #settings: Settings;
  readonly #records = new Records();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #faults = new Faults();
  readonly #failures: unknown[] = [];
  #sessions: Sessions;
  #server: Server | undefined;

  private constructor({ socketPath, tcp, ...settings }: FakeDcodeOptions) {
    this.#tcp = tcp;
    this.#folder =
      socketPath === undefined ? mkdtempSync(path.join(tmpdir(), "dcode-")) : undefined;
    this.socketPath = socketPath ?? path.join(this.#folder ?? "", "dcode.sock");
    this.#settings = { ...defaultSettings, ...settings };
    this.#sessions = this.#newSessions();
  }

  static async start(options: FakeDcodeOptions = {}): Promise<FakeDcode> {
    const daemon = new FakeDcode(options);
    await daemon.start();
    return daemon;
  }

  /** Where it listens with `tcp`. */
  get url(): string {
    return `http${this.#tcp?.tls ? "s" : ""}://127.0.0.1:${this.#port}`;
  }

  /** Listens, again after `stop` or `kill`; without any session then. */
  async start(): Promise<void> {
    if (this.#server) throw new Error("The daemon is running.");
    this.#sessions = this.#newSessions();
    await this.#listen();
  }

  /** Is out of reach: connections break, and nobody is answered. Its sessions go on. */
  async hide(): Promise<void> {
    await this.#close();
  }

  /** Can be reached again. */
  async show(): Promise<void> {
    await this.#listen();
  }

  /** Shuts down: turns are interrupted, streams ended. */
  async stop(): Promise<void> {
    await this.#sessions.close();
    await this.#close();
  }

  /** Dies in the middle of whatever it is doing. */
  async kill(): Promise<void> {
    this.#sessions.kill();
    await this.#close();
  }

  /** Stops, and throws what a script of the test threw. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** The live sessions; looking here makes none of them idle. */
  get sessions(): readonly Session[] {
    return this.#sessions.all().map((session) => session.view());
  }

  /** How many readers the event streams have. */
  get readers(): number {
    return this.#sessions.readers().length;
  }

  /** The text of a session's record file. */
  record(session: string): string {
    return this.#records.text(session);
  }

  /** Opens the gate that a script's `wait` waits at, for good. */
  open(gate: string): void {
    this.#gate(gate).resolve();
  }

  /** Appends an event that no script made. */
  emit(session: string, type: string, payload: unknown): void {
    this.#sessions.find(session).emit(type, payload);
  }

  /** Ends event streams, of one session or all, as for a reader that is too slow. */
  dropStreams(session?: string): void {
    for (const reader of this.#sessions.readers(session)) reader.end();
  }

  /** Breaks their connections within a frame. */
  breakStreams(session?: string): void {
    for (const reader of this.#sessions.readers(session)) reader.break();
  }

  /** Writes anything into them, such as a frame that is none. */
  writeToStreams(chunk: string, session?: string): void {
    for (const reader of this.#sessions.readers(session)) reader.write(chunk);
  }

  /**
   * Lets the next requests of a route meet a fault.
   *
   * @param route - Method and last fixed part of the path: `POST turns`, `POST approvals`, `GET events`,
   *   `POST sessions`, `DELETE sessions`, `GET health`.
   */
  failNext(route: string, fault: DcodeFault, times = 1): void {
    this.#faults.add(route, fault, times);
  }

  async #listen(): Promise<void> {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#failures.push(error);
        response.destroy();
      });
    };
    const { tls } = this.#tcp ?? {};
    const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
    this.#server = server;
    if (this.#tcp) server.listen(this.#port, "127.0.0.1");
    else server.listen(this.socketPath);
    await once(server, "listening");
    if (this.#tcp) this.#port = (server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const body = await text(request);
    this.requests.push({ method, path: url, body });
    const { token } = this.#tcp ?? {};
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      writeAnswer(response, { status: 401, text: "unauthorized\n" });
      return;
    }
    const { pathname, searchParams: query } = new URL(url, "http://dcode");
    const parts = pathname.split("/").slice(1).map(decodeURIComponent);
    const fault = this.#faults.take(`${method} ${routeName(parts)}`);
    switch (fault?.kind) {
      case "hang":
        return;
      case "break":
        response.destroy();
        return;
      case "answer":
        response.writeHead(fault.status).end(fault.body);
        return;
      default:
    }
    const call = { method, parts, query, body, response };
    const answer = await answerRequest(this.#sessions, this.#settings, call);
    if (fault?.kind === "lose-answer") response.destroy();
    else if (answer) writeAnswer(response, answer);
  }

  #newSessions(): Sessions {
    return new Sessions(this.#settings, this.#records, {
      gate: (name) => this.#gate(name).promise,
      failed: (error) => void this.#failures.push(error),
    });
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }
}
