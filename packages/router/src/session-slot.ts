import {
  type ContentBlock,
  ErrorCode,
  type McpServer,
  type SessionClient,
  type SessionSetup,
  type SessionUpdateParams,
} from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import { RouterError } from "./errors.ts";
import { AUTH_REQUIRED } from "./failure.ts";
import { asFields, asFieldsList, asText } from "./fields.ts";
import {
  currentSettings,
  readSettings,
  type SessionSetting,
  type Settings,
} from "./session-settings.ts";
import { within } from "./within.ts";
import type { Workspace } from "./workspace.ts";

/** How long an agent may take to close a session, in milliseconds; it is let go in any case. */
const CLOSE_TIMEOUT_MS = 10_000;

/** A session of the agent that this process may prompt. */
export type Attached = {
  readonly session: string;
  readonly cwd: string;
  /** By name, as far as the agent tells; kept as it is now. */
  readonly settings: Map<string, SessionSetting>;
  /** What the agent says of the session at any time. */
  readonly live: LiveSession;
  /** The settings as the last turn left them: what differs by now, the agent has changed. */
  settled: Settings;
  /** The agent is being asked for a setting: what changes meanwhile is a consequence of that. */
  isSettling: boolean;
  /** The system prompt that still has to go with a message. */
  systemPrompt: string | undefined;
};

type LiveSession = {
  /** Names of the commands that it has. */
  commands: readonly string[];
  /** How full its context window is, 0 to 1. */
  contextUse: number | undefined;
};

export type AttachResult = {
  readonly attached: Attached;
  /** `kept`: it was attached already. */
  readonly how: "kept" | "new" | "resumed" | "loaded";
  /** True when an earlier session was known and could not be had again. */
  readonly lost: boolean;
};

/** Whatever an agent's slot in a conversation needs of the conversation. */
export type SlotHost = {
  readonly agent: Agent;
  readonly client: SessionClient;
  /** Agents that have said that they cannot free a session. */
  readonly cannotClose: WeakSet<Agent>;
  /** The session that is to be had again. */
  known(): Promise<{ readonly session: string; readonly cwd: string } | undefined>;
  /** A session was made; it is known from then on. */
  onNew(session: string, cwd: string, settings: Settings): Promise<void>;
  /** MCP servers for a session that is made (`isNew`) or opened again. */
  mcpServers(isNew: boolean): readonly McpServer[];
  /** The session was closed or given up: what it was given is void. */
  onClosed(): void;
  /** Empty: there is none. */
  systemPrompt(): string;
  onPhase(phase: "starting-agent" | "opening-session"): void;
  onFailure(what: string, error: unknown): void;
};

/**
 * One agent's session in a conversation: found again by its stored id, resumed before loaded before made anew.
 *
 * A listing is never searched for it: the first entry for a directory may be somebody else's.
 */
export class SessionSlot {
  readonly #host: SlotHost;
  #attached: Attached | undefined;
  /** Directories beside the session's own that it may use, of the newest attempt to open it. */
  #roots: readonly string[] = [];
  #pending: Promise<AttachResult> | undefined;
  /** A session that the agent holds but does not answer for: never to be opened again. */
  #abandoned: string | undefined;
  /** Counts what makes an attachment void: clients of older ones hear nothing any more. */
  #generation = 0;

  constructor(host: SlotHost) {
    this.#host = host;
  }

  get agent(): Agent {
    return this.#host.agent;
  }

  get attached(): Attached | undefined {
    return this.#attached;
  }

  get isOpening(): boolean {
    return this.#pending !== undefined;
  }

  /** Attaches, or tells what is attached. Calls that overlap share one attempt. */
  attach({ cwd, roots }: Pick<Workspace, "cwd" | "roots">): Promise<AttachResult> {
    const attached = this.#attached;
    this.#roots = roots;
    if (attached && attached.cwd === cwd) {
      return Promise.resolve({ attached, how: "kept", lost: false });
    }
    if (this.#pending !== undefined) return this.#pending;
    const opening = this.#open(cwd).finally(() => {
      // One that was given up may end behind the beginning of the next.
      if (this.#pending === opening) this.#pending = undefined;
    });
    this.#pending = opening;
    return opening;
  }

  /** Forgets the session without telling the agent: its process is gone, or does not answer. */
  detach(): void {
    this.#generation += 1;
    this.#attached = undefined;
    this.#pending = undefined;
  }

  /** Gives the session up for good: the agent does not answer for it, so the next attach makes a new one. */
  abandon(): void {
    const session = this.#attached?.session;
    this.#abandoned = session;
    this.detach();
    this.#host.onClosed();
    if (session !== undefined) this.#letGo(session);
  }

  /** Lets the session go, and tells the agent. @throws RouterError `timeout`, and what the agent answers. */
  async close(): Promise<void> {
    const session = this.#attached?.session;
    this.detach();
    this.#host.onClosed();
    if (session !== undefined) await this.#free(session);
  }

