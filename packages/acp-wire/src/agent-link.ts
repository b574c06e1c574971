import { AgentChild } from "./agent-child.ts";
import { createAgentEnv } from "./agent-env.ts";
import { agentExited } from "./agent-exited.ts";
import type { AgentOptions } from "./agent-options.ts";
import { Conn } from "./conn.ts";
import type { RequestOptions } from "./conn-options.ts";
import { type AgentExit, type AgentPhase, RpcError, WireError } from "./errors.ts";
import { Liveness, type Owed } from "./liveness.ts";
import { PROTOCOL_VERSION } from "./protocol-version.ts";
import type { ClientCapabilities, InitializeParams, InitializeResult } from "./types/initialize.ts";

/** An agent whose pipes are closed gets this long to exit before it is stopped. */
const SILENT_EXIT_MS = 1_000;

/** What a call is about. A login may take until a person has finished. */
type CallKind = "initialize" | "login" | "session" | "prompt";

/** Any answer to it will do, and an agent need not know it. */
const SIGN_OF_LIFE = "_acp-kit.dev/ping";

/** An agent's process and the connection to it: one lives as long as the other. */
export class AgentLink {
  readonly conn: Conn;
  readonly child: AgentChild;
  /** Resolves when the process has ended and its output was read. Never rejects. */
  readonly exited: Promise<AgentExit>;
  /** Called when the process has ended, before {@link exited} resolves. */
  onEnded: () => void = () => {};
  /** Called with the start of a line that was too long. */
  onOversize: (start: string) => void = () => {};
  /** Tells how many prompts the agent has that were cancelled, and how many that were not. */
  countPrompts: () => Omit<Owed, "calls"> = () => ({ cancelledPrompts: 0, prompts: 0 });
  /** What the agent said about itself. */
  initialized: InitializeResult | undefined;
  readonly #options: AgentOptions;
  /** Calls in flight, by what they are about. */
  readonly #inFlight: Record<CallKind, number> = { initialize: 0, login: 0, session: 0, prompt: 0 };
  readonly #liveness: Liveness;
  /** Why the process ends, once we have a hand in it. */
  #ending: "requested" | "unresponsive" | undefined;
  #usable = true;

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
        onOversize: (start) => {
          options.onOversize?.(start);
          this.onOversize(start);
        },
        onHandlerError: options.onClientError,
        onBroken: () => void this.#endSilent(),
        trace: options.trace,
      },
    );
    this.#liveness = new Liveness({
      limits: options.silence ?? {},
      owed: () => ({ calls: this.#inFlight.session, ...this.countPrompts() }),
      isPaused: () => child.stdout.isPaused(),
      ask: () => void this.conn.request(SIGN_OF_LIFE, {}).catch(() => {}),
      onDeaf: (silentMs) => void this.#endDeaf(silentMs),
    });
    child.stdout.on("data", () => this.#liveness.heard());
    this.exited = this.#watchExit();
    void this.conn.serve().then(() => this.#endSilent());
  }

  /** Whether it is of use: its process runs, and neither its pipes nor its silence say otherwise. */
  get usable(): boolean {
    return this.#usable;
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
    kind: CallKind,
    method: string,
    params: object,
    options: RequestOptions = {},
  ): Promise<T> {
    this.#inFlight[kind]++;
    if (kind === "session") this.#liveness.watch();
    try {
      return await this.conn.request<T>(method, params, options);
    } catch (error) {
      throw await this.#explain(error, kind);
    } finally {
      this.#inFlight[kind]--;
    }
  }

  /** Tells the agent; queued when this returns. */
  async notify(kind: CallKind, method: string, params: object): Promise<void> {
    try {
      await this.conn.notify(method, params);
    } catch (error) {
      throw await this.#explain(error, kind);
    }
  }

  /** The agent was told to end a prompt: from now on it owes an answer. */
  expectEnd(): void {
    this.#liveness.watch();
  }

  /** Stops the agent: end of input, then SIGTERM, then SIGKILL. Resolves when it is gone. */
  stop(): Promise<void> {
    return this.#end("requested", () => this.child.stop(this.conn.flush()));
  }

  async #explain(error: unknown, kind: CallKind): Promise<unknown> {
    if (!(error instanceof WireError)) return error;
    const { message, code, cause, sent, chatText } = error;
    const phase = kind === "login" ? "session" : kind;
    if (code !== "closed") return new WireError(message, { code, cause, sent, chatText, phase });
    const exit = await this.exited;
    return agentExited(exit, { name: this.#options.command[0] ?? "", phase, sent });
  }

  async #watchExit(): Promise<AgentExit> {
    const { code, signal } = await this.child.exited;
    this.#usable = false;
    this.#liveness.stop();
    const phase = this.#phase;
    const cause = this.#ending ?? (code === 0 ? "exited" : "crashed");
    this.onEnded();
    return { code, signal, phase, cause, stderrTail: this.child.stderrTail };
  }

  get #phase(): AgentPhase {
    if (this.initialized === undefined) return "initialize";
    if (this.#inFlight.prompt > 0) return "prompt";
    return this.#inFlight.session + this.#inFlight.login > 0 ? "session" : "idle";
  }

  /** An agent that closed its pipes, or does not read, is of no use: it goes, or it is stopped. */
  async #endSilent(): Promise<void> {
    this.#usable = false;
    if (await this.child.exitsWithin(SILENT_EXIT_MS)) return;
    await this.#end("unresponsive", () => this.child.stop(this.conn.flush()));
  }

  /** An agent that is stopped, hung or deadlocked fails whoever waits for it, so that it can be replaced. */
  async #endDeaf(silentMs: number): Promise<void> {
    const seconds = Math.round(silentMs / 1_000);
    this.#options.onWarning?.(`The agent has not answered anything for ${seconds} s: it is ended.`);
    await this.#end("unresponsive", () => this.child.stop(this.conn.flush()));
  }

  async #end(cause: "requested" | "unresponsive", how: () => Promise<void>): Promise<void> {
    this.#ending ??= cause;
    this.#usable = false;
    await how();
    await this.exited;
    await this.conn.close();
  }
}

function initializeFailed(message: string, cause?: unknown): WireError {
  return new WireError(message, { code: "initialize_failed", phase: "initialize", cause });
}
