import { randomUUID } from "node:crypto";
import type {
  PermissionOutcome,
  PermissionRequestParams,
  SessionUpdateParams,
} from "@acp-kit/acp-wire";
import { AgentOutput } from "./agent-output.ts";
import type { CancelCause, EventBody, PermissionAsk, TurnOutcome } from "./events.ts";
import { IncomingFiles } from "./incoming-files.ts";
import { createQueuedEvent, createSteeredEvent } from "./message-events.ts";
import { type FileToSend, refuseFile, type SendResult } from "./outgoing-files.ts";
import { asCorrection } from "./prompt-blocks.ts";
import { createReactionEvent, createReactionLimits, ReactionSession } from "./reaction.ts";
import { readOutcome } from "./read-outcome.ts";
import type { AnswerItem, CancelItem, PromptItem, ReactionItem } from "./store.ts";
import { isWork } from "./tool-calls.ts";
import { createTurnHost, type TurnsHost } from "./turn-host.ts";
import {
  EMPTY_QUEUE,
  type QueueEffect,
  type QueueEvent,
  reduceQueue,
  type TurnQueue,
} from "./turn-queue.ts";
import { type TurnHost, TurnRunner } from "./turn-runner.ts";
import type { TurnSession } from "./turn-session.ts";

/** What was posted for a turn. */
type Posted = { readonly item: PromptItem | ReactionItem; readonly attempt: number };

type Running = {
  readonly runner: TurnRunner;
  readonly item: PromptItem | ReactionItem;
  /** Absent while a reaction is told. */
  readonly session?: TurnSession;
  /** Set by the agent's first word, thought or tool call. */
  hasSpoken: boolean;
  /** It was said that something of the agent's was too long to be read. */
  hasMissed: boolean;
};

/** The turns of one conversation, one after another: the shell around {@link reduceQueue}. */
export class Turns {
  readonly #host: TurnsHost;
  readonly #output: AgentOutput;
  readonly #files: IncomingFiles;
  /** Of the turns that wait. */
  readonly #posted = new Map<string, Posted>();
  #queue: TurnQueue = EMPTY_QUEUE;
  #running: Running | undefined;
  /** Ends with the turn that runs. */
  #turn: Promise<void> | undefined;
  /** Ends with the agent's answers to the messages that it was offered in the middle of a turn. */
  #offers: Promise<void> = Promise.resolve();
  /** How many of them are still to come. */
  #offering = 0;
  #isStopped = false;

