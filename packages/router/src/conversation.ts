import type { Agent } from "./agent.ts";
import type { ConversationHost } from "./conversation-host.ts";
import { ConversationSessions } from "./conversation-sessions.ts";
import type { RouterError } from "./errors.ts";
import { LogWriter } from "./log-writer.ts";
import type { FileToSend, SendResult } from "./outgoing-files.ts";
import { createReference } from "./reference.ts";
import type { Attached } from "./session-slot.ts";
import type { Lease, ResetItem, TakenItem } from "./store.ts";
import { Turns } from "./turns.ts";

/** The right to run turns in a conversation, and the writer that goes with it. */
type Tenure = { readonly lease: Lease; readonly writer: LogWriter };

/** The owner of one conversation: holds its lease, takes its inbox, writes its log. */
export class Conversation {
  readonly id: string;
  readonly #host: ConversationHost;
  readonly #sessions: ConversationSessions;
  readonly #turns: Turns;
  #tenure: Tenure | undefined;
  /** Set when what waits is left for another owner. */
  #isRetiring = false;
  /** Set when the conversation is let go: nothing is taken any more. */
  #isClosing = false;
  #taking: Promise<void> | undefined;
  #moreToTake = false;
  #lastUsedAt: number;
  #lastUser = "";

  constructor(id: string, host: ConversationHost) {
    this.id = id;
    this.#host = host;
    this.#lastUsedAt = host.now();
    this.#sessions = this.#createSessions();
    const tenure = () => this.#tenure;
    this.#turns = new Turns({
      ...host,
      conversation: id,
      sessions: this.#sessions,
      get writer() {
        return tenure()?.writer;
      },
      get lease() {
        return tenure()?.lease;
      },
      failed: (what, error) => this.#failed(what, error),
      report: (report) => {
        this.#lastUsedAt = host.now();
        host.report(report);
      },
    });
  }

  get running(): Turns["running"] {
    return this.#turns.running;
  }

  /** Sends a file of the agent's in the turn that it answers. */
  sendFile(file: FileToSend): Promise<SendResult> {
    return this.#turns.sendFile(file);
  }

  /** When the message of a turn that has not ended was posted. */
  postedAt(turn: string): number | undefined {
    return this.#turns.postedAt(turn);
  }

  get session(): { id: string; cwd: string } | undefined {
    const attached = this.#sessions.attached;
    return attached && { id: attached.session, cwd: attached.cwd };
  }

  /** The attached session, if it is the one with this key. */
  attachedOf(key: string): Attached | undefined {
    return this.#sessions.attachedOf(key);
  }

  /** It has a session, or gets one. */
  get isInUse(): boolean {
    return this.#sessions.attached !== undefined || this.#sessions.isOpening;
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  /** The person who spoke last. */
  get lastUser(): string {
    return this.#lastUser;
  }

  get isIdle(): boolean {
    return this.#turns.isIdle && !this.#taking;
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
  onAgentExit(agent: Agent): void {
    this.#sessions.detach(agent);
  }

  /** Starts no further turn; resolves when the running one has ended. */
  async retire(): Promise<void> {
    this.#isRetiring = true;
    this.#turns.stop();
    await this.#taking?.catch(() => undefined);
    await this.#turns.ended();
  }

  /** Ends what runs, as when this process does. */
  endTurn(): void {
    this.#turns.cancelRunning("shutdown");
  }

  /** Lets the session and the conversation go. Whatever runs ends as cancelled, and what waits too unless it retires. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#turns.stop();
    this.#tenure?.writer.stopRetrying();
    await this.#taking?.catch(() => undefined);
    const tenure = this.#tenure;
    tenure?.writer.stopRetrying();
    if (!this.#isRetiring) this.#turns.drop("shutdown");
    this.#turns.cancelRunning("shutdown");
    await this.#turns.ended();
    await tenure?.writer.flush().catch(() => undefined);
    await this.#sessions.close().catch((error: unknown) => this.#failed("close session", error));
    this.#tenure = undefined;
    if (tenure) await this.#host.store.release(tenure.lease);
  }

  async #take(): Promise<void> {
    while (this.#moreToTake && !this.#isClosing) {
      this.#moreToTake = false;
      const tenure = this.#tenure ?? (await this.#claim());
      // Another owner lives; should it have died since, its inbox was announced anew.
      if (!tenure) continue;
      const items = await this.#takeFrom(tenure);
      if (!items) continue;
      for (const taken of items) await this.#accept(taken);
      await tenure.writer.flush();
    }
    this.#turns.startNext();
  }

  /** What was posted; `undefined` when the lease is lost, which is noticed here if nothing was written since. */
  async #takeFrom({ lease }: Tenure): Promise<readonly TakenItem[] | undefined> {
    try {
      return await this.#host.store.take(lease);
    } catch (error) {
      if ((error as RouterError).code !== "fenced") throw error;
      // The next turn must not find the session that is being closed.
      await this.#abandon(error);
      // Whoever took it may have left it: an erasure does.
      this.#moreToTake = true;
      return undefined;
    }
  }

  async #claim(): Promise<Tenure | undefined> {
    const lease = await this.#host.store.claim(this.id);
    if (!lease) return undefined;
    for (const { turn, ref } of lease.interrupted ?? []) {
      this.#host.report({ kind: "turn-interrupted", conversation: this.id, turn, ref });
    }
    const writer = new LogWriter({
      append: (events) => this.#host.store.append(lease, events),
      now: () => this.#host.now(),
      onFailure: (error) => this.#failed("append", error),
      onStuck: () => this.#turns.cancelRunning("limit"),
      onLost: (error) => void this.#abandon(error),
    });
    this.#tenure = { lease, writer };
    return this.#tenure;
  }

  /**
   * Nothing that happens here can be recorded any more: whatever runs stops, and nothing is said about it. Never rejects;
   * resolves once the session is closed.
   */
  async #abandon(error: unknown): Promise<void> {
    this.#failed("append", error);
    this.#tenure = undefined;
    this.#turns.drop("shutdown");
    this.#turns.cancelRunning("shutdown");
    await this.#sessions.close().catch((cause: unknown) => this.#failed("close session", cause));
  }

  async #accept(taken: TakenItem): Promise<void> {
    this.#lastUsedAt = this.#host.now();
    this.#lastUser = taken.item.user ?? this.#lastUser;
    switch (taken.item.kind) {
      case "prompt":
        if ("turn" in taken) await this.#turns.post(taken.item, taken.turn, taken.attempt);
        return;
      case "answer":
        this.#turns.answer(taken.item);
        await this.#sessions.noteAside(taken.item.key);
        return;
      case "cancel":
        this.#turns.cancel(taken.item);
        return;
      case "reaction":
        this.#turns.react(taken.item);
        return;
      case "reset":
        if (taken.item.turn !== undefined) this.#cancelFor(taken.item, taken.item.turn);
        this.#tenure?.writer.record({ kind: "session-reset", who: taken.item.user }, undefined);
        await this.#sessions.reset(() => this.#turns.isPrompted);
        return;
      case "send":
        await this.#turns.sendAside({ path: taken.item.path }, taken.item.user);
        return;
      case "redact":
        await this.#redact(taken.item.message);
        return;
      case "revoke": {
        const { user, rules } = taken.item;
        const { grants, now } = this.#host;
        if (this.#tenure) await grants.revoke(this.#tenure.lease, user, rules, now());
        return;
      }
      case "choose": {
        const told = await this.#sessions.choose(taken.item);
        for (const event of told) this.#tenure?.writer.record(event, undefined);
        return;
      }
    }
  }

  /** What was said before is in the log by then, so that nothing of it comes behind this. */
  async #redact(message: string): Promise<void> {
    const { offered } = this.#turns;
    await this.#tenure?.writer.flush();
    await this.#turns.forgetFiles(message);
    if (this.#tenure) await this.#host.store.redact(this.#tenure.lease, message);
    // What the agent takes only now stands in the log all the same.
    offered
      ?.then(() => this.#redact(message))
      .catch((error: unknown) => this.#failed("redact", error));
  }

  #cancelFor({ key, user, at }: ResetItem, turn: string): void {
    this.#turns.cancel({ kind: "cancel", key, user, turn, cause: "user", at });
  }

  #createSessions(): ConversationSessions {
    const { store, sessions, now, measure } = this.#host;
    return new ConversationSessions({
      ...sessions,
      conversation: this.id,
      store,
      client: {
        update: (params) => this.#turns.hear(params),
        lost: () => this.#turns.miss(),
        ask: (request, signal) => this.#turns.ask(request, signal),
      },
      now,
      lease: () => this.#tenure?.lease,
      onPhase: (phase) => {
        this.#tenure?.writer.record({ kind: "status", phase }, this.#turns.running?.turn);
      },
      onFailure: (what, error) => this.#failed(what, error),
      onMetric: measure,
      onChoiceRefused: (user, setting, value) => {
        const conversation = this.id;
        this.#host.report({ kind: "choice-refused", conversation, user, setting, value });
      },
    });
  }

  #failed(what: string, error: unknown): string {
    const ref = createReference();
    this.#host.report({ kind: "failure", conversation: this.id, what, error, ref });
    return ref;
  }
}
