import { AgentChild } from "./agent-child.ts";
import { createAgentEnv } from "./agent-env.ts";
import { agentExited } from "./agent-exited.ts";
import type { AgentOptions } from "./agent-options.ts";
import { Conn } from "./conn.ts";
import type { RequestOptions } from "./conn-options.ts";
import { type AgentExit, type AgentPhase, ErrorCode, RpcError, WireError } from "./errors.ts";
import { PROTOCOL_VERSION } from "./protocol-version.ts";
import { type SessionClient, SessionClients } from "./session-clients.ts";
import {
  reduceSettings,
  type SettingCall,
  type SettingsState,
  setModeCall,
  setModelCall,
  setOptionCall,
} from "./session-settings.ts";
import type { ContentBlock } from "./types/content.ts";
import type {
  AgentCapabilities,
  AuthMethod,
  Implementation,
  InitializeParams,
  InitializeResult,
} from "./types/initialize.ts";
import type { Meta } from "./types/meta.ts";
import type { PermissionRequestParams } from "./types/permission.ts";
import type {
  ConfigOption,
  SessionInfo,
  SessionListResult,
  SessionPromptResult,
  SessionSetup,
} from "./types/session.ts";
import type { SessionUpdateParams } from "./types/update.ts";

/** An agent whose pipes are closed gets this long to exit before it is stopped. */
const SILENT_EXIT_MS = 1_000;
/** Pages of session/list that are followed; more are an agent that goes in circles. */
const MAX_LIST_PAGES = 100;
/** Where an agent takes a system prompt, when it advertises that key in its capabilities. */
const SYSTEM_PROMPT_META = "session.systemPrompt";

/** A running, initialized agent. One is made by {@link AgentProcess.start}. */
export class AgentProcess implements AsyncDisposable {
  /** Resolves when the process has ended and its output was read. Never rejects. */
  readonly exited: Promise<AgentExit>;
  readonly #child: AgentChild;
  readonly #options: AgentOptions;
  readonly #conn: Conn;
  readonly #clients: SessionClients;
  readonly #settings = new Map<string, SettingsState>();
  /** Calls in flight, by what they are about. */
  readonly #inFlight = { initialize: 0, session: 0, prompt: 0 };
  #initialized: InitializeResult | undefined;
  /** Why the process ends, once we have a hand in it. */
  #ending: "requested" | "unresponsive" | undefined;
  /** Set when the agent said that it has no way to free a session. */
  #cannotRelease = false;

  /**
   * Starts an agent and initializes it.
   *
   * @param signal - Gives the start up.
   * @throws WireError `spawn_failed`, `initialize_failed`, `timeout`, `agent_exited`, `aborted`; the
   * process is gone by then
   */
  static async start(options: AgentOptions, signal?: AbortSignal): Promise<AgentProcess> {
    const env = createAgentEnv(options);
    const { envPass = [], hostEnv } = options;
    const passed = envPass.map((name) => hostEnv[name] ?? "");
    const child = await AgentChild.spawn({
      ...options,
      env,
      secrets: [...Object.values(options.env ?? {}), ...passed],
    });
    const agent = new AgentProcess(child, options);
    try {
      await agent.#initialize(signal);
      return agent;
    } catch (error) {
      const timedOut = error instanceof WireError && error.code === "timeout";
      await agent.#end(timedOut ? "unresponsive" : "requested", () => child.kill());
      throw error;
    }
  }

