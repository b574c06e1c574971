import { randomUUID } from "node:crypto";
import type { Agent } from "./agent.ts";
import { type AgentDirectory, agentOfSession, findAgent, sessionKey } from "./agent-directory.ts";
import { type OpenedFile, openKeptFile } from "./attachments/kept-file.ts";
import { Conversation } from "./conversation.ts";
import { createLog, LogWatch } from "./cursor.ts";
import { type ConversationState, describeConversation } from "./describe-conversation.ts";
import { RouterError } from "./errors.ts";
import type { CancelCause, SentFile } from "./events.ts";
import { FileKeeping } from "./file-keeping.ts";
import { findRefusal } from "./find-refusal.ts";
import { type Grant, Grants } from "./grants.ts";
import { findLastTurn } from "./last-turn.ts";
import type { ConversationLog } from "./log.ts";
import { DEFAULT_OPTIONS, type Options } from "./options.ts";
import { type FileToSend, refuseFile, type SendResult } from "./outgoing-files.ts";
import { findRequest, hasContent } from "./prompt-blocks.ts";
import { pushPrompt } from "./push-prompt.ts";
import { writeReaction } from "./reaction-ledger.ts";
import { readOutcome } from "./read-outcome.ts";
import { createReference } from "./reference.ts";
import type { DebugInfo, LastTurn, PromptRequest, Router, RouterConfig } from "./router.ts";
import { SessionBook } from "./session-record.ts";
import type { ChunkSink } from "./sink.ts";
import type { InboxItem, OpenTurn, Posted, PromptItem, ReactionItem } from "./store.ts";
import { DEFAULT_TURN_LIMITS, type TurnLimits } from "./turn-state.ts";
import { Workspaces } from "./workspaces.ts";

/** Idle time after which a session is let go, in milliseconds. */
export const DEFAULT_SESSION_TTL_MS = 2 * 3_600_000;

/** Conversations that are taken over from dead owners at a time. */
const RECOVER_AT_ONCE = 64;

/** Creates the engine that turns conversations into agent sessions. */
export function createRouter(config: RouterConfig): Router {
  return new ConversationRouter(config);
}

class ConversationRouter implements Router {
  readonly defaults: Options;
  readonly #config: RouterConfig;
  readonly #now: () => number;
  readonly #limits: TurnLimits;
  readonly #files: FileKeeping;
  readonly #grants: Grants;
  readonly #watch: LogWatch;
  readonly #conversations = new Map<string, Conversation>();
  readonly #workspaces: Workspaces;
  readonly #agents = new Map<Agent, Disposable | undefined>();
  /** Agents that have said that they cannot free a session. */
  readonly #cannotClose = new WeakSet<Agent>();
  readonly #inbox: Disposable;
  /** Conversations that are being let go; whoever comes back waits for that. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Set when nothing is taken any more; ends when no conversation is left. */
  #retired: Promise<void> | undefined;
  #closed = false;

