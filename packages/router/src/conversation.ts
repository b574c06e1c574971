import type {
  PermissionOutcome,
  PermissionRequestParams,
  SessionUpdateParams,
} from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import type { EventBody, PermissionAsk } from "./events.ts";
import { asFields, asText } from "./fields.ts";
import { LogWriter } from "./log-writer.ts";
import { OutputCap } from "./output-cap.ts";
import { findRequest } from "./prompt-blocks.ts";
import { mayDecide, type Role } from "./role.ts";
import type { PermissionPolicy, RouterReport, Workspace } from "./router.ts";
import { readModelSetting } from "./session-model.ts";
import { type SessionRecord, SessionSlot } from "./session-slot.ts";
import { MAX_EVENT_CHARS, parseSessionUpdate } from "./session-update.ts";
import type { AnswerItem, CancelItem, Lease, PromptItem, Store, TakenItem } from "./store.ts";
import { TurnRunner } from "./turn-runner.ts";
import { TurnSession } from "./turn-session.ts";

/** Whatever a conversation needs of the router. */
export type ConversationHost = {
  readonly store: Store;
  readonly agent: Agent;
  readonly cancelGraceMs: number;
  now(): number;
  workspace(): Promise<Workspace>;
  /** Waits until no other turn works in `exclusive`. */
  lock(exclusive: string, signal: AbortSignal): Promise<() => void>;
  roleOf(user: string): Role | undefined;
  policy(): PermissionPolicy;
  systemPrompt(): string;
  report(report: RouterReport): void;
};

/** The right to run turns in a conversation, and the writer that goes with it. */
type Tenure = { readonly lease: Lease; readonly writer: LogWriter };

/** The owner of one conversation: takes its inbox, runs its turns one after another, writes its log. */
export class Conversation {
  readonly id: string;
  readonly #host: ConversationHost;
  readonly #slot: SessionSlot;
  readonly #queue: TurnRunner[] = [];
  readonly #cap = new OutputCap();
  #tenure: Tenure | undefined;
  #runner: TurnRunner | undefined;
  /** Ends with the turn that runs. */
  #turn: Promise<void> | undefined;
  /** Set when no further turn is started: those that wait are left for another owner. */
  #isRetiring = false;
  /** Set when the conversation is let go: nothing starts any more. */
  #isClosing = false;
  #taking: Promise<void> | undefined;
  #moreToTake = false;
  #lastUsedAt: number;
  #lastUser = "";

