import { AgentChild } from "./agent-child.ts";
import { createAgentEnv } from "./agent-env.ts";
import { agentExited } from "./agent-exited.ts";
import type { AgentOptions } from "./agent-options.ts";
import { Conn } from "./conn.ts";
import type { RequestOptions } from "./conn-options.ts";
import { type AgentExit, type AgentPhase, RpcError, WireError } from "./errors.ts";
import { PROTOCOL_VERSION } from "./protocol-version.ts";
import type { ClientCapabilities, InitializeParams, InitializeResult } from "./types/initialize.ts";

/** An agent whose pipes are closed gets this long to exit before it is stopped. */
const SILENT_EXIT_MS = 1_000;

/** What a call is about. */
type CallPhase = "initialize" | "session" | "prompt";

/** An agent's process and the connection to it: one lives as long as the other. */
export class AgentLink {
  readonly conn: Conn;
  readonly child: AgentChild;
  /** Resolves when the process has ended and its output was read. Never rejects. */
  readonly exited: Promise<AgentExit>;
  /** Called when the process has ended, before {@link exited} resolves. */
  onEnded: () => void = () => {};
  /** What the agent said about itself. */
  initialized: InitializeResult | undefined;
  readonly #options: AgentOptions;
  /** Calls in flight, by what they are about. */
  readonly #inFlight: Record<CallPhase, number> = { initialize: 0, session: 0, prompt: 0 };
  /** Why the process ends, once we have a hand in it. */
  #ending: "requested" | "unresponsive" | undefined;

  /** @throws WireError `spawn_failed` */
  static async spawn(options: AgentOptions): Promise<AgentLink> {
    const { wrapper = [], command, runAs } = options;
    const child = await AgentChild.spawn({
      ...options,
      command: [...wrapper, ...command],
      env: createAgentEnv({ ...options, sameUser: runAs === undefined }),
    });
    return new AgentLink(child, options);
  }

  private constructor(child: AgentChild, options: AgentOptions) {
    this.child = child;
    this.#options = options;
    this.conn = new Conn(
      { readable: child.stdout, writable: child.stdin },
      {
        maxLineBytes: options.maxLineBytes,
        writeTimeoutMs: options.writeTimeoutMs,
        drainMs: 0,
        onNoise: options.onNoise,
        onOversize: options.onOversize,
        onHandlerError: options.onClientError,
        onBroken: () => void this.#endSilent(),
        trace: options.trace,
      },
    );
    this.exited = this.#watchExit();
    void this.conn.serve().then(() => this.#endSilent());
  }

  /** Brings the agent up. When that fails its process is gone before this rejects. */
  async initialize(
    clientCapabilities: ClientCapabilities,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clientInfo, initializeTimeoutMs: timeoutMs = 30_000 } = this.#options;
    const params: InitializeParams = {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
      clientInfo,
    };
    try {
      const result = await this.call<InitializeResult | null>("initialize", "initialize", params, {
        timeoutMs,
        signal,
      });
      const { protocolVersion = PROTOCOL_VERSION } = result ?? {};
      if (protocolVersion !== PROTOCOL_VERSION) {
        throw initializeFailed(`The agent speaks version ${protocolVersion} of ACP, not 1.`);
      }
      this.initialized = result ?? { protocolVersion };
    } catch (cause) {
      const timedOut = cause instanceof WireError && cause.code === "timeout";
      await this.#end(timedOut ? "unresponsive" : "requested", () => this.child.kill());
      if (!(cause instanceof RpcError)) throw cause;
      const { message, code } = cause;
      throw initializeFailed(`The agent refused initialize: ${message} (${code})`, cause);
    }
  }

  /** Asks the agent. A connection that ended is explained by how its process ended. */
  async call<T>(
    phase: CallPhase,
    method: string,
    params: object,
    options: RequestOptions = {},
  ): Promise<T> {
    this.#inFlight[phase]++;
    try {
      return await this.conn.request<T>(method, params, options);
    } catch (error) {
      throw await this.#explain(error, phase);
    } finally {
      this.#inFlight[phase]--;
    }
  }

  /** Tells the agent; queued when this returns. */
  async notify(phase: CallPhase, method: string, params: object): Promise<void> {
    try {
      await this.conn.notify(method, params);
    } catch (error) {
      throw await this.#explain(error, phase);
    }
  }

  /** Stops the agent: end of input, then SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(): Promise<void> {
    return this.#end("requested", () => this.child.stop(this.conn.flush()));
  }

  async #explain(error: unknown, phase: CallPhase): Promise<unknown> {
    if (!(error instanceof WireError)) return error;
    const { message, code, cause, sent, chatText } = error;
    if (code !== "closed") return new WireError(message, { code, cause, sent, chatText, phase });
    const exit = await this.exited;
    return agentExited(exit, { name: this.#options.command[0] ?? "", phase, sent });
  }

  async #watchExit(): Promise<AgentExit> {
    const { code, signal } = await this.child.exited;
    const phase = this.#phase;
    const cause = this.#ending ?? (code === 0 ? "exited" : "crashed");
    this.onEnded();
    return { code, signal, phase, cause, stderrTail: this.child.stderrTail };
  }

  get #phase(): AgentPhase {
    if (this.initialized === undefined) return "initialize";
    if (this.#inFlight.prompt > 0) return "prompt";
    return this.#inFlight.session > 0 ? "session" : "idle";
  }

  /** An agent that closed its pipes, or does not read, is of no use: it goes, or it is stopped. */
  async #endSilent(): Promise<void> {
    if (await this.child.exitsWithin(SILENT_EXIT_MS)) return;
    await this.#end("unresponsive", () => this.child.stop(this.conn.flush()));
  }

  async #end(cause: "requested" | "unresponsive", how: () => Promise<void>): Promise<void> {
    this.#ending ??= cause;
    await how();
    await this.exited;
    await this.conn.close();
  }
}

function initializeFailed(message: string, cause?: unknown): WireError {
  return new WireError(message, { code: "initialize_failed", phase: "initialize", cause });
}
