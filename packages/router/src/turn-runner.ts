import type { PermissionOutcome, PermissionRequestParams } from "@acp-kit/acp-wire";
import { type ApprovalHost, Approvals } from "./approvals.ts";
import type { CancelCause, EventBody, FailurePhase, PermissionAsk, TurnOutcome } from "./events.ts";
import type { TurnAdmission } from "./router.ts";
import type { AnswerItem } from "./store.ts";
import { isWork, ToolCalls } from "./tool-calls.ts";
import type { ActiveFacts } from "./turn-queue.ts";
import type { TurnSession } from "./turn-session.ts";
import {
  reduceTurn,
  type TurnEffect,
  type TurnEvent,
  type TurnLimits,
  type TurnState,
} from "./turn-state.ts";
import type { Workspace } from "./workspace.ts";

/** Longest time that a timer can be set to, in milliseconds; whoever wakes earlier sets it again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a turn does with a session of the agent. */
export type PromptSession = Pick<
  TurnSession,
  "endBy" | "model" | "place" | "isTainted" | "attach" | "prompt" | "cancel" | "abandon"
>;

/** Whatever a running turn needs of its conversation. */
export type TurnHost = {
  readonly session: PromptSession;
  readonly limits: TurnLimits;
  now(): number;
  /** Adds an event of this turn to what is committed with the next batch. */
  record(event: EventBody): void;
  /** Resolves once everything recorded is committed; rejects when it never will be. */
  flush(): Promise<void>;
  /** Resolves once what the agent sends beside its text is decided. */
  settled(): Promise<void>;
  /** The conversation's directory, once no other turn works in it. */
  enter(signal: AbortSignal): Promise<{ workspace: Workspace; leave: () => void }>;
  /** Whether the turn may start; asked once, at its turn. */
  admit(): TurnAdmission;
  /** Whether the agent may be given somebody's further message in the middle of the turn; absent: it may not. */
  admitFurther?(turn: string, user: string): TurnAdmission;
  /** Gives the reference of the failure. */
  onFailure(what: string, error: unknown): string;
} & Pick<ApprovalHost, "policy" | "roleOf" | "grants" | "remember" | "askWhenTainted" | "onAnswer">;

