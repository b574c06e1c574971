import type {
  AgentCapabilities,
  ContentBlock,
  SessionClient,
  SessionPromptResult,
  SessionSetup,
} from "@acp-kit/acp-wire";
import { RpcError } from "@acp-kit/acp-wire";
import {
  type Agent,
  createRouter,
  type LogEvent,
  MemoryStore,
  type PromptItem,
  type Router,
  type RouterConfig,
  type RouterMetric,
  type RouterReport,
  type Store,
} from "../src/index.ts";
import { message } from "./agent-rig.ts";

type Session = { readonly client: SessionClient; prompts: number };
type Reply = string | { readonly stopReason: string };

/**
 * An agent in this process, where a test is about what a session is asked and told: everything that reaches it is in
 * `calls`, one line each. It keeps its sessions while its object lives.
 */
export class PlainAgent implements Agent {
  readonly capabilities: AgentCapabilities;
  readonly calls: string[] = [];
  /** Everything that it was prompted with, text by text. */
  readonly prompts: string[][] = [];
  /** The same by session. */
  readonly heard = new Map<string, string[]>();
  /** Names of the commands that it tells of when a session is opened. */
  commands: readonly string[] = [];
  /** Sessions that it holds open. */
  readonly open = new Map<string, Session>();
  /** Sessions that it could open again. */
  readonly stored = new Set<string>();
  /** What a session says of itself when it is opened. */
  setup: Partial<SessionSetup> = {};
  /** Answers a prompt: with a text, or an error that it throws. */
  reply: (text: string, session: string, count: number) => Reply | Promise<Reply> = () => "ok";
  /** Thrown by what opens or changes a session, while it is set, by the call's name. */
  readonly refuse = new Map<string, Error>();
  /** Awaited before a session is opened. */
  hold: Promise<void> | undefined;
  closeSession?: (session: string) => Promise<void>;
  readonly name: string;
  #made = 0;

  constructor(capabilities: AgentCapabilities = all, name = "s") {
    this.capabilities = capabilities;
    this.name = name;
    this.closeSession = async (session) => {
      this.#note(`close ${session}`);
      this.open.delete(session);
    };
  }

  async newSession(
    _cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup> {
    this.#made += 1;
    const session = `${this.name}${this.#made}`;
    this.stored.add(session);
    this.#note(`new ${session}${systemPrompt ? ` with ${JSON.stringify(systemPrompt)}` : ""}`);
    await this.hold;
    this.#hold(session, client);
    return { ...this.setup, sessionId: session };
  }

  async listSessions() {
    this.#note("list");
    return [];
  }

  async resumeSession(_cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    return this.#reopen("resume", session, client);
  }

  async loadSession(_cwd: string, session: string, client: SessionClient): Promise<SessionSetup> {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: textBlock("replayed"),
    } as const;
    client.update({ sessionId: session, update });
    return this.#reopen("load", session, client);
  }

  async prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    const texts = blocks.map((block) =>
      block.type === "text" ? String(block["text"]) : `[${block.type}]`,
    );
    this.prompts.push(texts);
    this.#note(`prompt ${session}: ${texts.at(-1)}`);
    const held = this.open.get(session);
    if (!held) throw new RpcError(-32002, "no such session");
    held.prompts += 1;
    this.heard.set(session, [...(this.heard.get(session) ?? []), ...texts]);
    const reply = await this.reply(texts.at(-1) ?? "", session, held.prompts);
    if (typeof reply !== "string") return reply;
    this.say(session, reply);
    return { stopReason: "end_turn" };
  }

  say(session: string, text: string): void {
    this.update(session, { sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  }

  update(session: string, update: Record<string, unknown> & { sessionUpdate: string }): void {
    this.open.get(session)?.client.update({ sessionId: session, update });
  }

  async cancel(session: string): Promise<void> {
    this.#note(`cancel ${session}`);
  }
  async setModel(session: string, model: string): Promise<void> {
    this.#note(`set model ${model} of ${session}`);
  }
  async setMode(session: string, mode: string): Promise<void> {
    this.#note(`set mode ${mode} of ${session}`);
  }
  async setConfigOption(session: string, id: string, value: string | boolean): Promise<void> {
    this.#note(`set ${id} ${value} of ${session}`);
  }

  async #reopen(
    how: "resume" | "load",
    session: string,
    client: SessionClient,
  ): Promise<SessionSetup> {
    this.#note(`${how} ${session}`);
    await this.hold;
    if (!this.stored.has(session)) throw new RpcError(-32002, "no such session");
    this.#hold(session, client);
    return { ...this.setup, sessionId: session };
  }

  #hold(session: string, client: SessionClient): void {
    this.open.set(session, { client, prompts: 0 });
    if (this.commands.length === 0) return;
    const availableCommands = this.commands.map((name) => ({ name, description: "" }));
    this.update(session, { sessionUpdate: "available_commands_update", availableCommands });
  }

  #note(call: string): void {
    this.calls.push(call);
    const [name = ""] = call.split(" ");
    const error = this.refuse.get(name);
    if (error) throw error;
  }
}

const all: AgentCapabilities = {
  loadSession: true,
  sessionCapabilities: { resume: {}, close: {} },
};

const textBlock = (text: string) => ({ type: "text" as const, text });

/** A router over {@link PlainAgent}s. */
export class PlainRig implements AsyncDisposable {
  readonly store: Store;
  readonly agent: PlainAgent;
  readonly reports: RouterReport[] = [];
  readonly metrics: RouterMetric[] = [];
  readonly router: Router;

  constructor(config: Partial<Omit<RouterConfig, "agent">> & { agent?: PlainAgent } = {}) {
    this.agent = config.agent ?? new PlainAgent();
    this.store = config.store ?? new MemoryStore();
    this.router = createRouter({
      stateDir: "/nowhere",
      workspaceFor: () => ({ cwd: "/work", roots: [], filesDir: "/work" }),
      onReport: (report) => this.reports.push(report),
      onMetric: (metric) => this.metrics.push(metric),
      ...config,
      store: this.store,
      agent: this.agent,
    });
  }

  /** Posts a message and follows its turn to the end. */
  async run(content: string, overrides: Partial<PromptItem> = {}): Promise<LogEvent[]> {
    const item = message(content, overrides);
    const { turn, after } = await this.router.submit("c", item);
    const cursor = this.router.log("c").follow({ after, turn }, AbortSignal.timeout(10_000));
    const events: LogEvent[] = [];
    for await (const batch of cursor) events.push(...batch.filter((one) => one.turn === turn));
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.router[Symbol.asyncDispose]();
  }
}

export const notices = (events: readonly LogEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
