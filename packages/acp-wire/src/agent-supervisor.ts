import { setTimeout as sleep } from "node:timers/promises";
import type { AgentOptions } from "./agent-options.ts";
import { AgentProcess } from "./agent-process.ts";
import { backoffMs, HEALTHY_MS } from "./backoff.ts";
import { type AgentExit, ErrorCode, RpcError, WireError } from "./errors.ts";
import type { LoginState, LoginStep } from "./login.ts";
import { PathMap } from "./path-map.ts";
import type { SessionClient } from "./session-clients.ts";
import type { ContentBlock } from "./types/content.ts";
import type { AgentCapabilities, AuthMethod, Implementation } from "./types/initialize.ts";
import type { SessionInfo, SessionPromptResult, SessionSetup } from "./types/session.ts";

export interface SupervisorOptions extends AgentOptions {
  /** How long a call waits for an agent that is down, start included. Default 30,000. */
  waitMs?: number | undefined;
  /** Carries out each start of the process; it may wait before, or refuse by throwing, which counts as no failure. */
  aroundStart?: (<Started>(start: () => Promise<Started>) => Promise<Started>) | undefined;
}

/**
 * The calls of {@link AgentProcess} over a process that comes back.
 *
 * The process is started by the first call. When it dies, or is ended because it does not listen any
 * more, calls in flight fail with the cause, and so does every later call about one of its sessions
 * (`resourceNotFound`, as an agent says it); the next call that opens a session starts it again,
 * after a pause of 1 to 60 s that grows with each failure in a row.
 */
