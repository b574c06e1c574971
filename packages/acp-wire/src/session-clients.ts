import type { PermissionOutcome, PermissionRequestParams } from "./types/permission.ts";
import type { McpServer } from "./types/session.ts";
import type { SessionUpdateParams } from "./types/update.ts";

/** Who listens to a session. */
export interface SessionClient {
  /** MCP servers for this session alone, beside those of every session. Read when it is opened. */
  readonly mcpServers?: readonly McpServer[];
  /** Directories beside `cwd` that the session may use; told to agents that take them. Read when it is opened. */
  readonly additionalDirectories?: readonly string[];
  /**
   * One update, in wire order, called in the tick in which it was read. Updates keep coming between
   * turns and after a prompt's response. What it throws is reported and goes no further.
   */
  update(params: SessionUpdateParams): void;
  /**
   * A message above the longest accepted line was left out. It was of this session, or it does not
   * say of which, and this one has a prompt.
   */
  lost?(): void;
  /**
   * A question of the agent. `signal` aborts when it need not be answered any more: the turn was
   * cancelled, the agent is gone, or it took the question back. The agent is then told `cancelled`,
   * whatever this returns later.
   */
  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome>;
}

export interface SessionClientsOptions {
  onError: (error: unknown, method: string) => void;
  /** An update of a session that nobody listens to. */
  onStray?: ((params: SessionUpdateParams) => void) | undefined;
}

interface Session {
  client: SessionClient;
  /** Set from a cancel until its prompt has ended: questions are answered `cancelled` at once. */
  cancelling: boolean;
  prompts: number;
  readonly asks: Set<AbortController>;
}

const CANCELLED: PermissionOutcome = { outcome: "cancelled" };
/** Updates that may wait for the answer which tells what session they are of, and their size as JSON. */
const MAX_EARLY_UPDATES = 10_000;
const MAX_EARLY_CHARS = 16 * 1024 * 1024;

/** Brings what an agent sends to whoever listens to that session. */
export class SessionClients {
  readonly #options: SessionClientsOptions;
  readonly #sessions = new Map<string, Session>();
  /** Updates that came before the answer of the session/new that made their session. */
  #early: SessionUpdateParams[] = [];
  #earlyChars = 0;
  /** Calls in flight whose answer will bring a session id. */
  #opening = 0;
  /** Resolves when a session was added or none is being opened any more. */
  #change = Promise.withResolvers<void>();

  constructor(options: SessionClientsOptions) {
    this.#options = options;
  }

  /** While `open` runs, updates of unknown sessions are kept for the session that it adds. */
  async whileOpening<T>(open: () => Promise<T>): Promise<T> {
    this.#opening++;
    try {
      return await open();
    } finally {
      this.#opening--;
      if (this.#opening === 0) {
        for (const params of this.#takeEarly()) this.#options.onStray?.(params);
        this.#changed();
      }
    }
  }

  /** Makes `client` the listener of a session, at once, and hands it what came too early. */
  add(session: string, client: SessionClient): void {
    const known = this.#sessions.get(session);
    if (known !== undefined) known.client = client;
    else {
      const added = { client, cancelling: false, prompts: 0, asks: new Set<AbortController>() };
      this.#sessions.set(session, added);
    }
    for (const params of this.#takeEarly()) this.update(params);
    this.#changed();
  }

  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  remove(session: string): void {
    this.#cancelAsks(session);
    this.#sessions.delete(session);
  }

  update(params: SessionUpdateParams): void {
    const session = this.#sessions.get(params.sessionId);
    if (session === undefined) {
      if (!this.#keepEarly(params)) this.#options.onStray?.(params);
      return;
    }
    this.#tell(() => session.client.update(params));
  }

  /** A message was left out: of this session, or of one that nobody knows. */
  lose(sessionId: string | undefined): void {
    const named = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    const concerned =
      named === undefined
        ? [...this.#sessions.values()].filter(({ prompts }) => prompts > 0)
        : [named];
    for (const { client } of concerned) this.#tell(() => client.lost?.());
  }

  async ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    while (!this.#sessions.has(request.sessionId) && this.#opening > 0) await this.#change.promise;
    const session = this.#sessions.get(request.sessionId);
    if (session === undefined || session.cancelling || signal.aborted) return CANCELLED;
    const abort = new AbortController();
    const cancelled = Promise.withResolvers<PermissionOutcome>();
    abort.signal.addEventListener("abort", () => cancelled.resolve(CANCELLED), { once: true });
    const onAbort = () => abort.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    session.asks.add(abort);
    try {
      return await Promise.race([session.client.ask(request, abort.signal), cancelled.promise]);
    } catch (error) {
      this.#options.onError(error, "session/request_permission");
      return CANCELLED;
    } finally {
      session.asks.delete(abort);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Counts a prompt in, until `run` is done. */
  async whilePrompting<T>(id: string, run: () => Promise<T>): Promise<T> {
    const session = this.#sessions.get(id);
    if (session === undefined) return run();
    session.prompts++;
    try {
      return await run();
    } finally {
      session.prompts--;
      if (session.prompts === 0) session.cancelling = false;
    }
  }

  /** How many prompts are counted in, by whether their session was cancelled. */
  countPrompts(): { cancelledPrompts: number; prompts: number } {
    const count = { cancelledPrompts: 0, prompts: 0 };
    for (const { cancelling, prompts } of this.#sessions.values()) {
      count[cancelling ? "cancelledPrompts" : "prompts"] += prompts;
    }
    return count;
  }

  /** Answers every open question of a session `cancelled`, and those to come until its turn ends. */
  cancel(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    session.cancelling = session.prompts > 0;
    this.#cancelAsks(id);
  }

  /** The agent is gone: nobody waits for an answer any more. */
  clear(): void {
    for (const id of this.#sessions.keys()) this.#cancelAsks(id);
    this.#sessions.clear();
  }

  #tell(what: () => void): void {
    try {
      what();
    } catch (error) {
      this.#options.onError(error, "session/update");
    }
  }

  #keepEarly(params: SessionUpdateParams): boolean {
    if (this.#opening === 0 || this.#early.length >= MAX_EARLY_UPDATES) return false;
    const chars = JSON.stringify(params).length;
    if (this.#earlyChars + chars > MAX_EARLY_CHARS) return false;
    this.#early.push(params);
    this.#earlyChars += chars;
    return true;
  }

  #takeEarly(): SessionUpdateParams[] {
    const early = this.#early;
    this.#early = [];
    this.#earlyChars = 0;
    return early;
  }

  #cancelAsks(id: string): void {
    for (const abort of this.#sessions.get(id)?.asks ?? []) abort.abort();
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
