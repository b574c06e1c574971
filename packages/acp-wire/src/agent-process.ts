import { AgentLink } from "./agent-link.ts";
import type { AgentOptions } from "./agent-options.ts";
import { type AgentExit, ErrorCode, RpcError } from "./errors.ts";
import { type LoginState, type LoginStep, loginMeta, parseLoginState } from "./login.ts";
import { mapFileLinks } from "./map-file-links.ts";
import { offerFiles } from "./offer-files.ts";
import { parseOversize } from "./oversize.ts";
import { PathMap } from "./path-map.ts";
import { type SessionClient, SessionClients } from "./session-clients.ts";
import {
  reduceSettings,
  type SettingCall,
  type SettingsState,
  setModeCall,
  setModelCall,
  setOptionCall,
} from "./session-settings.ts";
import { parseSetup, sessionIdInUse, sessionInfoOf, setupOf } from "./session-setup.ts";
import { offersSteering, parseSteerResult, STEER_METHOD } from "./steering.ts";
import type { ContentBlock } from "./types/content.ts";
import type {
  AgentCapabilities,
  AuthMethod,
  ClientCapabilities,
  Implementation,
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

/** Pages of session/list that are followed; more are an agent that goes in circles. */
const MAX_LIST_PAGES = 100;
/** Where an agent takes a system prompt, when it advertises that key in its capabilities. */
const SYSTEM_PROMPT_META = "session.systemPrompt";

/**
 * A running, initialized agent. One is made by {@link AgentProcess.start}.
 *
 * Every call rejects with RpcError as the agent answered, or with WireError: `agent_exited` when it
 * died meanwhile or was ended because it did not listen any more, `stalled` and `overflow` when it
 * does not read.
 */
export class AgentProcess implements AsyncDisposable {
  readonly #link: AgentLink;
  readonly #options: AgentOptions;
  readonly #clients: SessionClients;
  readonly #paths: PathMap;
  /** The directory and the settings of each session. */
  readonly #sessions = new Map<string, { cwd: string; settings: SettingsState }>();
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
    const agent = new AgentProcess(await AgentLink.spawn(options), options);
    await agent.#link.initialize(agent.#clientCapabilities, signal);
    return agent;
  }

  private constructor(link: AgentLink, options: AgentOptions) {
    const onError = (error: unknown, method: string) => options.onClientError?.(error, method);
    this.#link = link;
    this.#options = options;
    this.#paths = new PathMap(options.pathMap);
    this.#clients = new SessionClients({ onError, onStray: options.onStrayUpdate });
    link.onEnded = () => this.#clients.clear();
    link.onOversize = (start) => {
      const lost = parseOversize(start);
      if (lost.kind === "other") this.#clients.lose(lost.sessionId);
    };
    link.countPrompts = () => this.#clients.countPrompts();
    link.conn.handleNotify("session/update", (params) => {
      if (isUpdate(params)) this.#onUpdate(params);
    });
    link.conn.handle("session/request_permission", async (params, { signal }) => ({
      outcome: await this.#clients.ask(params as PermissionRequestParams, signal),
    }));
    if (options.files === undefined) return;
    offerFiles(link.conn, {
      ...options.files,
      directoryOf: (sessionId) => this.#directoryOf(sessionId),
      toHost: (path) => this.#paths.toHost(path),
    });
  }

  get pid(): number {
    return this.#link.child.pid;
  }
  /** False from the first sign that the process ends, is being ended, or does not listen any more. */
  get usable(): boolean {
    return this.#link.usable;
  }
  /** Resolves when the process has ended and its output was read. Never rejects. */
  get exited(): Promise<AgentExit> {
    return this.#link.exited;
  }
  /** The end of the agent's stderr so far, for a log. */
  get stderrTail(): string {
    return this.#link.child.stderrTail;
  }
  get info(): Implementation | undefined {
    return this.#link.initialized?.agentInfo ?? undefined;
  }
  get capabilities(): AgentCapabilities {
    return this.#link.initialized?.agentCapabilities ?? {};
  }
  get authMethods(): readonly AuthMethod[] {
    return this.#link.initialized?.authMethods ?? [];
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
    return this.#clients.whileOpening(async () => {
      let setup!: SessionSetup;
      await this.#link.call("session", "session/new", this.#place(cwd, client, meta), {
        onResult: (result) => {
          setup = parseSetup(result);
          if (this.#clients.has(setup.sessionId)) throw sessionIdInUse(setup.sessionId);
          this.#sessions.set(setup.sessionId, { cwd, settings: setup });
          this.#clients.add(setup.sessionId, client);
        },
      });
      return setup;
    });
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
  async listSessions(directory: string): Promise<readonly SessionInfo[]> {
    const sessions: SessionInfo[] = [];
    const seen = new Set<string>();
    const cwd = this.#paths.toAgent(directory);
    for (let page = 0, cursor: string | undefined; page < MAX_LIST_PAGES; page++) {
      const params = cursor === undefined ? { cwd } : { cwd, cursor };
      const result = await this.#call<SessionListResult | null>("session/list", params);
      for (const entry of result?.sessions ?? []) {
        const info = sessionInfoOf(entry, (path) => this.#paths.toHost(path));
        if (info !== undefined) sessions.push(info);
      }
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
      if (close || !this.#cannotRelease) await this.#call(method, { sessionId: session });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== ErrorCode.methodNotFound) throw error;
      this.#cannotRelease = true;
      this.#options.onWarning?.(
        `The agent cannot free sessions (no ${method}): they stay in its memory.`,
      );
    } finally {
      this.#forget(session);
    }
  }

  /** Sends a prompt; resolves when its turn has ended, after every update before that. */
  prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    const params = { sessionId: session, prompt: this.#contentFor(blocks) };
    return this.#clients.whilePrompting(session, () =>
      this.#link.call("prompt", "session/prompt", params),
    );
  }

  /**
   * Gives a session another message while it answers one. Resolves with false when nothing is being answered any more,
   * when the agent does not take it, and when it does not offer `STEERING`.
   */
  async steer(session: string, blocks: readonly ContentBlock[]): Promise<boolean> {
    if (!offersSteering(this.capabilities)) return false;
    const params = { sessionId: session, prompt: this.#contentFor(blocks) };
    return parseSteerResult(await this.#call(STEER_METHOD, params));
  }

  /** The host's path of a file that the agent names by its own. */
  toHost(path: string): string {
    return this.#paths.toHost(path);
  }

  /** Asks the agent to end the turn. Every open question of the session is answered `cancelled`. */
  async cancel(session: string): Promise<void> {
    const told = this.#link.notify("prompt", "session/cancel", { sessionId: session });
    this.#clients.cancel(session);
    this.#link.expectEnd();
    await told;
  }

  /** Chooses a model of this session, by config option or by the older `session/set_model`. */
  setModel(session: string, model: string): Promise<void> {
    return this.#set(session, setModelCall(this.#sessions.get(session)?.settings, model));
  }

  /** Chooses a mode of this session, by config option or by `session/set_mode`. */
  setMode(session: string, mode: string): Promise<void> {
    return this.#set(session, setModeCall(this.#sessions.get(session)?.settings, mode));
  }

  setConfigOption(session: string, id: string, value: string | boolean): Promise<void> {
    return this.#set(session, setOptionCall(id, value));
  }

  /** Logs in by one of {@link authMethods}; an agent may take until a person has finished. */
  async authenticate(methodId: string): Promise<void> {
    await this.#link.call("login", "authenticate", { methodId });
  }

  /**
   * One step of a login that a person finishes elsewhere: `start` says what they are to open,
   * `submit` brings back where they ended, `cancel` gives it up.
   */
  async login(methodId: string, step: LoginStep): Promise<LoginState> {
    const params = { methodId, _meta: loginMeta(step) };
    return parseLoginState(await this.#link.call("login", "authenticate", params));
  }

  /** Forgets the login, where the agent can. */
  async logout(): Promise<void> {
    await this.#call("logout", {});
  }

  /** Stops the agent: end of input, then SIGTERM, then SIGKILL. Resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link.stop();
  }

  async #reopen(
    method: string,
    cwd: string,
    session: string,
    client: SessionClient,
  ): Promise<SessionSetup> {
    const known = this.#clients.has(session);
    // Before it answers, the agent replays, and may already read files of the session.
    this.#clients.add(session, client);
    this.#sessions.set(session, { cwd, settings: {} });
    try {
      const params = { sessionId: session, ...this.#place(cwd, client) };
      const setup = setupOf(session, await this.#call(method, params));
      this.#sessions.set(session, { cwd, settings: setup });
      return setup;
    } catch (error) {
      if (!known) this.#forget(session);
      throw error;
    }
  }

  #forget(session: string): void {
    this.#clients.remove(session);
    this.#sessions.delete(session);
  }

  #call<T>(method: string, params: object): Promise<T> {
    return this.#link.call<T>("session", method, params);
  }

  /** Content with links to files as the agent sees them. */
  #contentFor(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
    return mapFileLinks(blocks, (path) => this.#paths.toAgent(path));
  }

  #place(directory: string, client: SessionClient, meta?: Meta): object {
    const cwd = this.#paths.toAgent(directory);
    const mcpServers = [
      ...(this.#options.mcpServers?.(directory) ?? []),
      ...(client.mcpServers ?? []),
    ];
    const takesDirectories = this.capabilities.sessionCapabilities?.additionalDirectories != null;
    const roots = takesDirectories ? (client.additionalDirectories ?? []) : [];
    return {
      cwd,
      mcpServers,
      ...(roots.length > 0 && {
        additionalDirectories: roots.map((root) => this.#paths.toAgent(root)),
      }),
      ...(meta !== undefined && { _meta: meta }),
    };
  }

  async #set(session: string, { method, params }: SettingCall): Promise<void> {
    const result = await this.#call<{ configOptions?: ConfigOption[] } | null>(method, {
      sessionId: session,
      ...params,
    });
    const known = this.#sessions.get(session);
    if (known && result?.configOptions) {
      known.settings = { ...known.settings, configOptions: result.configOptions };
    }
  }

  #onUpdate(params: SessionUpdateParams): void {
    const known = this.#sessions.get(params.sessionId);
    if (known) known.settings = reduceSettings(known.settings, params.update);
    this.#clients.update(params);
  }

  #directoryOf(sessionId: unknown): string {
    const known = this.#sessions.get(String(sessionId));
    if (known === undefined) throw new RpcError(ErrorCode.resourceNotFound, "Unknown session");
    return known.cwd;
  }

  get #clientCapabilities(): ClientCapabilities {
    const { clientCapabilities = {}, files } = this.#options;
    if (files === undefined) return clientCapabilities;
    const fs = { readTextFile: true, writeTextFile: files.write ?? false };
    return { ...clientCapabilities, fs };
  }
}

function isUpdate(params: unknown): params is SessionUpdateParams {
  if (typeof params !== "object" || params === null) return false;
  const { sessionId, update } = params as { sessionId?: unknown; update?: unknown };
  return typeof sessionId === "string" && typeof update === "object" && update !== null;
}
