import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import {
  Conn,
  type ContentBlock,
  ErrorCode,
  type RequestContext,
  RpcError,
} from "@acp-kit/acp-wire";
import { runRequest, type Surroundings } from "./open-request.ts";
import { parseInlineScript, ScriptError } from "./parse-script.ts";
import type { FaultyProcess } from "./process-faults.ts";
import { promptTexts } from "./prompt-text.ts";
import type { Recorder } from "./recorder.ts";
import type { Script, Step } from "./script.ts";
import {
  configOptionsOf,
  notePrompt,
  refuseSetting,
  type SessionData,
  sessionSetup,
} from "./session.ts";
import type { SessionStore } from "./session-store.ts";
import { type AgentSetting, surroundingsOf, surroundingsWithoutSession } from "./surroundings.ts";

export interface ScriptedAgentOptions {
  readonly script: Script;
  readonly version: string;
  /** Divides every wait. */
  readonly speed: number;
  /** Whether a prompt `script:{…}` or `script:[…]` brings its own script. */
  readonly allowInline: boolean;
  readonly store: SessionStore;
  readonly recorder: Recorder;
  /** What the client sends: stdin, or a stream that goes on where stdin has ended. */
  readonly input: Readable;
  readonly process: Omit<FaultyProcess, "flush">;
  /** Takes a line for stderr. */
  readonly log: (line: string) => void;
}

/** A session that a client has opened. */
interface OpenSession {
  readonly data: SessionData;
  /** Aborted when the client closes it. */
  readonly closed: AbortController;
  /** The turn whose prompt is not answered yet. */
  turn: Turn | undefined;
}

interface Turn {
  readonly cancelled: AbortController;
  readonly ended: Promise<void>;
}

type Params = Readonly<Record<string, unknown>>;
type Answer = Record<string, unknown>;

const INLINE = "script:";
const DEFAULT_CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { list: {}, resume: {}, close: {} },
};

/**
 * Follows a script on one connection. Resolves when the client has closed its end and what was running
 * has stopped.
 */
export function serveScript(options: ScriptedAgentOptions): Promise<void> {
  return new ScriptedAgent(options).serve();
}

class ScriptedAgent {
  readonly #options: ScriptedAgentOptions;
  readonly #script: Script;
  readonly #setting: AgentSetting;
  readonly #sessions = new Map<string, OpenSession>();

  constructor(options: ScriptedAgentOptions) {
    const { script, speed, recorder, input } = options;
    const conn = new Conn(
      { readable: input, writable: options.process.stdout },
      {
        malformed: "answer",
        // Nobody waits for the answers of running turns any more.
        drainMs: 50,
        trace: (direction, message) => this.#record(direction, message),
        onHandlerError: (error, method) => options.log(`${method}: ${error}`),
      },
    );
    const process = { ...options.process, flush: () => conn.flush() };
    this.#options = options;
    this.#script = script;
    this.#setting = { conn, traits: script.agent ?? {}, speed, recorder, process };
    this.#register(conn);
  }