/** One turn from its start to its `turn-end`: the shell around {@link reduceTurn}. */
export class TurnRunner {
  readonly turn: string;
  /** The person who asked for it. */
  readonly user: string;
  readonly #host: TurnHost;
  readonly #approvals: Approvals;
  readonly #tools = new ToolCalls();
  /** Aborted when the turn is settled: ends whatever still waits on its behalf. */
  readonly #over = new AbortController();
  readonly #ended = Promise.withResolvers<TurnOutcome>();
  #state: TurnState;
  /** Set by the agent's first word or tool call in this turn. */
  #hasWorked = false;
  #promptedAt: number | undefined;
  #leave: (() => void) | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(turn: string, user: string, host: TurnHost) {
    this.turn = turn;
    this.user = user;
    this.#host = host;
    const { session } = host;
    const isRunning = () => this.#state.kind === "running";
    this.#approvals = new Approvals(user, {
      ...host,
      get isRunning() {
        return isRunning();
      },
      get isTainted() {
        return session.isTainted;
      },
      get place() {
        return session.place;
      },
      onChange: () => this.#progress(),
    });
    this.#state = { kind: "queued", since: host.now() };
  }

  get asks(): readonly PermissionAsk[] {
    return this.#approvals.asks;
  }

  /** The agent has the prompt and has not answered it: what it says now, it says in this turn. */
  get isPrompted(): boolean {
    return this.#state.kind === "running" || this.#state.kind === "cancelling";
  }

  get facts(): Pick<ActiveFacts, "promptedAt" | "hasToolCall"> {
    const promptedAt = this.#promptedAt;
    return { hasToolCall: this.#tools.any, ...(promptedAt !== undefined && { promptedAt }) };
  }

  /** Runs to the end. Resolves once `turn-end` is committed, or never will be; never rejects. */
  async run(): Promise<TurnOutcome> {
    this.#step({ kind: "started", at: this.#host.now() });
    const outcome = await this.#ended.promise;
    // What will never be in the log, because another owner has come, is no concern of this one's turn.
    await this.#host.flush().catch(() => undefined);
    return outcome;
  }

  cancel(cause: CancelCause): void {
    this.#step({ kind: "cancelled", at: this.#host.now(), cause });
  }

  /** False: the question has ended, or that is not the person's to choose. */
  answer(item: AnswerItem): boolean {
    return this.#approvals.answer(item);
  }

  /**
   * Notes what an update of the agent means for this turn: all of them are signs of life, hidden ones too; and once the
   * agent has worked, the prompt is not sent again by itself.
   */
  note(update: unknown, events: readonly EventBody[]): void {
    this.#tools.note(update);
    if (!this.#hasWorked) this.#hasWorked = events.some(isWork);
    this.#progress();
  }

  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    if (this.#state.kind !== "running") return Promise.resolve({ outcome: "cancelled" });
    const known = this.#tools.inputOf(request.toolCall?.toolCallId ?? "");
    return this.#approvals.ask(request, known, signal);
  }

  #progress(): void {
    const awaited = this.asks.length > 0 ? "person" : this.#tools.isOneOpen ? "tool" : "agent";
    this.#step({ kind: "progressed", at: this.#host.now(), awaited });
  }

  #step(event: TurnEvent): void {
    const { state, effects } = reduceTurn(this.#state, event, this.#host.limits);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: TurnEffect): void {
    switch (effect.kind) {
      case "attach":
        void this.#attach();
        return;
      case "prompt":
        void this.#prompt();
        return;
      case "drop-questions":
        this.#approvals.drop();
        return;
      case "cancel-agent":
        this.#host.session.cancel();
        return;
      case "tell-stalled":
        this.#host.record({ kind: "stalled", silentMs: effect.silentMs });
        return;
      case "wake-at":
        this.#wakeAt(effect.at);
        return;
      case "abandon-session":
        this.#host.session.abandon();
        return;
      case "end":
        this.#end(effect.outcome);
        return;
    }
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#deadline);
    const ms = Math.max(0, at - this.#host.now()) + 1;
    this.#deadline = setTimeout(
      () => this.#step({ kind: "deadline-passed", at: this.#host.now() }),
      Math.min(ms, MAX_TIMER_MS),
    );
  }

  async #attach(): Promise<void> {
    let phase: FailurePhase | undefined = "start";
    try {
      const { workspace, leave } = await this.#host.enter(this.#over.signal);
      if (this.#state.kind === "attaching") this.#leave = leave;
      else leave();
      if (this.#state.kind !== "attaching") return;
      if (!this.#isAdmitted()) return;
      phase = undefined;
      const { session } = this.#host;
      await session.attach(workspace, () => this.#state.kind === "attaching");
      if (this.#state.kind !== "attaching") return;
      this.#host.record({
        kind: "turn-start",
        who: this.user,
        ...(session.model !== undefined && { model: session.model }),
      });
      // The agent gets no prompt that the log does not show as its own attempt.
      await this.#host.flush();
      this.#step({ kind: "attached", at: this.#host.now() });
    } catch (error) {
      this.#fail(error, phase);
    }
  }

  /** Whether another message may go to the agent in the middle of this turn. */
  admitsFurther(turn: string, user: string): boolean {
    const admission = this.#host.admitFurther?.(turn, user);
    if (admission?.kind !== "admitted") return false;
    this.#noteAdmission(admission);
    return true;
  }

  #noteAdmission({ notice: text }: Extract<TurnAdmission, { kind: "admitted" }>): void {
    if (text !== undefined) this.#host.record({ kind: "notice", level: "info", text });
  }

  /** One that is not admitted has ended by then. */
  #isAdmitted(): boolean {
    const admission = this.#host.admit();
    if (admission.kind === "admitted") {
      this.#noteAdmission(admission);
      return true;
    }
    const code = "not-admitted";
    const outcome = { kind: "failed", phase: "start", code, message: admission.text } as const;
    this.#step({ kind: "failed", at: this.#host.now(), outcome });
    return false;
  }

  async #prompt(): Promise<void> {
    const { session } = this.#host;
    this.#promptedAt = this.#host.now();
    try {
      const stopReason = await session.prompt(
        () => this.#state.kind === "running" && !this.#hasWorked,
      );
      await this.#host.settled();
      this.#step({ kind: "responded", at: this.#host.now(), stopReason });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param phase - Default: what was done with the session. */
  #fail(error: unknown, phase?: FailurePhase): void {
    if (this.#state.kind === "settled") return;
    const ref = this.#host.onFailure("turn", error);
    const outcome = this.#host.session.endBy(error, phase);
    const isFailure = outcome.kind === "failed" || outcome.kind === "agent-exited";
    this.#step({
      kind: "failed",
      at: this.#host.now(),
      outcome: isFailure ? { ...outcome, ref } : outcome,
    });
  }

  #end(outcome: TurnOutcome): void {
    clearTimeout(this.#deadline);
    this.#over.abort();
    this.#host.record({ kind: "turn-end", outcome });
    this.#leave?.();
    this.#ended.resolve(outcome);
  }
}