  private constructor(child: AgentChild, options: AgentOptions) {
    const onError = (error: unknown, method: string) => options.onClientError?.(error, method);
    this.#child = child;
    this.#options = options;
    this.#clients = new SessionClients({ onError, onStray: options.onStrayUpdate });
    this.#conn = new Conn(
      { readable: child.stdout, writable: child.stdin },
      {
        maxLineBytes: options.maxLineBytes,
        drainMs: 0,
        onNoise: options.onNoise,
        onOversize: options.onOversize,
        onHandlerError: onError,
        onBroken: () => void this.#endSilent(),
        trace: options.trace,
      },
    );
    this.#conn.handleNotify("session/update", (params) => {
      if (isUpdate(params)) this.#onUpdate(params);
    });
    this.#conn.handle("session/request_permission", async (params, { signal }) => ({
      outcome: await this.#clients.ask(params as PermissionRequestParams, signal),
    }));
    this.exited = this.#watchExit();
    void this.#conn.serve().then(() => this.#endSilent());
  }

  get pid(): number {
    return this.#child.pid;
  }
  get info(): Implementation | undefined {
    return this.#initialized?.agentInfo ?? undefined;
  }
  get capabilities(): AgentCapabilities {
    return this.#initialized?.agentCapabilities ?? {};
  }
  get authMethods(): readonly AuthMethod[] {
    return this.#initialized?.authMethods ?? [];
  }
  /** The end of the agent's stderr so far, for a log. */
  get stderrTail(): string {
    return this.#child.stderrTail;
  }

  /** Whether a session was opened in this process and not closed. */
  hasSession(session: string): boolean {
    return this.#clients.has(session);
  }

  /** Opens a session. Updates that come before the answer are not lost. */
  newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup> {
    const meta = systemPrompt && { [SYSTEM_PROMPT_META]: { blocks: systemPrompt } };
    return this.#clients.whileOpening(() =>
      this.#call<SessionSetup>("session", "session/new", this.#place(cwd, meta), {
        onResult: (result) => this.#add(parseSetup(result), client),
      }),
    );
  }

  /** Opens a stored session; the agent replays it as updates before this resolves. */
  loadSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    return this.#reopen("session/load", cwd, session, client);
  }

  /** Opens a stored session without a replay. */
  resumeSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    return this.#reopen("session/resume", cwd, session, client);
  }

  /** The sessions of a directory, all pages. */
  async listSessions(cwd: string): Promise<readonly SessionInfo[]> {
    const sessions: SessionInfo[] = [];
    const seen = new Set<string>();
    for (let page = 0, cursor: string | undefined; page < MAX_LIST_PAGES; page++) {
      const params = cursor === undefined ? { cwd } : { cwd, cursor };
      const result = await this.#call<SessionListResult | null>("session", "session/list", params);
      sessions.push(...(result?.sessions ?? []));
      cursor = result?.nextCursor ?? undefined;
      if (cursor === undefined || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return sessions;
  }

  /**
   * Frees a session in the agent; it stays on its disk. Without `session/close` the extension
   * `session/release` is tried; an agent that has neither is left alone, after one warning.
   */
  async closeSession(session: string): Promise<void> {
    const close = this.capabilities.sessionCapabilities?.close != null;
    const method = close ? "session/close" : "session/release";
    try {
      if (close || !this.#cannotRelease)
        await this.#call("session", method, { sessionId: session });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== ErrorCode.methodNotFound) throw error;
      this.#cannotRelease = true;
      this.#options.onWarning?.(
        `The agent cannot free sessions (no ${method}): they stay in its memory.`,
      );
    } finally {
      this.#clients.remove(session);
      this.#settings.delete(session);
    }
  }

  /** Sends a prompt; resolves when its turn has ended, after every update before that. */
  prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    const params = { sessionId: session, prompt: blocks };
    return this.#clients.whilePrompting(session, () =>
      this.#call("prompt", "session/prompt", params),
    );
  }

  /** Asks the agent to end the turn. Every open question of the session is answered `cancelled`. */
  async cancel(session: string): Promise<void> {
    const told = this.#conn.notify("session/cancel", { sessionId: session });
    this.#clients.cancel(session);
    await told.catch(async (error) => {
      throw await this.#explain(error, "prompt");
    });
  }

  /** Chooses a model of this session, by config option or by the older `session/set_model`. */
  setModel(session: string, model: string): Promise<void> {
    return this.#set(session, setModelCall(this.#settings.get(session), model));
  }

  /** Chooses a mode of this session, by config option or by `session/set_mode`. */
  setMode(session: string, mode: string): Promise<void> {
    return this.#set(session, setModeCall(this.#settings.get(session), mode));
  }

  setConfigOption(session: string, id: string, value: string | boolean): Promise<void> {
    return this.#set(session, setOptionCall(id, value));
  }

  async authenticate(methodId: string): Promise<void> {
    await this.#call("session", "authenticate", { methodId });
  }

  /** Stops the agent: end of input, then SIGTERM, then SIGKILL. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("requested", () => this.#child.stop(this.#conn.flush()));
  }

  async #initialize(signal?: AbortSignal): Promise<void> {
    const params: InitializeParams = {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: this.#options.clientCapabilities ?? {},
      clientInfo: this.#options.clientInfo,
    };
    const timeoutMs = this.#options.initializeTimeoutMs ?? 30_000;
    try {
      const result = await this.#call<InitializeResult | null>("initialize", "initialize", params, {
        timeoutMs,
        signal,
      });
      const version = result?.protocolVersion ?? PROTOCOL_VERSION;
      if (version !== PROTOCOL_VERSION) {
        throw new WireError(
          `The agent speaks version ${version} of ACP, not ${PROTOCOL_VERSION}.`,
          {
            code: "initialize_failed",
            phase: "initialize",
          },
        );
      }
      this.#initialized = result ?? { protocolVersion: PROTOCOL_VERSION };
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const message = `The agent refused initialize: ${cause.message} (${cause.code})`;
      throw new WireError(message, { code: "initialize_failed", phase: "initialize", cause });
    }
  }

  async #reopen(
    method: string,
    cwd: string,
    session: string,
    client: SessionClient,
  ): Promise<SessionSetup> {
    const known = this.#clients.has(session);
    this.#clients.add(session, client);
    try {
      const params = { sessionId: session, ...this.#place(cwd) };
      const result = await this.#call<object | null>("session", method, params);
      const setup: SessionSetup = { ...result, sessionId: session };
      this.#settings.set(session, setup);
      return setup;
    } catch (error) {
      if (!known) this.#clients.remove(session);
      throw error;
    }
  }

  #add(setup: SessionSetup, client: SessionClient): void {
    this.#settings.set(setup.sessionId, setup);
    this.#clients.add(setup.sessionId, client);
  }

  #place(cwd: string, meta?: Meta): object {
    const place = { cwd, mcpServers: this.#options.mcpServers?.(cwd) ?? [] };
    return meta === undefined ? place : { ...place, _meta: meta };
  }

  async #set(session: string, { method, params }: SettingCall): Promise<void> {
    const result = await this.#call<{ configOptions?: ConfigOption[] } | null>("session", method, {
      sessionId: session,
      ...params,
    });
    const state = this.#settings.get(session);
    if (state && result?.configOptions) {
      this.#settings.set(session, { ...state, configOptions: result.configOptions });
    }
  }

  #onUpdate(params: SessionUpdateParams): void {
    const state = this.#settings.get(params.sessionId);
    if (state) this.#settings.set(params.sessionId, reduceSettings(state, params.update));
    this.#clients.update(params);
  }

  async #call<T>(
    phase: "initialize" | "session" | "prompt",
    method: string,
    params: object,
    options: RequestOptions = {},
  ): Promise<T> {
    this.#inFlight[phase]++;
    try {
      return await this.#conn.request<T>(method, params, options);
    } catch (error) {
      throw await this.#explain(error, phase);
    } finally {
      this.#inFlight[phase]--;
    }
  }

  /** A connection that ended is explained by how its process ended. */
  async #explain(error: unknown, phase: AgentPhase): Promise<unknown> {
    if (!(error instanceof WireError)) return error;
    const { message, code, cause, sent, chatText } = error;
    if (code !== "closed") return new WireError(message, { code, cause, sent, chatText, phase });
    const exit = await this.exited;
    return agentExited(exit, { name: this.#options.command[0] ?? "", phase, sent });
  }

  async #watchExit(): Promise<AgentExit> {
    const { code, signal } = await this.#child.exited;
    const phase = this.#phase;
    const cause = this.#ending ?? (code === 0 ? "exited" : "crashed");
    this.#clients.clear();
    return { code, signal, phase, cause, stderrTail: this.#child.stderrTail };
  }

  get #phase(): AgentPhase {
    if (this.#initialized === undefined) return "initialize";
    if (this.#inFlight.prompt > 0) return "prompt";
    return this.#inFlight.session > 0 ? "session" : "idle";
  }

  /** An agent that closed its pipes, or does not read, is of no use: it goes, or it is stopped. */
  async #endSilent(): Promise<void> {
    if (await this.#child.exitsWithin(SILENT_EXIT_MS)) return;
    await this.#end("unresponsive", () => this.#child.stop(this.#conn.flush()));
  }

  async #end(cause: "requested" | "unresponsive", how: () => Promise<void>): Promise<void> {
    this.#ending ??= cause;
    await how();
    await this.exited;
    await this.#conn.close();
  }
}

function parseSetup(result: unknown): SessionSetup {
  const setup = result as SessionSetup | null;
  if (typeof setup?.sessionId === "string") return setup;
  throw new WireError("The agent answered session/new without a session id.", { code: "protocol" });
}

function isUpdate(params: unknown): params is SessionUpdateParams {
  if (typeof params !== "object" || params === null) return false;
  const { sessionId, update } = params as { sessionId?: unknown; update?: unknown };
  return typeof sessionId === "string" && typeof update === "object" && update !== null;
}
