import type { SessionClient, SessionUpdateParams } from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import {
  type AgentDirectory,
  agentOfSession,
  findAgent,
  type NamedAgent,
  type ServingAgent,
  serve,
  serves,
  sessionKey,
} from "./agent-directory.ts";
import { hashId } from "./divergence.ts";
import { RouterError } from "./errors.ts";
import type { EventBody } from "./events.ts";
import { asFields, asText } from "./fields.ts";
import type { IncomingFiles } from "./incoming-files.ts";
import type { RouterMetric } from "./metrics.ts";
import type { Options } from "./options.ts";
import { readOwnTurns } from "./own-turns.ts";
import type { RouterConfig } from "./router.ts";
import {
  type ConversationRecord,
  parametersOf,
  SessionBook,
  type SessionRecord,
  withSession,
  withWanted,
} from "./session-record.ts";
import { boundedSettings, readSettings, type Settings } from "./session-settings.ts";
import { type Attached, SessionSlot } from "./session-slot.ts";
import type { ChooseItem, Lease, PromptItem, Store } from "./store.ts";
import { TurnSession } from "./turn-session.ts";

/** What an operator decides about sessions. */
export type SessionRules = Pick<
  RouterConfig,
  | "systemPromptProvider"
  | "sessionServers"
  | "mayChoose"
  | "allowedCommands"
  | "authErrorHint"
  | "sessionTimeoutMs"
> & { readonly defaults: Options };

/** Whatever the sessions of a conversation need of it. */
export type SessionsHost = {
  readonly conversation: string;
  readonly store: Store;
  readonly agents: AgentDirectory;
  /** Called with each agent before a session of it is opened. */
  watch(agent: Agent): void;
  /** Agents that have said that they cannot free a session. */
  readonly cannotClose: WeakSet<Agent>;
  readonly rules: SessionRules;
  readonly client: SessionClient;
  now(): number;
  lease(): Lease | undefined;
  onPhase(phase: "starting-agent" | "opening-session"): void;
  /** Gives the reference of the failure. */
  onFailure(what: string, error: unknown): string;
  onMetric(metric: RouterMetric): void;
  onChoiceRefused(user: string, setting: string, value: string | boolean): void;
};

/** What a turn needs to use the session. */
export type TurnRecorder = {
  readonly files: Pick<IncomingFiles, "has" | "blocks" | "areForeign">;
  /** Adds an event of this turn to what is committed with the next batch. */
  record(event: EventBody): void;
  /** Resolves once everything recorded is committed; rejects when it never will be. */
  flush(): Promise<void>;
};

/** The agents' sessions in one conversation: at most one is open, each agent's is found again. */
export class ConversationSessions {
  readonly host: SessionsHost;
  readonly book: SessionBook;
  #used: { readonly agent: ServingAgent; readonly slot: SessionSlot } | undefined;
  #resets = 0;
  /** A reset has come while the session was prompted: it is let go with the turn. */
  #isOver = false;

  constructor(host: SessionsHost) {
    this.host = host;
    this.book = new SessionBook(host.store, host.conversation, {
      lease: () => host.lease(),
      onFailure: (error) => host.onFailure("session record", error),
    });
  }

  /** The slot of the agent that was used last. */
  get open(): SessionSlot | undefined {
    return this.#used?.slot;
  }

  /** The same, unless it is another person's alone. */
  openFor(user: string): SessionSlot | undefined {
    const used = this.#used;
    return used && serves(used.agent, user) ? used.slot : undefined;
  }

  get isOpening(): boolean {
    return this.open?.isOpening ?? false;
  }

  get attached(): Attached | undefined {
    return this.open?.attached;
  }

  /** The attached session, if it is the one with this key. */
  attachedOf(key: string): Attached | undefined {
    return this.#used?.agent.key === key ? this.attached : undefined;
  }

  /** How many resets this owner has seen. */
  get resets(): number {
    return this.#resets;
  }

  startTurn(turn: string, item: PromptItem, recorder: TurnRecorder): TurnSession {
    return new TurnSession({ turn, item, sessions: this, recorder });
  }

  /** The agent that the conversation uses. */
  agentOf({ agent }: { readonly agent?: string }): NamedAgent {
    return findAgent(this.host.agents, agent);
  }