  constructor(config: RouterConfig) {
    this.#config = config;
    this.#grants = new Grants(config.store);
    this.#now = config.now ?? Date.now;
    this.#limits = { ...DEFAULT_TURN_LIMITS, ...config.turnLimits };
    this.defaults = config.defaults ?? DEFAULT_OPTIONS;
    this.#files = new FileKeeping(config, {
      sessionTtlMs: this.#sessionTtlMs,
      now: this.#now,
      failed: (what, error) => this.#failed("", what, error),
    });
    this.#workspaces = new Workspaces(config);
    this.#watch = new LogWatch(config.store);
    this.#inbox = config.store.onChange((conversation, part) => {
      if (part !== "inbox") return;
      if (this.#retired === undefined || this.#conversations.has(conversation)) {
        void this.#pump(conversation);
      }
    });
  }

  get size(): number {
    return [...this.#conversations.values()].filter((one) => one.session).length;
  }

  async submit(conversation: string, item: InboxItem): Promise<Posted> {
    if (this.#closed) throw new RouterError("The router is closed", { code: "closed" });
    if (item.kind === "prompt") checkContent(item);
    const { store, roleOf } = this.#config;
    const turns = await this.openTurns(conversation);
    const refused = findRefusal(item, turns, (user) => roleOf?.(user, conversation));
    if (refused)
      return { turn: refused.turn, after: await store.last(conversation), how: "refused" };
    const replaced = item.kind === "prompt" ? item.replaces : undefined;
    // An edit of what was answered is for its author to run. What was edited before has a newer version, which may wait.
    if (replaced !== undefined && (await this.#isAnswered(conversation, replaced))) {
      return { turn: replaced, after: await store.last(conversation), how: "late" };
    }
    const posted = await store.post(conversation, item);
    if (posted.how === "repeat" && item.kind === "prompt") this.#noteRedrive(conversation, posted);
    // What is in the log by now, a reader sees at once: its place in the queue, for one.
    if (posted.how === "new") await this.#pump(conversation);
    return posted;
  }

  log(conversation: string): ConversationLog {
    return createLog(this.#config.store, this.#watch, conversation);
  }

  running(conversation: string): ReturnType<Router["running"]> {
    return this.#conversations.get(conversation)?.running;
  }

  async sendFile(conversation: string, file: FileToSend): Promise<SendResult> {
    const owned = this.#conversations.get(conversation);
    if (owned) return owned.sendFile(file);
    return refuseFile(file, "no-turn");
  }

  async openFile(conversation: string, file: SentFile): Promise<OpenedFile | undefined> {
    const { filesDir } = await this.#workspaces.workspaceOf(conversation);
    return openKeptFile(filesDir, file);
  }

  async cancelTurn(
    conversation: string,
    turn: string,
    cause: CancelCause,
    user?: string,
    how: "asked" | "implied" = "asked",
  ): Promise<void> {
    const at = this.#now();
    const log = this.log(conversation);
    const after = await log.last();
    const item: InboxItem = {
      kind: "cancel",
      key: `cancel:${randomUUID()}`,
      ...(user !== undefined && { user }),
      turn,
      cause,
      ...(how === "implied" && { implied: true }),
      at,
    };
    const posted = await this.submit(conversation, item);
    if (posted.how !== "new") return;
    // The turn ends by itself within the grace; the rest is for the store.
    const bound = AbortSignal.timeout(this.#limits.cancelGraceMs + 5_000);
    const cursor = log.follow({ after, turn }, bound);
    while (await cursor.next());
  }

  prompt(request: PromptRequest, sink: ChunkSink, signal?: AbortSignal): Promise<void> {
    const onFailure = (error: unknown) => this.#failed(request.conversation, "cancel", error);
    return pushPrompt(this, request, sink, {
      now: this.#now,
      onFailure,
      ...(signal && { signal }),
    });
  }

  openTurns(conversation: string): Promise<readonly OpenTurn[]> {
    return this.#config.store.openTurns(conversation);
  }

  async describe(conversation: string, user?: string): Promise<ConversationState> {
    const book = new SessionBook(this.#config.store, conversation, {
      lease: () => undefined,
      onFailure: () => undefined,
    });
    const record = await book.read();
    const agent = findAgent(this.#agentsOf(conversation), record.agent);
    const { name } = agent;
    const { lastAgent = name } = record;
    const last = agentOfSession(lastAgent) === name ? lastAgent : name;
    const key = user === undefined ? last : sessionKey(agent, user);
    const attached = this.#conversations.get(conversation)?.attachedOf(key);
    return describeConversation(record, { name, key }, attached);
  }

  grants(user: string): Promise<readonly Grant[]> {
    return this.#grants.list(user, this.#now());
  }

  async cancel(conversation: string): Promise<void> {
    const [turn] = await this.openTurns(conversation);
    if (turn) await this.cancelTurn(conversation, turn.turn, "user");
  }

  lastTurn(conversation: string): Promise<LastTurn | undefined> {
    return findLastTurn(this.#config.store, conversation);
  }

  async reportReaction(
    conversation: string,
    user: string,
    message: string,
    reaction: string,
    action: "added" | "removed",
  ): Promise<void> {
    const key = `reaction:${randomUUID()}`;
    const at = this.#now();
    const item: ReactionItem = { kind: "reaction", key, user, message, reaction, action, at };
    const { stateDir } = this.#config;
    try {
      // The line first: whatever becomes of the rest, what the person thought is not lost.
      await writeReaction(stateDir, conversation, item);
    } catch (error) {
      this.#failed(conversation, "keep reaction", error);
    }
    await this.submit(conversation, item);
  }

  async debug(): Promise<readonly DebugInfo[]> {
    return [...this.#conversations.values()]
      .flatMap((one) => {
        const session = one.session;
        if (!session) return [];
        return [
          {
            conv_id: one.id,
            user_id: one.lastUser,
            session_id: session.id,
            cwd: session.cwd,
            last_used: new Date(one.lastUsedAt).toISOString(),
          },
        ];
      })
      .sort((a, b) => (a.conv_id < b.conv_id ? -1 : 1));
  }

  async recover(): Promise<void> {
    const orphans = await this.#config.store.orphans();
    for (let next = 0; next < orphans.length; next += RECOVER_AT_ONCE) {
      await Promise.all(orphans.slice(next, next + RECOVER_AT_ONCE).map((id) => this.#pump(id)));
    }
  }

  retire(): Promise<void> {
    this.#retired ??= this.#retire();
    return this.#retired;
  }

  async endTurns(): Promise<void> {
    const retired = this.retire();
    for (const conversation of this.#conversations.values()) conversation.endTurn();
    await retired;
  }

  runGc(everyMs: number): Disposable {
    const ttl = this.#sessionTtlMs;
    const timer = setInterval(() => {
      this.#files.sweep();
      for (const conversation of this.#conversations.values()) {
        if (conversation.isIdle && this.#now() - conversation.lastUsedAt >= ttl) {
          void this.#close(conversation);
        }
      }
    }, everyMs);
    timer.unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox[Symbol.dispose]();
    for (const conversation of [...this.#conversations.values()]) void this.#close(conversation);
    await Promise.all(this.#leaving.values());
    for (const subscription of this.#agents.values()) subscription?.[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    await this.#files[Symbol.asyncDispose]();
  }

  async #pump(id: string): Promise<void> {
    await this.#leaving.get(id);
    if (this.#closed) return;
    let conversation = this.#conversations.get(id);
    if (!conversation) {
      if (this.#retired !== undefined) return this.#passOn(id);
      conversation = this.#createConversation(id);
      this.#conversations.set(id, conversation);
    }
    try {
      await conversation.pump();
    } catch (error) {
      this.#failed(id, "take", error);
    }
    // Another process owns it, or nothing was to be done in it but to take it from a dead owner.
    const isUnused = conversation.isIdle && !conversation.isInUse;
    if (isUnused && this.#conversations.get(id) === conversation) await this.#close(conversation);
  }

  /** Whoever posts to a conversation without an owner is expected to become it: leaving it tells the others. */
  async #passOn(id: string): Promise<void> {
    const lease = await this.#config.store.claim(id);
    if (lease) await this.#config.store.release(lease);
  }

  async #retire(): Promise<void> {
    const gone = [...this.#conversations.values()].map(async (conversation) => {
      await conversation.retire();
      if (this.#conversations.get(conversation.id) === conversation) {
        await this.#close(conversation);
      }
    });
    await Promise.all([...gone, ...this.#leaving.values()]);
  }

  #close(conversation: Conversation): Promise<void> {
    const { id } = conversation;
    this.#conversations.delete(id);
    const left = conversation
      .close()
      .catch((error: unknown) => this.#failed(id, "close", error))
      .then(() => void this.#leaving.delete(id));
    this.#leaving.set(id, left);
    return left;
  }

  #noteRedrive(conversation: string, { turn }: Posted): void {
    const since = this.#conversations.get(conversation)?.postedAt(turn);
    if (since === undefined) return;
    const delayMs = Math.max(0, this.#now() - since);
    this.#config.onMetric?.({ kind: "redrive", conversation, turn, delayMs });
  }

  async #isAnswered(conversation: string, turn: string): Promise<boolean> {
    const outcome = await readOutcome(this.#config.store, conversation, turn);
    return outcome !== undefined && !(outcome.kind === "cancelled" && outcome.cause === "edited");
  }

  #failed(conversation: string, what: string, error: unknown): void {
    const ref = createReference();
    this.#config.onReport?.({ kind: "failure", conversation, what, error, ref });
  }

  #createConversation(id: string): Conversation {
    const config = this.#config;
    const agents = this.#agentsOf(id);
    for (const agent of [agents.preset, ...agents.named.values()]) this.#watchAgent(agent);
    return new Conversation(id, {
      store: config.store,
      sessions: {
        agents,
        watch: (agent) => this.#watchAgent(agent),
        cannotClose: this.#cannotClose,
        rules: { ...config, defaults: this.defaults },
      },
      limits: this.#limits,
      now: this.#now,
      workspace: (turn) => this.#workspaces.workspaceOf(id, turn),
      lock: (exclusive, signal, holder, onBusy) =>
        this.#workspaces.lock(exclusive, signal, holder, onBusy),
      attachmentLimits: this.#files.limits,
      downloads: () => this.#files.downloadsFor(id),
      sending: () => (config.sending ? config.sending(id) : {}),
      roleOf: (user) => config.roleOf?.(user, id),
      admit: (start) => config.admitTurn?.({ conversation: id, ...start }) ?? { kind: "admitted" },
      policy: (toolKind) => config.permissionPolicy?.(id, toolKind) ?? "ask",
      askWhenTainted: config.askWhenTainted ?? true,
      grants: this.#grants,
      busyPolicy: () => config.busyPolicy?.(id) ?? "queue",
      report: (report) => config.onReport?.(report),
      measure: (metric) => config.onMetric?.(metric),
    });
  }

  #agentsOf(conversation: string): AgentDirectory {
    const { agent, agentFor, agents } = this.#config;
    return { preset: agentFor?.(conversation) ?? agent, named: agents ?? new Map() };
  }

  get #sessionTtlMs(): number {
    return this.#config.sessionTtlMs ?? DEFAULT_SESSION_TTL_MS;
  }

  #watchAgent(agent: Agent): void {
    if (this.#agents.has(agent)) return;
    const subscription = agent.onExit?.((exit) => {
      for (const one of this.#conversations.values()) one.onAgentExit(agent);
      // One that was ended on purpose may be gone for good; whoever uses it again watches it again.
      this.#agents.get(agent)?.[Symbol.dispose]();
      this.#agents.delete(agent);
      if (exit.cause === "requested") return;
      const { code, signal, stderrTail } = exit;
      this.#config.onReport?.({ kind: "agent-exited", code, signal, stderrTail });
    });
    this.#agents.set(agent, subscription);
  }
}

function checkContent({ query }: PromptItem): void {
  const request = findRequest(query);
  if (request && hasContent(request)) return;
  const message = "The query has no message of a person to answer";
  throw new RouterError(message, { code: "empty-prompt" });
}