  constructor(host: TurnsHost) {
    this.#host = host;
    this.#files = new IncomingFiles(host);
    this.#output = new AgentOutput({
      ...host,
      quotaBytes: host.attachmentLimits.attachmentQuotaBytes,
      record: (event, turn) => this.#host.writer?.record(event, turn),
      requesterOf: (turn) => {
        const { runner } = this.#running ?? {};
        return runner?.turn === turn ? runner.user : undefined;
      },
      toHost: (file) => host.sessions.open?.agent.toHost?.(file) ?? file,
    });
  }

  /** The turn of a message that runs. */
  get running():
    | { turn: string; who: string; key: string; asks: readonly PermissionAsk[] }
    | undefined {
    const { runner, item } = this.#running ?? {};
    if (!runner || item?.kind !== "prompt") return undefined;
    return { turn: runner.turn, who: runner.user, key: item.key, asks: runner.asks };
  }

  /** When the message of a turn that has not ended was posted. */
  postedAt(turn: string): number | undefined {
    const { runner, item } = this.#running ?? {};
    return (runner?.turn === turn ? item : this.#posted.get(turn)?.item)?.at;
  }

  get isIdle(): boolean {
    return !this.#queue.active && this.#queue.waiting.length === 0 && this.#offering === 0;
  }

  /** The agent has a prompt and has not answered it. */
  get isPrompted(): boolean {
    return this.#running?.runner.isPrompted ?? false;
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await this.#turn;
    // An offer that waits for its files has nobody to be made to any more.
    await Promise.all([this.#offers, this.#files.close()]);
  }

  /** Ends with the agent's answers to the messages that it is offered now; nothing where there are none. */
  get offered(): Promise<void> | undefined {
    return this.#offering === 0 ? undefined : this.#offers;
  }

  async post(item: PromptItem, turn: string, attempt: number): Promise<void> {
    const { replaces } = item;
    const { store, conversation } = this.#host;
    const earlier =
      replaces === undefined ? undefined : await readOutcome(store, conversation, replaces);
    const wasEdited = earlier?.kind === "cancelled" && earlier.cause === "edited";
    this.#posted.set(turn, { item, attempt });
    this.#files.begin(turn, item);
    const { runner, session } = this.#running ?? {};
    this.#step({
      kind: "prompt-posted",
      at: this.#host.now(),
      turn,
      user: item.user,
      role: this.#host.roleOf(item.user),
      busy: item.busy ?? this.#host.busyPolicy(),
      active: {
        hasToolCall: false,
        ...runner?.facts,
        takesSteering: runner?.isPrompted === true && session?.takesSteering === true,
      },
      ...(replaces !== undefined && { replaces: { turn: replaces, wasEdited } }),
    });
  }

  react(item: ReactionItem): void {
    const turn = randomUUID();
    this.#posted.set(turn, { item, attempt: 1 });
    this.#step({ kind: "reaction-posted", turn, user: item.user, at: item.at });
  }

  /** Whoever posted the answer may have known less than is known here: of what is not theirs to decide nothing is done. */
  answer(item: AnswerItem): void {
    this.#running?.runner.answer(item);
  }

  cancel({ turn, cause, user, implied }: CancelItem): void {
    const role = user === undefined || implied ? undefined : this.#host.roleOf(user);
    this.#step({ kind: "cancel-posted", turn, cause, user, role });
  }

  cancelRunning(cause: CancelCause): void {
    this.#running?.runner.cancel(cause);
  }

  /** Ends all that wait. */
  drop(cause: CancelCause): void {
    this.#step({ kind: "dropped", cause });
  }

  /** From now on nothing is started. */
  stop(): void {
    this.#isStopped = true;
  }

  startNext(): void {
    if (!this.#isStopped) this.#step({ kind: "next", at: this.#host.now() });
  }

  /**
   * Records what the agent says: in the turn whose prompt it has, else in none. Everything that one read of the agent's
   * stdout brought comes in one tick, so it becomes one transaction.
   */
  hear(params: SessionUpdateParams): void {
    const running = this.#running?.runner.isPrompted ? this.#running : undefined;
    const events = this.#output.parse(params);
    running?.runner.note(params.update, events);
    const isReaction = running?.item.kind === "reaction";
    if (running && !isReaction && !running.hasSpoken && events.some(isWork)) {
      running.hasSpoken = true;
      const ms = this.#host.now() - running.item.at;
      this.#host.measure({ kind: "first-event", ...this.#named(running.runner.turn), ms });
    }
    for (const event of events) {
      if (event.kind === "usage" && event.cost) running?.session?.spending.noteCost(event.cost);
    }
    for (const event of [...events, ...this.#host.sessions.noteUpdate(params)]) {
      // Nobody sees what an agent says to a reaction.
      if (isReaction && (isWork(event) || event.kind === "content")) continue;
      this.#output.write(event, isReaction ? undefined : running?.runner.turn, params.update);
    }
  }

  /** Removes the files of a message that was taken back. */
  async forgetFiles(message: string): Promise<void> {
    await this.#files.forget(message);
  }

  /** Sends a file of the agent's in the turn that it answers. Resolves once that is committed. */
  async sendFile(file: FileToSend): Promise<SendResult> {
    const running = this.#running?.runner.isPrompted ? this.#running : undefined;
    if (running?.item.kind !== "prompt") {
      return refuseFile(file, "no-turn");
    }
    const result = await this.#output.sendFile(running.runner.turn, file);
    await this.#host.writer?.flush();
    return result;
  }

  /** Sends a file of the agent's that a person has asked for, or says why it is not sent. Resolves once either is recorded. */
  async sendAside(file: FileToSend, user: string): Promise<void> {
    const result = await this.#output.sendAside(file, user);
    if (result.kind === "sent") return;
    this.#host.writer?.record(
      { kind: "notice", level: "warning", text: result.message },
      undefined,
    );
  }

  /** Says, once in a turn, that a message of the agent was too long to be read. */
  miss(): void {
    const running = this.#running;
    if (!running || running.item.kind === "reaction" || running.hasMissed) return;
    running.hasMissed = true;
    const text = "Something that the agent sent was too long to be read, and is missing here.";
    const { turn } = running.runner;
    this.#host.writer?.record({ kind: "notice", level: "warning", text }, turn);
  }

  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    return this.#running?.runner.ask(request, signal) ?? Promise.resolve({ outcome: "cancelled" });
  }

  #step(event: QueueEvent): void {
    const { queue, effects } = reduceQueue(this.#queue, event);
    this.#queue = queue;
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: QueueEffect): void {
    switch (effect.kind) {
      case "tell-queued":
        this.#tellQueued(effect.turn, effect.behind);
        return;
      case "offer": {
        this.#offering += 1;
        const offer = this.#offer(effect.turn);
        this.#offers = this.#offers.then(() => offer);
        return;
      }
      case "cancel":
        this.cancelRunning(effect.cause);
        return;
      case "end":
        this.#posted.delete(effect.turn);
        this.#files.end(effect.turn);
        this.#host.writer?.record({ kind: "turn-end", outcome: effect.outcome }, effect.turn);
        return;
      case "shed":
        this.#posted.delete(effect.turn);
        return;
      case "start":
        this.#start(effect.turn, effect.isCorrection);
        return;
    }
  }

  #tellQueued(turn: string, behind: string | undefined): void {
    const { item, attempt = 1 } = this.#posted.get(turn) ?? {};
    if (item?.kind !== "prompt") return;
    this.#host.writer?.record(createQueuedEvent(item, attempt, behind), turn);
    const depth = this.#queue.waiting.length + (this.#queue.active ? 1 : 0);
    this.#host.measure({ kind: "queue-depth", conversation: this.#host.conversation, depth });
  }

  /** Gives the running turn's agent a message that waits. */
  async #offer(turn: string): Promise<void> {
    const running = this.#running;
    const item = this.#posted.get(turn)?.item;
    let isTaken = false;
    if (running?.session && item?.kind === "prompt") {
      const { writer } = this.#host;
      try {
        // Files take their time: the turn may have ended meanwhile, or the message been dropped.
        if (this.#files.has(turn)) await this.#files.settled(turn);
        const isWanted = running.runner.isPrompted && this.#posted.has(turn);
        const isOpen = isWanted && running.runner.admitsFurther(turn, item.user);
        isTaken = isOpen && (await running.session.steer(item, turn));
      } catch (error) {
        this.#host.failed("steer", error);
      }
      // The turn may have ended by now, and nothing is in it behind its end.
      const { isPrompted, turn: taker } = running.runner;
      if (isTaken) {
        writer?.record(createSteeredEvent(item), isPrompted ? taker : undefined);
        const told = this.#host.sessions.noteAside(item.key);
        await told.catch((error: unknown) => this.#host.failed("steer", error));
      }
    }
    this.#offering -= 1;
    this.#step({ kind: "steered", turn, isTaken });
    this.startNext();
  }

  #start(turn: string, isCorrection: boolean): void {
    const item = this.#posted.get(turn)?.item;
    this.#posted.delete(turn);
    const isCorrected = isCorrection && item?.kind === "prompt";
    const running = item && this.#createRunning(turn, isCorrected ? asCorrection(item) : item);
    if (running) this.#turn = this.#run(running);
    else this.#startBehind();
  }

  async #run(running: Running): Promise<void> {
    const startedAt = this.#host.now();
    this.#running = running;
    const outcome = await running.runner.run();
    this.#running = undefined;
    this.#host.sessions.endTurn();
    this.#files.end(running.runner.turn);
    if (running.session) {
      this.#measureSpent(running.runner.turn, running.session);
      this.#report(running.runner.turn, outcome, this.#host.now() - startedAt);
    }
    this.#startBehind();
  }

  /** The active turn is over. */
  #startBehind(): void {
    this.#step({ kind: "ended" });
    this.startNext();
  }

  #measureSpent(turn: string, { spent }: TurnSession): void {
    if (spent) this.#host.measure({ kind: "spent", ...this.#named(turn), ...spent });
  }

  #report(turn: string, outcome: TurnOutcome, durationMs: number): void {
    const named = { ...this.#named(turn), outcome: outcome.kind };
    this.#host.report({ kind: "turn-ended", ...named, durationMs });
    this.#host.measure({ kind: "turn", ...named, ms: durationMs });
  }

  #named(turn: string): { conversation: string; turn: string } {
    return { conversation: this.#host.conversation, turn };
  }

  /** `undefined`: there is nobody who could be told. */
  #createRunning(turn: string, item: PromptItem | ReactionItem): Running | undefined {
    const { sessions, limits, writer } = this.#host;
    if (!writer) return undefined;
    const create = (host: TurnHost, session?: TurnSession): Running => {
      const runner = new TurnRunner(turn, item.user, host);
      return { runner, item, ...(session && { session }), hasSpoken: false, hasMissed: false };
    };
    if (item.kind === "prompt") {
      const record = (event: EventBody) => {
        if (event.kind === "turn-end") this.#output.end(turn);
        writer.record(event, turn);
      };
      const [files, flush] = [this.#files, () => writer.flush()];
      const session = sessions.startTurn(turn, item, { record, flush, files });
      const onAnswer: TurnHost["onAnswer"] = (ask, answer) => {
        const agent = session.place?.agent ?? "";
        this.#host.report({ kind: "question-ended", ...this.#named(turn), agent, ask, answer });
      };
      const own = {
        ...{ session, limits, record, onAnswer },
        admit: () => this.#host.admit({ turn, user: item.user }),
        admitFurther: (further: string, user: string) =>
          this.#host.admit({ turn: further, user, into: { turn, user: item.user } }),
        ready: async () => {
          if (!this.#files.isFetching(turn)) return;
          record({ kind: "status", phase: "fetching-files" });
          await this.#files.settled(turn);
        },
        settled: () => this.#output.settled(turn),
      };
      return create(createTurnHost(this.#host, writer, item.user, own), session);
    }
    const slot = sessions.openFor(item.user);
    if (!slot?.attached) return undefined;
    const reaction = createTurnHost(this.#host, writer, item.user, {
      session: new ReactionSession(item, slot),
      limits: createReactionLimits(limits),
      // Of all that happens in it, the log has that the agent was told.
      record: ({ kind }) => {
        if (kind === "turn-start") writer.record(createReactionEvent(item), undefined);
      },
      policy: () => "deny",
      admit: () => ({ kind: "admitted" }),
    });
    return create(reaction);
  }
}