  /**
   * The agent that a person's turn uses: the conversation's, or the preset one where that is not open to them.
   *
   * @throws RouterError `not-allowed` when neither is.
   */
  agentFor(
    user: string,
    record: ConversationRecord,
  ): { readonly agent: ServingAgent; readonly refused?: string } {
    const { conversation, rules } = this.host;
    const isOpen = ({ name }: NamedAgent) =>
      name === "" ||
      (rules.mayChoose?.({ conversation, user, agent: name, setting: "agent", value: name }) ??
        true);
    const chosen = this.agentOf(record);
    if (isOpen(chosen)) return { agent: serve(chosen, user) };
    const preset = this.agentOf({});
    this.host.onChoiceRefused(user, "agent", chosen.name);
    if (isOpen(preset)) {
      const refused = `The agent ${chosen.name} is not open to you here: this runs with ${preset.name || "the usual one"}.`;
      return { agent: serve(preset, user), refused };
    }
    const message = `Neither agent of the conversation is open to ${user}`;
    throw new RouterError(message, { code: "not-allowed" });
  }

  /** The agent's slot; another agent's session is let go, and found again when it is wanted. */
  slotOf(serving: ServingAgent): SessionSlot {
    const { key, agent } = serving;
    const { host, book } = this;
    host.watch(agent);
    const used = this.#used;
    if (used?.agent.key === key && used.slot.agent === agent) return used.slot;
    const { conversation, rules, cannotClose, client } = host;
    const slot = new SessionSlot({
      agent,
      cannotClose,
      client,
      known: async () => (await book.read()).sessions[key],
      onNew: async (session, cwd, initial) => {
        const made: SessionRecord = {
          session,
          cwd,
          initial,
          transcript: [],
          prompted: [],
          isBriefed: false,
          lastUsedAt: host.now(),
        };
        await book.change((record) => withSession(record, key, made));
      },
      mcpServers: (isNew) => rules.sessionServers?.open(conversation, key, isNew) ?? [],
      onClosed: () => this.#voidServers(key),
      systemPrompt: () => rules.systemPromptProvider?.(conversation) ?? "",
      onPhase: (phase) => host.onPhase(phase),
      onFailure: (what, error) => host.onFailure(what, error),
    });
    const before = this.open;
    this.#used = { agent: serving, slot };
    before?.close().catch((error: unknown) => host.onFailure("close session", error));
    return slot;
  }

