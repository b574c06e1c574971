import { isAbsolute, normalize } from "node:path";
import type { Conn } from "../conn.ts";
import type { RequestContext } from "../conn-options.ts";
import { ErrorCode, RpcError } from "../errors.ts";
import { PROTOCOL_VERSION } from "../protocol-version.ts";
import { STEER_METHOD, STEERING, type SteerResult } from "../steering.ts";
import type { ContentBlock } from "../types/content.ts";
import type { ClientCapabilities, InitializeResult } from "../types/initialize.ts";
import type { Meta } from "../types/meta.ts";
import type { SessionInfo, SessionListResult } from "../types/session.ts";
import type { SessionParams } from "./agent-session.ts";
import { LiveSession } from "./live-session.ts";
import { parseMcpServers } from "./mcp-server.ts";
import { flattenPrompt } from "./prompt-text.ts";
import type { ServeAgentOptions } from "./serve-options.ts";
import { ClientCalls } from "./session-client-calls.ts";
import { parseSessionId, unknownSession } from "./session-id.ts";
import { listPage } from "./session-list.ts";
import { createMemoryStore, type SessionStore } from "./session-store.ts";
import { changeConfigOption, changeMode, changeModel, settingsOf } from "./settings.ts";

type Params = { readonly [key: string]: unknown };

/** The sessions of one client, and the answers to all of its methods. */
export class AgentHost {
  readonly #options: ServeAgentOptions;
  readonly #conn: Conn;
  readonly #store: SessionStore;
  readonly #sessions = new Map<string, LiveSession>();
  /** Sessions that are being opened again, so that two calls build one session. */
  readonly #opening = new Map<string, Promise<LiveSession>>();
  #clientCapabilities: ClientCapabilities = {};