  constructor(id: string, host: ConversationHost) {
    this.id = id;
    this.#host = host;
    this.#lastUsedAt = host.now();
    const key = `session:${id}`;
    this.#slot = new SessionSlot({
      agent: host.agent,
      client: {
        update: (params) => this.#onUpdate(params),
        ask: (request, signal) => this.#onAsk(request, signal),
      },
      readRecord: () => host.store.readRecord<SessionRecord>(key),
      writeRecord: async (record) => {
        if (this.#tenure) await host.store.writeRecord(this.#tenure.lease, key, record);
      },
      systemPrompt: () => {
        const text = host.systemPrompt();
        return text === "" ? undefined : [{ type: "text", text }];
      },
      onPhase: (phase) => this.#record({ kind: "status", phase }, this.#runner?.turn),
    });
  }

  get running():
    | { turn: string; who: string; key: string; asks: readonly PermissionAsk[] }
    | undefined {
    const runner = this.#runner;
    return (
      runner && {
        turn: runner.turn,
        who: runner.item.user,
        key: runner.item.key,
        asks: runner.asks,
      }
    );
  }

  get session(): { id: string; cwd: string } | undefined {
    const attached = this.#slot.attached;
    return attached && { id: attached.session, cwd: attached.cwd };
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  get agent(): Agent {
    return this.#host.agent;
  }

  /** The person who spoke last. */
  get lastUser(): string {
    return this.#lastUser;
  }

  get isIdle(): boolean {
    return !this.#runner && this.#queue.length === 0 && !this.#taking;
  }

  /** Takes what was posted, and starts what can start. Resolves once all of it is in the log. */
  async pump(): Promise<void> {
    this.#moreToTake = true;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
  }

  /** The agent's process is gone, and its sessions with it. */
  onAgentExit(): void {
    this.#slot.detach();
  }

  /** Starts no further turn; resolves when the running one has ended. */
  async retire(): Promise<void> {
    this.#isRetiring = true;
    await this.#taking?.catch(() => undefined);
    await this.#turn;
  }

  /** Lets the session and the conversation go. Whatever runs ends as cancelled, and what waits too unless it retires. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#tenure?.writer.stopRetrying();
    await this.#taking?.catch(() => undefined);
    const tenure = this.#tenure;
    tenure?.writer.stopRetrying();
    const waiting = this.#queue.splice(0);
    if (!this.#isRetiring) for (const runner of waiting) await this.#drop(runner, "shutdown");
    this.#runner?.cancel("shutdown");
    await this.#turn;
    await tenure?.writer.flush().catch(() => undefined);
    await this.#slot.close().catch((error: unknown) => this.#failed("close session", error));
    this.#tenure = undefined;
    if (tenure) await this.#host.store.release(tenure.lease);
  }

  async #take(): Promise<void> {
    while (this.#moreToTake && !this.#isClosing) {
      this.#moreToTake = false;
      const tenure = this.#tenure ?? (await this.#claim());
      // Another owner lives; should it have died since, its inbox was announced anew.
      if (!tenure) continue;
      for (const taken of await this.#host.store.take(tenure.lease)) {
        await this.#accept(taken, tenure);
      }
      await tenure.writer.flush();
    }
    this.#startNext();
  }

  async #claim(): Promise<Tenure | undefined> {
    const lease = await this.#host.store.claim(this.id);
    if (!lease) return undefined;
    const writer = new LogWriter({
      append: (events) => this.#host.store.append(lease, events),
      now: () => this.#host.now(),
      onFailure: (error) => this.#failed("append", error),
      onStuck: () => this.#runner?.cancel("limit"),
      onLost: (error) => this.#abandon(error),
    });
    this.#tenure = { lease, writer };
    return this.#tenure;
  }

  /** Nothing that happens here can be recorded any more: whatever runs stops, and nothing is said about it. */
  #abandon(error: unknown): void {
    this.#failed("append", error);
    this.#tenure = undefined;
    this.#queue.length = 0;
    this.#runner?.cancel("shutdown");
    this.#slot.close().catch((cause: unknown) => this.#failed("close session", cause));
  }

  async #accept(taken: TakenItem, tenure: Tenure): Promise<void> {
    this.#lastUsedAt = this.#host.now();
    this.#lastUser = taken.item.user ?? this.#lastUser;
    switch (taken.item.kind) {
      case "prompt":
        if ("turn" in taken) this.#enqueue(taken.item, taken.turn, taken.attempt, tenure);
        return;
      case "answer":
        this.#answer(taken.item);
        return;
      case "cancel":
        return this.#cancel(taken.item);
      case "reset":
        this.#record({ kind: "session-reset", who: taken.item.user }, undefined);
        // Nobody waits for the agent here: the next session is another one in any case.
        this.#slot.close().catch((error: unknown) => this.#failed("reset", error));
        return;
    }
  }

  #enqueue(item: PromptItem, turn: string, attempt: number, tenure: Tenure): void {
    const behind = this.#queue.at(-1)?.turn ?? this.#runner?.turn;
    this.#queue.push(this.#createRunner(turn, item, tenure));
    const event: EventBody = {
      kind: "turn-queued",
      who: item.user,
      text: (findRequest(item.query)?.content ?? "").slice(0, MAX_EVENT_CHARS),
      key: item.key,
      attempt,
      ...(behind !== undefined && { behind }),
    };
    this.#record(event, turn);
  }

  #answer(item: AnswerItem): void {
    const runner = this.#runner;
    if (!runner || !this.#mayDecide(item, runner)) return;
    runner.answer(item.permission, item.option, item.user);
  }

  async #cancel(item: CancelItem): Promise<void> {
    const runner = this.#find(item.turn);
    if (!runner || !this.#mayDecide(item, runner)) return;
    if (runner === this.#runner) {
      runner.cancel(item.cause);
      return;
    }
    this.#queue.splice(this.#queue.indexOf(runner), 1);
    await this.#drop(runner, item.cause);
  }

  /** The owner has the last word: whoever posted the item may have known less. */
  #mayDecide(item: AnswerItem | CancelItem, runner: TurnRunner): boolean {
    const { user } = item;
    const role = user === undefined ? undefined : this.#host.roleOf(user);
    return mayDecide(user, runner.item.user, role);
  }

  /** Ends a turn that never started. */
  async #drop(runner: TurnRunner, cause: CancelItem["cause"]): Promise<void> {
    runner.cancel(cause);
    await runner.ended;
    await this.#tenure?.writer.flush().catch(() => undefined);
  }

  #find(turn: string): TurnRunner | undefined {
    if (this.#runner?.turn === turn) return this.#runner;
    return this.#queue.find((runner) => runner.turn === turn);
  }

  #startNext(): void {
    if (this.#runner || this.#isRetiring || this.#isClosing) return;
    const runner = this.#queue.shift();
    if (!runner) return;
    this.#runner = runner;
    this.#turn = this.#run(runner);
  }

  async #run(runner: TurnRunner): Promise<void> {
    const startedAt = this.#host.now();
    const outcome = await runner.run();
    this.#runner = undefined;
    this.#lastUsedAt = this.#host.now();
    this.#host.report({
      kind: "turn-ended",
      conversation: this.id,
      turn: runner.turn,
      outcome: outcome.kind,
      durationMs: this.#lastUsedAt - startedAt,
    });
    this.#startNext();
  }

  #createRunner(turn: string, item: PromptItem, { writer }: Tenure): TurnRunner {
    const record = (event: EventBody) => writer.record(event, turn);
    const onFailure = (what: string, error: unknown) => this.#failed(what, error);
    const { agent } = this.#host;
    return new TurnRunner(turn, item, {
      session: new TurnSession(item, { agent, slot: this.#slot, record, onFailure }),
      cancelGraceMs: this.#host.cancelGraceMs,
      now: () => this.#host.now(),
      record,
      flush: () => writer.flush(),
      enter: async (signal) => {
        const workspace = await this.#host.workspace();
        if (workspace.exclusive === undefined) return { workspace, leave: () => undefined };
        writer.record({ kind: "status", phase: "waiting-workspace" }, turn);
        return { workspace, leave: await this.#host.lock(workspace.exclusive, signal) };
      },
      policy: () => this.#host.policy(),
      onFailure,
    });
  }

  #onUpdate(params: SessionUpdateParams): void {
    const runner = this.#runner;
    const update = asFields(params.update);
    const id = asText(update?.["toolCallId"]);
    if (runner && update && id !== undefined) {
      const title = asText(update["title"]);
      const toolKind = asText(update["kind"]);
      runner.noteTool(id, {
        ...(title !== undefined && { title }),
        ...(toolKind !== undefined && { toolKind }),
        ...(update["rawInput"] !== undefined && { rawInput: update["rawInput"] }),
      });
    }
    for (const event of parseSessionUpdate(params)) {
      if (isWork(event)) runner?.noteWork();
      if (event.kind === "config" && event.options) this.#noteModel(event.options);
      const kept = this.#cap.admit(event, runner?.turn);
      if (kept) this.#record(kept, runner?.turn);
    }
  }

  #noteModel(configOptions: readonly unknown[]): void {
    const attached = this.#slot.attached;
    const model = readModelSetting({ configOptions })?.current;
    if (attached && model !== undefined) attached.model = model;
  }

  #onAsk(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    return this.#runner?.ask(request, signal) ?? Promise.resolve({ outcome: "cancelled" });
  }

  /** Everything that one read of the agent's stdout brought is handled in one tick, so it becomes one transaction. */
  #record(event: EventBody, turn: string | undefined): void {
    this.#tenure?.writer.record(event, turn);
  }

  #failed(what: string, error: unknown): void {
    this.#host.report({ kind: "failure", conversation: this.id, what, error });
  }
}

/** What an agent says on behalf of a prompt, as against news about its session. */
function isWork({ kind }: EventBody): boolean {
  return kind === "text" || kind === "thought" || kind === "tool-start" || kind === "tool-update";
}