  #voidServers(key: string): void {
    const { conversation, rules } = this.host;
    rules.sessionServers?.close(conversation, key);
  }

  /** Several people have written to an agent here. */
  async isCrowd(): Promise<boolean> {
    const { parameters } = await this.book.read();
    return parameters.length > 1;
  }

  ownTurns() {
    return readOwnTurns(this.host.store, this.host.conversation);
  }

  /** Keeps what a person has chosen; it holds from the next turn on. Resolves with what there is to tell. */
  async choose({ user, agent, settings }: ChooseItem): Promise<EventBody[]> {
    const { conversation, rules, agents, onChoiceRefused } = this.host;
    const told: EventBody[] = [];
    await this.book.change((record) => {
      const keyOf = (name: string) => sessionKey(findAgent(agents, name), user);
      const isOpen = (name: string, setting: string, value: string | boolean) => {
        const initial = record.sessions[keyOf(name)]?.initial[setting];
        const choice = { conversation, user, agent: name, setting, value, initial };
        const isPermitted = rules.mayChoose?.(choice) ?? true;
        if (!isPermitted) onChoiceRefused(user, setting, value);
        return isPermitted;
      };
      let next = record;
      if (agent !== undefined) {
        const known = agent === "" || agents.named.has(agent);
        if (known && isOpen(agent, "agent", agent)) {
          const { agent: _, ...rest } = record;
          next = agent === "" ? rest : { ...rest, agent };
          told.push({ kind: "config", agent: this.agentOf(next).name, by: user });
        } else told.push(notOpen("agent", agent));
      }
      const { name } = this.agentOf(next);
      const wanted: Record<string, string | boolean> = { ...next.wanted[name] };
      const refusedBefore = told.length;
      const choices = Object.entries(boundedSettings(settings ?? {}));
      const presets = presetsOf(next, keyOf(name), user, rules.defaults);
      for (const [setting, value] of choices) {
        const preset = presets[setting];
        if (value === "" && preset === undefined) delete wanted[setting];
        else if (value === "" && preset !== undefined) wanted[setting] = preset;
        else if (isOpen(name, setting, value)) wanted[setting] = value;
        else told.push(notOpen(setting, value));
      }
      const { model, mode } = wanted;
      if (choices.length > told.length - refusedBefore) {
        told.push({
          kind: "config",
          by: user,
          ...(typeof model === "string" && { model }),
          ...(typeof mode === "string" && { mode }),
        });
      }
      return withWanted(next, name, wanted, (setting) =>
        choices.some(([one, value]) => one === setting && value === "") ? "" : user,
      );
    });
    return told;
  }

  /**
   * The next message starts with nothing: no session is found again, and none is told what was said before.
   *
   * @param isPrompted - The agent answers a prompt, which it may end in its session.
   */
  async reset(isPrompted: () => boolean): Promise<void> {
    this.#resets += 1;
    const used = this.#used?.agent.key;
    await this.book.change((record) => {
      const { since: _, ...rest } = record;
      // Also of those that an earlier process had opened.
      for (const key of Object.keys(record.sessions)) {
        if (key !== used) this.#voidServers(key);
      }
      return { ...rest, sessions: {}, isFresh: true };
    });
    this.#isOver = true;
    if (!isPrompted()) this.endTurn();
  }

  /** No prompt is being answered any more. */
  endTurn(): void {
    if (!this.#isOver) return;
    this.#isOver = false;
    // Nobody waits for the agent here: the next session is another one in any case.
    this.close().catch((error: unknown) => this.host.onFailure("reset", error));
  }

  /** A message that reached the relay another way than as a prompt, such as an answer: no agent is told of it again. */
  async noteAside(key: string): Promise<void> {
    await this.book.change((record) => {
      const { name } = this.agentOf(record);
      if (key === "") return record;
      const own = Object.entries(record.sessions).filter(([one]) => agentOfSession(one) === name);
      return own.reduce(
        (before, [session, known]) =>
          withSession(before, session, { ...known, prompted: [...known.prompted, hashId(key)] }),
        record,
      );
    });
  }

  /** Keeps what an update says about settings. Gives what there is to tell: what the agent changed by itself. */
  noteUpdate(params: SessionUpdateParams): EventBody[] {
    const attached = this.attached;
    const update = asFields(params.update);
    if (!attached || attached.session !== params.sessionId || !update) return [];
    if (update["sessionUpdate"] === "current_mode_update") {
      const current = asText(update["currentModeId"]);
      const mode = attached.settings.get("mode");
      if (current === undefined) return [];
      attached.settings.set("mode", { available: [], ...mode, current });
      return announce("mode", mode?.current, current, attached);
    }
    if (update["sessionUpdate"] !== "config_option_update") return [];
    return [...readSettings({ configOptions: update["configOptions"] })].flatMap(
      ([name, setting]) => {
        const before = attached.settings.get(name)?.current;
        attached.settings.set(name, setting);
        return announce(name, before, setting.current, attached);
      },
    );
  }

  /** Forgets the session without telling the agent: its process is gone. */
  detach(agent: Agent): void {
    if (this.open?.agent === agent) this.open.detach();
  }

  /** Lets the session go, and tells the agent. */
  async close(): Promise<void> {
    await this.open?.close();
  }
}

/** What a setting goes back to when a choice is given up: the person's parameter, the default, what the agent began with. */
function presetsOf(
  record: ConversationRecord,
  key: string,
  user: string,
  defaults: Options,
): Settings {
  const { model, thinking } = defaults;
  const filled = (settings: Settings = {}) =>
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ""));
  return {
    ...record.sessions[key]?.initial,
    ...filled({ model, thinking }),
    ...filled(parametersOf(record, user)),
  };
}

function announce(
  name: string,
  before: string | boolean | undefined,
  now: string | boolean | undefined,
  { isSettling }: Attached,
): EventBody[] {
  if (isSettling || before === undefined || now === undefined || before === now) return [];
  const what = name === "thinking" ? "thinking level" : name;
  return [{ kind: "notice", level: "info", text: `The agent changed its ${what} to ${now}.` }];
}

/** What people are told who choose what is not open to them, or not there. */
export function notOpen(setting: string, value: string | boolean): EventBody {
  return {
    kind: "notice",
    level: "warning",
    text: `The ${setting} ${value} is not open to you here.`,
  };
}