  constructor(conn: Conn, options: ServeAgentOptions) {
    this.#options = options;
    this.#conn = conn;
    this.#store = options.store ?? createMemoryStore();
    const handle = (
      method: string,
      handler: (params: Params, context: RequestContext) => unknown,
    ) => conn.handle(method, (params, context) => handler(asObject(params), context));
    handle("initialize", (params) => this.#initialize(params));
    handle("authenticate", (params) => this.#authenticate(params));
    handle("logout", () => this.#logout());
    handle("session/new", (params, context) => this.#new(params, context));
    handle("session/load", (params, context) => this.#reopen(params, context, "load"));
    handle("session/resume", (params, context) => this.#reopen(params, context, "resume"));
    handle("session/list", (params) => this.#list(params));
    handle("session/close", (params) => this.#end(params, "closed"));
    handle("session/delete", (params) => this.#delete(params));
    handle("session/prompt", (params, { signal }) => this.#prompt(params, signal));
    if (options.capabilities?.steering) handle(STEER_METHOD, (params) => this.#steer(params));
    handle("session/set_mode", async (params) => {
      await changeMode(this.#session(params).agentSession, params["modeId"]);
      return {};
    });
    handle("session/set_model", async (params) => {
      await changeModel(this.#session(params).agentSession, params["modelId"]);
      return {};
    });
    handle("session/set_config_option", (params) =>
      changeConfigOption(this.#session(params).agentSession, params["configId"], params["value"]),
    );
    conn.handleNotify("session/cancel", (params) => {
      this.#sessions.get(String(asObject(params)["sessionId"]))?.cancel();
    });
  }

  /** The client is gone: no turn goes on for nobody. */
  cancelAll(): void {
    for (const session of this.#sessions.values()) session.cancel();
  }

  async endAll(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.end("shutdown")));
  }

  #initialize(params: Params): InitializeResult {
    const { info, auth, capabilities = {} } = this.#options;
    const meta = { ...capabilities._meta, ...(capabilities.steering && { [STEERING]: {} }) };
    this.#clientCapabilities = asObject(params["clientCapabilities"]);
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: info,
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        promptCapabilities: capabilities.promptCapabilities ?? {
          image: false,
          audio: false,
          embeddedContext: true,
        },
        mcpCapabilities: capabilities.mcpCapabilities ?? { http: false, sse: false },
        ...(auth?.logout && { auth: { logout: {} } }),
        ...(Object.keys(meta).length > 0 && { _meta: meta }),
      },
      authMethods: [...(auth?.methods ?? [])],
    };
  }

  async #authenticate(params: Params): Promise<object> {
    const { auth } = this.#options;
    const methodId = params["methodId"];
    if (auth === undefined || !auth.methods.some((method) => method.id === methodId)) {
      throw invalidParams(`Unknown authentication method ${JSON.stringify(methodId)}`);
    }
    const meta = await auth.authenticate(methodId as string, metaOf(params));
    return meta === undefined ? {} : { _meta: meta };
  }

  async #logout(): Promise<object> {
    const logout = this.#options.auth?.logout;
    if (logout === undefined)
      throw new RpcError(ErrorCode.methodNotFound, "Method not found: logout");
    await logout.call(this.#options.auth);
    return {};
  }

  async #new(params: Params, context: RequestContext): Promise<object> {
    await this.#requireAuth();
    const sessionId = crypto.randomUUID();
    const cwd = parseDirectory(params["cwd"]) ?? process.cwd();
    const updatedAt = new Date().toISOString();
    const info: SessionInfo = { sessionId, cwd, updatedAt, ...directoriesOf(params) };
    const session = await this.#build({ info, history: [], state: undefined }, params, "new");
    if (context.signal.aborted) {
      // Nobody will learn the id of this session.
      await this.#end({ sessionId }, "deleted");
      throw new RpcError(ErrorCode.requestCancelled, "Request cancelled");
    }
    void context.answered.then(() => session.opened());
    return { sessionId, ...settingsOf(session.agentSession, this.#options.compat ?? false) };
  }

  async #reopen(params: Params, context: RequestContext, how: "load" | "resume"): Promise<object> {
    const sessionId = parseSessionId(params["sessionId"]);
    await this.#requireAuth();
    let session = this.#sessions.get(sessionId);
    if (session === undefined) {
      let opening = this.#opening.get(sessionId);
      if (opening === undefined) {
        opening = this.#restore(sessionId, params, how);
        this.#opening.set(sessionId, opening);
      }
      session = await opening.finally(() => this.#opening.delete(sessionId));
    }
    if (how === "load") await session.replay();
    const opened = session;
    void context.answered.then(() => opened.opened());
    return settingsOf(session.agentSession, this.#options.compat ?? false);
  }

  async #restore(sessionId: string, params: Params, how: "load" | "resume"): Promise<LiveSession> {
    const stored = await this.#store.read(sessionId);
    if (stored === undefined) throw unknownSession(sessionId);
    const cwd = parseDirectory(params["cwd"]) ?? stored.info.cwd;
    const info = { ...stored.info, cwd, ...directoriesOf(params) };
    return this.#build({ ...stored, info, state: stored.state }, params, how);
  }

  async #build(
    stored: Pick<SessionParams, "history" | "state"> & { info: SessionInfo },
    params: Params,
    opened: SessionParams["opened"],
  ): Promise<LiveSession> {
    const { factory, busy = "reject", compat = false, capabilities, onError } = this.#options;
    const { info, history, state } = stored;
    const clientCapabilities = this.#clientCapabilities;
    const session = new LiveSession({
      info,
      history,
      client: new ClientCalls({
        sessionId: info.sessionId,
        conn: this.#conn,
        clientCapabilities,
        compat,
      }),
      store: this.#store,
      busy,
      compat,
      onError: (error, method) => onError?.(error, method),
      now: () => new Date().toISOString(),
    });
    session.agentSession = await factory.newSession({
      sessionId: info.sessionId,
      cwd: info.cwd,
      additionalDirectories: info.additionalDirectories ?? [],
      mcpServers: parseMcpServers(params["mcpServers"], capabilities?.mcpCapabilities),
      sink: session.sink,
      opened,
      history,
      state,
      clientCapabilities,
      meta: metaOf(params),
      signal: session.ended.signal,
    });
    this.#sessions.set(info.sessionId, session);
    return session;
  }

  async #list(params: Params): Promise<SessionListResult> {
    const cwd = parseDirectory(params["cwd"]);
    const infos = new Map<string, SessionInfo>();
    for (const info of await this.#store.list()) infos.set(info.sessionId, info);
    for (const { info, history } of this.#sessions.values()) {
      infos.set(info.sessionId, {
        ...info,
        _meta: { ...info._meta, messageCount: history.length },
      });
    }
    const all = [...infos.values()].filter((info) => cwd === undefined || info.cwd === cwd);
    return listPage(all, params["cursor"]);
  }

  async #end(params: Params, why: "closed" | "deleted"): Promise<object> {
    const id = String(params["sessionId"]);
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.end(why);
    return {};
  }

  async #delete(params: Params): Promise<object> {
    const sessionId = parseSessionId(params["sessionId"]);
    await this.#end(params, "deleted");
    await this.#store.delete(sessionId);
    return {};
  }

  #prompt(params: Params, signal: AbortSignal): Promise<object> {
    const session = this.#session(params);
    return session.prompt(parseBlocks(params["prompt"]), metaOf(params), signal);
  }

  async #steer(params: Params): Promise<SteerResult> {
    const session = this.#session(params);
    return { taken: await session.steer(parseBlocks(params["prompt"])) };
  }

  #session(params: Params): LiveSession {
    const id = String(params["sessionId"]);
    const session = this.#sessions.get(id);
    if (session === undefined) throw unknownSession(id);
    return session;
  }

  async #requireAuth(): Promise<void> {
    if (await this.#options.auth?.needed?.()) {
      throw new RpcError(ErrorCode.authRequired, "Authentication required");
    }
  }
}

/** Blocks that say nothing when their text is empty. */
const KNOWN_TEXT = new Set(["text", "resource", "resource_link"]);

function asObject(value: unknown): Params {
  return typeof value === "object" && value !== null ? (value as Params) : {};
}

function metaOf(params: Params): Meta | undefined {
  const meta = params["_meta"];
  return typeof meta === "object" && meta !== null ? (meta as Meta) : undefined;
}

function parseDirectory(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && isAbsolute(value)) return normalize(value);
  throw invalidParams("cwd must be an absolute path");
}

function directoriesOf(params: Params): { additionalDirectories?: string[] } {
  const directories = params["additionalDirectories"];
  if (!Array.isArray(directories) || directories.length === 0) return {};
  return { additionalDirectories: directories.map((path) => parseDirectory(path) ?? "") };
}

function parseBlocks(blocks: unknown): ContentBlock[] {
  if (!Array.isArray(blocks) || blocks.some((block) => typeof block?.type !== "string")) {
    throw invalidParams("prompt must be an array of content blocks");
  }
  const hasContent = (blocks as ContentBlock[]).some(
    ({ type }) => type === "image" || type === "audio" || !KNOWN_TEXT.has(type),
  );
  if (!hasContent && flattenPrompt(blocks) === "") throw invalidParams("empty prompt");
  return blocks;
}

function invalidParams(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, message);
}