  async #open(cwd: string): Promise<AttachResult> {
    const generation = this.#generation;
    const { agent } = this.#host;
    if (agent.ready && !agent.running) this.#host.onPhase("starting-agent");
    await agent.ready?.();
    this.#host.onPhase("opening-session");
    const before = await this.#host.known();
    const isUsable = before?.cwd === cwd && before.session !== this.#abandoned;
    const known = isUsable ? before.session : undefined;
    const again = known === undefined ? undefined : await this.#reopen(cwd, known, generation);
    if (again) return again;
    const live = createLive();
    const text = this.#systemPrompt();
    const inSetup = text !== "" && takesSystemPrompt(agent);
    const blocks: ContentBlock[] | undefined = inSetup ? [{ type: "text", text }] : undefined;
    const setup = await agent.newSession(cwd, this.#client(generation, live, "new"), blocks);
    const { sessionId } = setup;
    if (sessionId === "") {
      throw new RouterError("The agent named no session", { code: "protocol" });
    }
    if (generation === this.#generation) {
      await this.#host.onNew(sessionId, cwd, currentSettings(readSettings(setup)));
    }
    if (generation !== this.#generation) {
      // Nobody will ever use it.
      this.#letGo(sessionId);
      throw givenUp();
    }
    const pending = inSetup ? "" : text;
    const attached = this.#settle({ session: sessionId, cwd, setup, live, pending });
    return { attached, how: "new", lost: before !== undefined };
  }

  async #reopen(
    cwd: string,
    session: string,
    generation: number,
  ): Promise<AttachResult | undefined> {
    const { agent } = this.#host;
    const live = createLive();
    const reopened = (how: "resumed" | "loaded", setup: SessionSetup): AttachResult => {
      if (generation !== this.#generation) {
        // Whoever opens it by now has it.
        if (!this.#attached && !this.#pending) this.#letGo(session);
        throw givenUp();
      }
      const pending = takesSystemPrompt(agent) ? "" : this.#systemPrompt();
      return { attached: this.#settle({ session, cwd, setup, live, pending }), how, lost: false };
    };
    if (agent.capabilities.sessionCapabilities?.resume) {
      try {
        const client = this.#client(generation, live, "again");
        return reopened("resumed", await agent.resumeSession(cwd, session, client));
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
    if (agent.capabilities.loadSession && agent.loadSession) {
      // Everything that was said is replayed before the answer; the log has it already.
      const replay = { muted: true };
      try {
        const client = this.#client(generation, live, "again", replay);
        return reopened("loaded", await agent.loadSession(cwd, session, client));
      } catch (error) {
        if (!isGone(error)) throw error;
      } finally {
        replay.muted = false;
      }
    }
    return undefined;
  }

  #settle(opened: {
    readonly session: string;
    readonly cwd: string;
    readonly setup: SessionSetup;
    readonly live: LiveSession;
    readonly pending: string;
  }): Attached {
    const { session, cwd, setup, live, pending } = opened;
    const settings = readSettings(setup);
    const systemPrompt = pending === "" ? undefined : pending;
    this.#attached = {
      session,
      cwd,
      settings,
      live,
      settled: currentSettings(settings),
      isSettling: false,
      systemPrompt,
    };
    return this.#attached;
  }

  #systemPrompt(): string {
    try {
      return this.#host.systemPrompt();
    } catch (error) {
      this.#host.onFailure("system prompt", error);
      return "";
    }
  }

  /** An agent without them is better than none. */
  #mcpServers(isNew: boolean): readonly McpServer[] {
    try {
      return this.#host.mcpServers(isNew);
    } catch (error) {
      this.#host.onFailure("mcp servers", error);
      return [];
    }
  }

  #letGo(session: string): void {
    this.#free(session).catch((error: unknown) => this.#host.onFailure("close session", error));
  }

  async #free(session: string): Promise<void> {
    const { agent, cannotClose } = this.#host;
    if (!agent.closeSession || cannotClose.has(agent)) return;
    try {
      await within(CLOSE_TIMEOUT_MS, agent.closeSession(session));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === ErrorCode.methodNotFound)) {
        throw error;
      }
      cannotClose.add(agent);
      this.#host.onFailure("close session: the agent cannot free sessions", error);
    }
  }

  #client(
    generation: number,
    live: LiveSession,
    how: "new" | "again",
    replay?: { muted: boolean },
  ): SessionClient {
    const { client } = this.#host;
    return {
      mcpServers: this.#mcpServers(how === "new"),
      additionalDirectories: this.#roots,
      update: (params) => {
        if (generation !== this.#generation) return;
        noteLive(live, params);
        if (!replay?.muted) client.update(params);
      },
      lost: () => {
        if (generation === this.#generation && !replay?.muted) client.lost?.();
      },
      ask: async (request, signal) =>
        generation === this.#generation
          ? client.ask(request, signal)
          : { outcome: "cancelled" as const },
    };
  }
}

function givenUp(): RouterError {
  const message = "The session was given up while it was opened";
  return new RouterError(message, { code: "timeout" });
}

function createLive(): LiveSession {
  return { commands: [], contextUse: undefined };
}

/** Kept even of a replay: an agent may tell its commands only then. */
function noteLive(live: LiveSession, params: SessionUpdateParams): void {
  const update = asFields(params.update);
  if (update?.["sessionUpdate"] === "available_commands_update") {
    const commands = asFieldsList(update["availableCommands"]);
    live.commands = commands.flatMap((command) => asText(command["name"]) ?? []);
  }
  const { used, size } = update ?? {};
  if (update?.["sessionUpdate"] === "usage_update") {
    const isKnown = typeof used === "number" && typeof size === "number" && size > 0;
    if (isKnown) live.contextUse = used / size;
  }
}

/** Whether the agent takes a system prompt when a session is opened, and keeps it. */
function takesSystemPrompt({ capabilities }: Agent): boolean {
  return capabilities._meta?.["session.systemPrompt"] != null;
}

/** True for an error by which the agent says that it does not have the session, as against a connection that broke. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" && code !== AUTH_REQUIRED;
}