  async serve(): Promise<void> {
    await this.#setting.conn.serve();
    for (const session of this.#sessions.values()) session.closed.abort();
  }

  #register(conn: Conn): void {
    const handle = (
      method: string,
      handler: (params: Params, context: RequestContext) => Answer | Promise<Answer>,
    ) => conn.handle(method, (params, context) => handler(asParams(params), context));
    handle("initialize", (_, { signal }) => this.#initialize(signal));
    handle("authenticate", () => ({}));
    handle("session/new", (params, { signal }) => this.#new(params, signal));
    handle("session/load", (params, { signal }) => this.#reopen(params, "replay", signal));
    handle("session/resume", (params, { signal }) => this.#reopen(params, "silent", signal));
    handle("session/list", (params) => this.#list(params));
    handle("session/close", (params) => this.#close(params));
    handle("session/prompt", (params, { signal }) => this.#prompt(params, signal));
    const { models, modelsAs, modes } = this.#setting.traits;
    if (models !== undefined && modelsAs === "set-model") {
      handle("session/set_model", (params) => this.#set(params, "model", params["modelId"]));
    }
    if (modes !== undefined) {
      handle("session/set_mode", (params) => this.#set(params, "mode", params["modeId"]));
    }
    handle("session/set_config_option", (params) => {
      this.#set(params, String(params["configId"]), params["value"]);
      const { data } = this.#session(params);
      return { configOptions: configOptionsOf(data, this.#setting.traits) };
    });
    conn.handleNotify("session/cancel", (params) => {
      this.#sessions.get(String(asParams(params)["sessionId"]))?.turn?.cancelled.abort();
    });
  }

  #record(direction: "in" | "out", message: object): void {
    const { method, params } = message as { method?: unknown; params?: unknown };
    if (direction === "out" || typeof method !== "string") return;
    this.#options.recorder.note({ kind: "received", method, params });
  }

  #run(
    steps: readonly Step[] | undefined,
    surroundings: Surroundings,
    answer: () => Answer,
  ): Promise<Answer> {
    return runRequest({
      steps: steps ?? [],
      surroundings,
      answer,
      onLateError: (error) => {
        if (!surroundings.signal.aborted) this.#options.log(`behind the answer: ${error}`);
      },
    });
  }

  #initialize(signal: AbortSignal): Promise<Answer> {
    const { traits } = this.#setting;
    const surroundings = surroundingsWithoutSession(this.#setting, signal);
    return this.#run(this.#script.initialize, surroundings, () => ({
      protocolVersion: traits.protocolVersion ?? 1,
      agentCapabilities: traits.capabilities ?? DEFAULT_CAPABILITIES,
      agentInfo: { name: traits.name ?? "demo-agent", version: this.#options.version },
      authMethods: traits.authMethods ?? [],
    }));
  }

  async #new(params: Params, gone: AbortSignal): Promise<Answer> {
    const session = this.#keepOpen({
      id: randomUUID(),
      cwd: cwdOf(params) ?? process.cwd(),
      updatedAt: now(),
      prompts: 0,
      settings: {},
      history: [],
    });
    const { id } = session.data;
    try {
      return { sessionId: id, ...(await this.#attach(session, gone)) };
    } catch (error) {
      this.#sessions.delete(id);
      throw error;
    }
  }

  async #reopen(params: Params, how: "replay" | "silent", gone: AbortSignal): Promise<Answer> {
    const id = String(params["sessionId"]);
    const open = this.#sessions.get(id);
    const data = open?.data ?? this.#options.store.read(id);
    if (data === undefined) throw unknownSession(id);
    const session = open ?? this.#keepOpen(data);
    if (how === "replay") {
      for (const update of data.history) {
        await this.#setting.conn.notify("session/update", { sessionId: id, update });
      }
    }
    return this.#attach(session, gone);
  }

  #keepOpen(data: SessionData): OpenSession {
    const session: OpenSession = { data, closed: new AbortController(), turn: undefined };
    this.#sessions.set(data.id, session);
    this.#options.store.write(data);
    return session;
  }

  #attach({ data, closed }: OpenSession, gone: AbortSignal): Promise<Answer> {
    const stop = AbortSignal.any([closed.signal, gone]);
    const surroundings = surroundingsOf(data, "", this.#setting, stop);
    const answer = () => sessionSetup(data, this.#setting.traits);
    return this.#run(this.#script.session, surroundings, answer);
  }

  #list(params: Params): Answer {
    const cwd = cwdOf(params);
    const sessions = this.#options.store
      .list()
      .filter((data) => cwd === undefined || data.cwd === cwd)
      .map(({ id, cwd, title, updatedAt }) => ({ sessionId: id, cwd, title, updatedAt }));
    return { sessions };
  }

  async #close(params: Params): Promise<Answer> {
    const id = String(params["sessionId"]);
    const session = this.#sessions.get(id);
    session?.closed.abort();
    await session?.turn?.ended;
    this.#sessions.delete(id);
    return {};
  }

  #set(params: Params, setting: string, value: unknown): Answer {
    const { data } = this.#session(params);
    const refusal = refuseSetting(data, this.#setting.traits, setting, value);
    if (refusal !== undefined) throw invalidParams(refusal);
    data.settings[setting] = value as string | boolean;
    this.#options.store.write(data);
    return {};
  }

  async #prompt(params: Params, gone: AbortSignal): Promise<Answer> {
    const session = this.#session(params);
    const blocks = params["prompt"];
    if (!Array.isArray(blocks) || blocks.length === 0) {
      throw invalidParams("The prompt is empty.");
    }
    if (session.turn !== undefined) {
      throw new RpcError(ErrorCode.invalidRequest, "The session already has an active prompt.");
    }
    const texts = promptTexts(blocks as ContentBlock[]);
    const script = this.#scriptFor(texts);
    notePrompt(session.data, blocks as ContentBlock[], now());
    this.#options.store.write(session.data);

    const ended = Promise.withResolvers<void>();
    const turn: Turn = { cancelled: new AbortController(), ended: ended.promise };
    session.turn = turn;
    try {
      return await this.#runTurn(script, session, turn, texts.at(-1) ?? "", gone);
    } finally {
      session.turn = undefined;
      session.data.updatedAt = now();
      this.#options.store.write(session.data);
      ended.resolve();
    }
  }

  /** A turn that is cancelled, whose session is closed or whose client is gone ends as cancelled. */
  async #runTurn(
    script: Script,
    { data, closed }: OpenSession,
    { cancelled }: Turn,
    prompt: string,
    gone: AbortSignal,
  ): Promise<Answer> {
    const over = AbortSignal.any([closed.signal, gone]);
    const stop = AbortSignal.any([cancelled.signal, over]);
    try {
      const surroundings = surroundingsOf(data, prompt, this.#setting, stop);
      return await this.#run(script.prompt, surroundings, () => ({ stopReason: "end_turn" }));
    } catch (error) {
      if (!stop.aborted) throw error;
    }
    const answer = { stopReason: "cancelled" };
    try {
      const surroundings = surroundingsOf(data, prompt, this.#setting, over);
      return await this.#run(script.cancel, surroundings, () => answer);
    } catch (error) {
      if (over.aborted) return answer;
      throw error;
    }
  }

  #scriptFor(texts: readonly string[]): Script {
    const inline = this.#options.allowInline && texts.find((text) => text.startsWith(INLINE));
    if (!inline) return this.#script;
    try {
      return parseInlineScript(inline.slice(INLINE.length));
    } catch (error) {
      if (error instanceof ScriptError) throw invalidParams(error.message);
      throw error;
    }
  }

  #session(params: Params): OpenSession {
    const id = String(params["sessionId"]);
    const session = this.#sessions.get(id);
    if (session === undefined) throw unknownSession(id);
    return session;
  }
}

function asParams(params: unknown): Params {
  return typeof params === "object" && params !== null ? (params as Params) : {};
}

function cwdOf({ cwd }: Params): string | undefined {
  if (cwd === undefined || cwd === null || cwd === "") return undefined;
  if (typeof cwd === "string" && isAbsolute(cwd)) return cwd;
  throw invalidParams("cwd should be an absolute path.");
}

function invalidParams(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, message);
}

function unknownSession(id: string): RpcError {
  return new RpcError(ErrorCode.resourceNotFound, `Unknown session "${id}".`);
}

function now(): string {
  return new Date().toISOString();
}
