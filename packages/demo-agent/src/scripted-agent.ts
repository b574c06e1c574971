import { isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import {
  Conn,
  type ContentBlock,
  ErrorCode,
  type RequestContext,
  RpcError,
  type SessionStore,
} from "@acp-kit/acp-wire";
import { runRequest, type Surroundings } from "./open-request.ts";
import { type OpenSession, OpenSessions, type Turn } from "./open-sessions.ts";
import { parseInlineScript, ScriptError } from "./parse-script.ts";
import type { FaultyProcess } from "./process-faults.ts";
import { promptTexts } from "./prompt-text.ts";
import type { Recorder } from "./recorder.ts";
import type { Script, Step } from "./script.ts";
import { configOptionsOf, notePrompt, refuseSetting, sessionSetup } from "./session.ts";
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
  readonly #sessions: OpenSessions;

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
    this.#sessions = new OpenSessions(options.store);
    this.#setting = { conn, traits: script.agent ?? {}, speed, recorder, process };
    this.#register(conn);
  }

  async serve(): Promise<void> {
    await this.#setting.conn.serve();
    this.#sessions.abort();
  }

  #register(conn: Conn): void {
    const handle = (
      method: string,
      handler: (params: Params, context: RequestContext) => Answer | Promise<Answer>,
    ) => conn.handle(method, (params, context) => handler(asParams(params), context));
    handle("initialize", (_, context) => this.#initialize(context));
    handle("authenticate", () => ({}));
    handle("session/new", (params, context) => this.#new(params, context));
    handle("session/load", (params, context) => this.#reopen(params, "replay", context));
    handle("session/resume", (params, context) => this.#reopen(params, "silent", context));
    handle("session/list", async (params) => ({
      sessions: await this.#sessions.list(cwdOf(params)),
    }));
    handle("session/close", async ({ sessionId }) => {
      await this.#sessions.close(sessionId);
      return {};
    });
    handle("session/prompt", (params, context) => this.#prompt(params, context));
    const { models, modelsAs, modes } = this.#setting.traits;
    if (models !== undefined && modelsAs === "set-model") {
      handle("session/set_model", (params) => this.#set(params, "model", params["modelId"]));
    }
    if (modes !== undefined) {
      handle("session/set_mode", (params) => this.#set(params, "mode", params["modeId"]));
    }
    handle("session/set_config_option", async (params) => {
      await this.#set(params, String(params["configId"]), params["value"]);
      const { data } = this.#sessions.get(params["sessionId"]);
      return { configOptions: configOptionsOf(data, this.#setting.traits) };
    });
    conn.handleNotify("session/cancel", (params) => {
      this.#sessions.get(asParams(params)["sessionId"]).turn?.cancelled.abort();
    });
  }

  #record(direction: "in" | "out", message: object): void {
    const { method, params } = message as { method?: unknown; params?: unknown };
    if (direction === "out" || typeof method !== "string") return;
    this.#options.recorder.note({ kind: "received", method, params });
  }

  #run(
    { answered }: RequestContext,
    steps: readonly Step[] | undefined,
    surroundings: Surroundings,
    answer: () => Answer,
  ): Promise<Answer> {
    return runRequest({
      steps: steps ?? [],
      surroundings,
      answer,
      answered,
      onLateError: (error) => {
        if (!surroundings.signal.aborted) this.#options.log(`behind the answer: ${error}`);
      },
    });
  }

  #initialize(context: RequestContext): Promise<Answer> {
    const { traits } = this.#setting;
    const surroundings = surroundingsWithoutSession(this.#setting, context.signal);
    return this.#run(context, this.#script.initialize, surroundings, () => ({
      protocolVersion: traits.protocolVersion ?? 1,
      agentCapabilities: traits.capabilities ?? DEFAULT_CAPABILITIES,
      agentInfo: { name: traits.name ?? "demo-agent", version: this.#options.version },
      authMethods: traits.authMethods ?? [],
    }));
  }

  async #new(params: Params, context: RequestContext): Promise<Answer> {
    const session = await this.#sessions.create(cwdOf(params) ?? process.cwd());
    const { sessionId } = session.data.info;
    try {
      return { sessionId, ...(await this.#attach(session, context)) };
    } catch (error) {
      await this.#sessions.discard(session);
      throw error;
    }
  }

  async #reopen(
    params: Params,
    how: "replay" | "silent",
    context: RequestContext,
  ): Promise<Answer> {
    const session = await this.#sessions.reopen(params["sessionId"]);
    const { info, saved, unsaved } = session.data;
    if (how === "replay") {
      for (const update of [...saved, ...unsaved]) {
        const { sessionId } = info;
        await this.#setting.conn.notify("session/update", { sessionId, update });
      }
    }
    return this.#attach(session, context);
  }

  #attach({ data, closed }: OpenSession, context: RequestContext): Promise<Answer> {
    const stop = AbortSignal.any([closed.signal, context.signal]);
    const surroundings = surroundingsOf(data, "", this.#setting, stop);
    const answer = () => sessionSetup(data, this.#setting.traits);
    return this.#run(context, this.#script.session, surroundings, answer);
  }

  async #set(params: Params, setting: string, value: unknown): Promise<Answer> {
    const session = this.#sessions.get(params["sessionId"]);
    const refusal = refuseSetting(session.data, this.#setting.traits, setting, value);
    if (refusal !== undefined) throw invalidParams(refusal);
    session.data.state.settings[setting] = value as string | boolean;
    await this.#sessions.save(session);
    return {};
  }

  async #prompt(params: Params, context: RequestContext): Promise<Answer> {
    const session = this.#sessions.get(params["sessionId"]);
    const blocks = params["prompt"];
    if (!Array.isArray(blocks) || blocks.length === 0) {
      throw invalidParams("The prompt is empty.");
    }
    if (session.turn !== undefined) {
      throw new RpcError(ErrorCode.invalidRequest, "The session already has an active prompt.");
    }
    const texts = promptTexts(blocks as ContentBlock[]);
    const script = this.#scriptFor(texts);
    notePrompt(session.data, blocks as ContentBlock[]);
    const ended = Promise.withResolvers<void>();
    const turn: Turn = { cancelled: new AbortController(), ended: ended.promise };
    session.turn = turn;
    try {
      // Saved before the first step: a process that dies in a turn has had its prompt.
      await this.#sessions.save(session);
      return await this.#runTurn(script, session, turn, texts.at(-1) ?? "", context);
    } finally {
      session.turn = undefined;
      await this.#sessions.save(session);
      ended.resolve();
    }
  }

  /** A turn that is cancelled, whose session is closed or whose client is gone ends as cancelled. */
  async #runTurn(
    script: Script,
    { data, closed }: OpenSession,
    { cancelled }: Turn,
    prompt: string,
    context: RequestContext,
  ): Promise<Answer> {
    const over = AbortSignal.any([closed.signal, context.signal]);
    const stop = AbortSignal.any([cancelled.signal, over]);
    try {
      const surroundings = surroundingsOf(data, prompt, this.#setting, stop);
      const answer = () => ({ stopReason: "end_turn" });
      return await this.#run(context, script.prompt, surroundings, answer);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
    const answer = { stopReason: "cancelled" };
    try {
      const surroundings = surroundingsOf(data, prompt, this.#setting, over);
      return await this.#run(context, script.cancel, surroundings, () => answer);
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