export class AgentSupervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions;
  readonly #paths: PathMap;
  readonly #listeners = new Set<(exit: AgentExit) => void>();
  readonly #closing = new AbortController();
  #agent: AgentProcess | undefined;
  /** The start under way, its pause included; shared by all calls that wait for it. */
  #starting: Promise<AgentProcess> | undefined;
  /** What the last process that came up said about itself. */
  #last: AgentProcess | undefined;
  /** Starts that failed and short lives, in a row. */
  #failures = 0;
  #lastFailure: unknown;
  /** When the next start may be, by the clock of `performance.now()`. */
  #notBefore = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#paths = new PathMap(options.pathMap);
  }

  /** What the agent said when it last came up; nothing before that. See {@link ready}. */
  get info(): Implementation | undefined {
    return this.#last?.info;
  }
  get capabilities(): AgentCapabilities {
    return this.#last?.capabilities ?? {};
  }
  get authMethods(): readonly AuthMethod[] {
    return this.#last?.authMethods ?? [];
  }
  /** The process that runs now. */
  get running(): AgentProcess | undefined {
    return this.#agent;
  }

  /**
   * Tells when a process that had come up has ended: all its sessions are gone. Called before the
   * calls that were in flight reject.
   */
  onExit(listener: (exit: AgentExit) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /**
   * Resolves when the agent runs; starts it if need be.
   *
   * @throws WireError what {@link AgentProcess.start} throws; `unavailable` when it cannot be up
   * within `waitMs`; `closed` after dispose
   */
  async ready(): Promise<void> {
    await this.#process();
  }

  async newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup> {
    return (await this.#process()).newSession(cwd, client, systemPrompt);
  }

  async loadSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    return (await this.#process()).loadSession(cwd, session, client);
  }

  async resumeSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    return (await this.#process()).resumeSession(cwd, session, client);
  }

  async listSessions(cwd: string): Promise<readonly SessionInfo[]> {
    return (await this.#process()).listSessions(cwd);
  }

  async authenticate(methodId: string): Promise<void> {
    return (await this.#process()).authenticate(methodId);
  }

  async login(methodId: string, step: LoginStep): Promise<LoginState> {
    return (await this.#process()).login(methodId, step);
  }

  async logout(): Promise<void> {
    return (await this.#process()).logout();
  }

  async prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    return this.#owner(session).prompt(session, blocks);
  }

  /** False, too, when the agent that ran the session is gone: there is nothing to steer. */
  async steer(session: string, blocks: readonly ContentBlock[]): Promise<boolean> {
    return (
      (this.#agent?.hasSession(session) && (await this.#agent.steer(session, blocks))) || false
    );
  }

  async setModel(session: string, model: string): Promise<void> {
    return this.#owner(session).setModel(session, model);
  }

  async setMode(session: string, mode: string): Promise<void> {
    return this.#owner(session).setMode(session, mode);
  }

  async setConfigOption(session: string, id: string, value: string | boolean): Promise<void> {
    return this.#owner(session).setConfigOption(session, id, value);
  }

  /** The host's path of a file that the agent names by its own. */
  toHost(path: string): string {
    return this.#paths.toHost(path);
  }

  /** Nothing to do when the agent that ran the session is gone. */
  async cancel(session: string): Promise<void> {
    if (this.#agent?.hasSession(session)) await this.#agent.cancel(session);
  }

  /** Nothing to do when the agent that held the session is gone. */
  async closeSession(session: string): Promise<void> {
    if (this.#agent?.hasSession(session)) await this.#agent.closeSession(session);
  }

  /** Stops the agent and starts it no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new WireError("The agent was shut down.", { code: "closed", sent: false }));
    const agent = this.#agent ?? (await this.#starting?.catch(() => undefined));
    await agent?.[Symbol.asyncDispose]();
  }

  async #process(): Promise<AgentProcess> {
    this.#closing.signal.throwIfAborted();
    if (this.#agent?.usable) return this.#agent;
    const waitMs = this.#options.waitMs ?? 30_000;
    if (this.#notBefore - performance.now() > waitMs) throw this.#unavailable();
    if (this.#starting === undefined) {
      this.#starting = this.#start();
      this.#starting.catch(() => {});
    }
    const late = new AbortController();
    try {
      return await Promise.race([
        this.#starting,
        sleep(waitMs, undefined, { signal: late.signal }).then(() => {
          throw this.#unavailable();
        }),
      ]);
    } finally {
      late.abort();
    }
  }

  #owner(session: string): AgentProcess {
    this.#closing.signal.throwIfAborted();
    if (this.#agent?.hasSession(session)) return this.#agent;
    throw new RpcError(ErrorCode.resourceNotFound, "The session ended with its agent process", {
      sessionId: session,
    });
  }

  async #start(): Promise<AgentProcess> {
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      return AgentProcess.start(this.#options, this.#closing.signal);
    };
    try {
      // One that does not listen any more takes until it is killed.
      await this.#agent?.exited;
      const pause = this.#notBefore - performance.now();
      if (pause > 0) await sleep(pause, undefined, { signal: this.#closing.signal });
      const { aroundStart } = this.#options;
      const agent = await (aroundStart ? aroundStart(begin) : begin());
      this.#last = agent;
      this.#watch(agent, performance.now());
      return agent;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (hasBegun) this.#countFailure(error);
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  #watch(agent: AgentProcess, since: number): void {
    this.#agent = agent;
    void agent.exited.then((exit) => {
      this.#agent = undefined;
      if (performance.now() - since >= HEALTHY_MS) this.#failures = 0;
      this.#countFailure(exit);
      for (const listener of this.#listeners) {
        try {
          listener(exit);
        } catch (error) {
          this.#options.onClientError?.(error, "exit");
        }
      }
    });
  }

  #countFailure(failure: unknown): void {
    this.#failures++;
    this.#lastFailure = failure;
    this.#notBefore = performance.now() + backoffMs(this.#failures, Math.random());
  }

  #unavailable(): WireError {
    const seconds = Math.max(0, Math.ceil((this.#notBefore - performance.now()) / 1_000));
    const state =
      seconds > 0
        ? `is down (${this.#failures} failures in a row); next start in ${seconds} s`
        : "is still starting";
    return new WireError(`The agent ${state}.`, {
      code: "unavailable",
      cause: this.#lastFailure,
      sent: false,
    });
  }
}
