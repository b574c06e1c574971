import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";
import {
  type AgentSession,
  type KnownConfigOption,
  type PromptOutcome,
  type PromptTurn,
  ErrorCode as Rpc,
  RpcError,
  type SessionModeState,
  type SessionSink,
  type Steer,
} from "@acp-kit/acp-wire";
import { ClientError, type DcodeClient } from "@acp-kit/dcode-client";
import {
  approvalGrants,
  type DcodeEvent,
  ErrorCode,
  isKnownEvent,
  type SubmitTurnRequest,
  validMode,
} from "@acp-kit/dcode-protocol";
import { type Attached, bringBack } from "./attach.ts";
import { followSession, type MissCode } from "./follow.ts";
import { failureCode, rpcError, turnFailure } from "./mapping/errors.ts";
import { DCODE_META, type Mapped } from "./mapping/mapped.ts";
import { MODE_OPTION, modeOption, modeState } from "./mapping/modes.ts";
import { parsePrompt } from "./mapping/prompt.ts";
import { reduceEvent } from "./mapping/reduce-event.ts";
import { closeCards, type MappingState, NO_STATUS, withStatus } from "./mapping/state.ts";
import { stopReason } from "./mapping/stop-reason.ts";
import { OwnTurn } from "./own-turn.ts";
import { Questions } from "./questions.ts";
import { deniedRemark, droppedRemark, lossOf, missedRemark } from "./remarks.ts";
import { Steers } from "./steers.ts";
import { untilHeard } from "./until-heard.ts";

/** A session is busy for a moment behind its turn, or runs a command that somebody typed. */
const SETTLE_MS = 5_000;
const SETTLE_EVERY_MS = 50;
/** How long to look for the turn of a prompt whose answer got lost. */
const LOST_ANSWER_MS = 5_000;
/** How long a turn that was interrupted may take to end. */
const INTERRUPT_MS = 30_000;

export type DcodeSessionOptions = {
  readonly attached: Attached;
  readonly sink: SessionSink;
  /** How long a daemon that does not answer is waited for, in milliseconds. */
  readonly awayMs: number;
  /** Told that the session goes on under another id of the daemon. */
  readonly remember: (daemonSession: string) => Promise<void>;
  readonly onError: (error: unknown, what: string) => void;
};

/** One session of the daemon as a session of an ACP agent. It follows the events as long as it is open. */
export class DcodeSession implements AgentSession {
  readonly #options: DcodeSessionOptions;
  readonly #client: DcodeClient;
  readonly #questions: Questions;
  #state: MappingState;
  /** Ends the reader of the events. */
  #reading = new AbortController();
  /** Why nobody reads the events any more; the next prompt tries again. */
  #lost: Error | undefined;
  /** The prompt that is answered now, which may ask questions. */
  #prompting: PromptTurn | undefined;
  #own: OwnTurn | undefined;
  readonly #steers = new Steers();
  /** Wakes a prompt that waits behind somebody else's turn. */
  #turnOver = Promise.withResolvers<void>();

  constructor(options: DcodeSessionOptions) {
    this.#options = options;
    this.#client = options.attached.client;
    this.#state = options.attached.state;
    this.#questions = new Questions(this.#client, options.onError);
    if (options.attached.lost !== undefined) {
      this.#tell({ notice: "warning", text: options.attached.lost });
    }
    this.#read();
  }

  get modes(): SessionModeState {
    return modeState(this.#state.session.mode);
  }

  get configOptions(): KnownConfigOption[] {
    return [modeOption(this.#state.session.mode)];
  }

  async setMode(modeId: string): Promise<void> {
    if (!validMode(modeId)) {
      throw new RpcError(Rpc.invalidParams, `dcode has no mode ${JSON.stringify(modeId)}`);
    }
    try {
      await this.#attach();
      await this.#client.setMode(this.#state.id, modeId);
    } catch (error) {
      throw rpcError(error);
    }
    // The event may be behind, and there is none for the mode that it has.
    const { session } = this.#state;
    this.#state = { ...this.#state, session: { ...session, mode: modeId } };
  }

  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    if (configId === MODE_OPTION) await this.setMode(String(value));
  }

  snapshot(): string {
    return this.#state.id;
  }

  async prompt(turn: PromptTurn): Promise<PromptOutcome> {
    const request = parsePrompt(turn.blocks);
    this.#prompting = turn;
    try {
      await this.#attach();
      this.#questions.ask(this.#state, turn);
      const own = await this.#submit(request, turn);
      return own === undefined ? { stopReason: "cancelled" } : await this.#outcome(own, turn);
    } catch (error) {
      throw rpcError(error);
    } finally {
      this.#prompting = undefined;
      this.#own = undefined;
    }
  }

  /** dcode takes text in the middle of a turn, and nothing while the turn waits for an approval. */
  async steer({ blocks }: Steer): Promise<boolean> {
    const { text, images } = parsePrompt(blocks);
    const own = this.#own;
    if (images !== undefined || !own?.accepted || own.over.signal.aborted) return false;
    const { id } = this.#state;
    try {
      return await this.#steers.send(text, () => this.#client.steer(id, text));
    } catch (error) {
      const code = failureCode(error);
      if (code === ErrorCode.noActiveTurn || code === ErrorCode.sessionNotFound) return false;
      throw rpcError(error);
    }
  }

  async close(why: "closed" | "deleted" | "shutdown"): Promise<void> {
    this.#reading.abort();
    // Without its client the session stays with the daemon, and may be opened again.
    if (why === "shutdown") return;
    try {
      await this.#client.deleteSession(this.#state.id);
    } catch (error) {
      if (failureCode(error) !== ErrorCode.sessionNotFound) throw error;
    }
  }

  /** Submits once nobody else's turn runs; undefined when the prompt was cancelled before. */
  async #submit(request: SubmitTurnRequest, turn: PromptTurn): Promise<OwnTurn | undefined> {
    let broughtBack = false;
    /** Since when the daemon calls the session busy, while no turn runs. */
    let settlingSince: number | undefined;
    for (;;) {
      if (turn.signal.aborted) return undefined;
      try {
        return await this.#trySubmit(request);
      } catch (error) {
        const code = failureCode(error);
        this.#own = undefined;
        if (code === ErrorCode.sessionNotFound && !broughtBack) {
          broughtBack = true;
          await this.#bringBack();
        } else if (code !== ErrorCode.turnAlreadyActive || this.#lost !== undefined) {
          throw error;
        } else if (this.#state.session.turn !== undefined) {
          settlingSince = undefined;
          await this.#untilTurnOver(turn.signal);
        } else {
          settlingSince ??= performance.now();
          if (performance.now() - settlingSince > SETTLE_MS) throw error;
          await delay(SETTLE_EVERY_MS);
        }
      }
    }
  }

  async #trySubmit(request: SubmitTurnRequest): Promise<OwnTurn> {
    const { id } = this.#state;
    const { last_seq: last } = await this.#client.getSession(id);
    const own = new OwnTurn(request.text, last);
    this.#own = own;
    try {
      await this.#client.submitTurn(id, request);
    } catch (error) {
      const unclear =
        error instanceof ClientError && (error.code === "closed" || error.code === "timeout");
      if (!unclear || !(await within(LOST_ANSWER_MS, own.started.promise))) throw error;
    }
    own.accept(this.#state.session.turn?.seq);
    // Nobody reads any more, and whoever found out did so before this turn was there.
    if (this.#lost !== undefined) own.ended.reject(this.#lost);
    return own;
  }

  async #outcome(own: OwnTurn, turn: PromptTurn): Promise<PromptOutcome> {
    const interrupt = () => {
      this.#interrupt(own);
      delay(INTERRUPT_MS, undefined, { signal: own.over.signal }).then(
        () => own.ended.resolve(undefined),
        () => {},
      );
    };
    turn.signal.addEventListener("abort", interrupt);
    try {
      // An interrupt that comes before the turn is lost: it was not sent before the daemon took the prompt.
      if (turn.signal.aborted) interrupt();
      const end = await own.ended.promise;
      if (end === undefined) return {};
      const { reason, usage, completion } = end.completed;
      const why = stopReason(reason);
      if (why === undefined) throw turnFailure(end.error);
      const meta = { reason, ...(usage && { usage }), ...(completion && { completion }) };
      return { stopReason: why, meta: { [DCODE_META]: meta } };
    } finally {
      own.over.abort();
      turn.signal.removeEventListener("abort", interrupt);
    }
  }

  #interrupt({ over: { signal } }: OwnTurn): void {
    const { id } = this.#state;
    // Not beyond the end of the turn: the next one is not meant.
    untilHeard(() => this.#client.interrupt(id, { signal }), signal).catch((error: unknown) => {
      if (this.#lost === undefined) this.#options.onError(error, "interrupt");
    });
  }

  async #untilTurnOver(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort);
    await Promise.race([this.#turnOver.promise, cancelled]);
    signal.removeEventListener("abort", onAbort);
  }

  #read(): void {
    this.#lost = undefined;
    this.#reading = new AbortController();
    followSession(this.#client, this.#state, this.#reading.signal, this.#options.awayMs, {
      take: (event) => this.#take(event),
      missed: (why) => this.#miss(why),
      resume: (state) => this.#resume(state),
      onError: this.#options.onError,
    }).catch((error: unknown) => this.#lose(error as Error));
  }

  #take(event: DcodeEvent): Promise<unknown> {
    const started = isKnownEvent(event) && event.type === "turn.started";
    const own = started && this.#own?.claim(event) ? this.#own : undefined;
    const isOwnText =
      own !== undefined ||
      (isKnownEvent(event) &&
        event.type === "turn.steered" &&
        this.#steers.noteTold(event.payload.text));
    const { state, mapped, step } = reduceEvent(this.#state, event, { own: isOwnText });
    this.#state = state;
    const sent = this.#send(mapped);
    if (own && this.#prompting?.signal.aborted) this.#interrupt(own);
    if (isKnownEvent(event) && event.type === "turn.completed") {
      for (const text of this.#steers.endTurn()) {
        this.#tell({ notice: "warning", text: droppedRemark(text) });
      }
      if (this.#own?.isTurn(step.turn)) {
        this.#own.ended.resolve({ completed: event.payload, error: step.state.error });
      }
      this.#wakeWaiting();
    }
    for (const { request } of this.#questions.withdraw(state.session.approvals)) {
      if (isDenial(event)) this.#tell({ notice: "warning", text: deniedRemark(request) });
    }
    if (state.session.approvals.length > 0) {
      // What came in the same read may answer it already.
      void nextRound().then(() => this.#ask());
    }
    return sent;
  }

  #ask(): void {
    if (this.#prompting !== undefined) this.#questions.ask(this.#state, this.#prompting);
  }

  /** Events are missing: the end of a turn may be among them. */
  #miss(why: MissCode): () => void {
    const own = this.#own?.accepted ? this.#own : undefined;
    this.#steers.endTurn();
    this.#dropCards("What became of it was lost.");
    this.#questions.withdraw([]);
    this.#tell({
      notice: "warning",
      text: missedRemark(why),
    });
    return () => {
      own?.ended.resolve(undefined);
      this.#wakeWaiting();
    };
  }

  #resume(state: MappingState): void {
    const { turn } = this.#state.session;
    this.#state = { ...state, session: { ...state.session, ...(turn && { turn }) } };
  }

  /** Nobody reads the events any more. */
  #lose(error: Error): void {
    this.#steers.endTurn();
    this.#dropCards("The dcode daemon was lost.");
    this.#questions.withdraw([]);
    this.#lost = lossOf(error);
    // Said beside the prompt's error: many clients show no more of that than its code.
    if (this.#own?.accepted) this.#tell({ notice: "error", text: this.#lost.message });
    this.#own?.ended.reject(this.#lost);
    this.#wakeWaiting();
  }

  #dropCards(why: string): void {
    const { status } = this.#state;
    const { state, mapped } = closeCards(this.#state, this.#state.cards.keys(), why);
    this.#state = { ...state, status: NO_STATUS, message: undefined };
    this.#tell(...withStatus(status, NO_STATUS, mapped));
  }

  #wakeWaiting(): void {
    this.#turnOver.resolve();
    this.#turnOver = Promise.withResolvers();
  }

  /** Reads again, where the reader has given up. */
  async #attach(): Promise<void> {
    if (this.#lost === undefined) return;
    try {
      await this.#client.getSession(this.#state.id);
    } catch (error) {
      if (failureCode(error) !== ErrorCode.sessionNotFound) throw error;
      await this.#bringBack();
      return;
    }
    this.#read();
  }

  async #bringBack(): Promise<void> {
    this.#reading.abort();
    const { id, workspace, session: before } = this.#state;
    const { state, lost } = await bringBack(this.#client, id, workspace);
    this.#dropCards("The dcode daemon was lost.");
    this.#state = state;
    await this.#options.remember(state.id);
    this.#read();
    this.#tell({ notice: "warning", text: lost });
    if (validMode(before.mode) && before.mode !== state.session.mode) {
      await this.#client.setMode(state.id, before.mode);
    }
  }

  /** Queues what nobody waits for; a client that is gone misses nothing. */
  #tell(...mapped: readonly Mapped[]): void {
    this.#send(mapped).catch(() => {});
  }

  async #send(mapped: readonly Mapped[]): Promise<void> {
    const { sink } = this.#options;
    await Promise.all(
      mapped.map((each) =>
        "update" in each
          ? sink.update(each.update, each.meta)
          : sink.notice(each.notice, each.text),
      ),
    );
  }
}

function isDenial(event: DcodeEvent): boolean {
  const resolved = isKnownEvent(event) && event.type === "tool.approval_resolved";
  return resolved && !approvalGrants(event.payload.decision);
}

async function within(ms: number, event: Promise<void>): Promise<boolean> {
  const over = new AbortController();
  const late = delay(ms, false, { signal: over.signal }).catch(() => false);
  const came = await Promise.race([event.then(() => true), late]);
  over.abort();
  return came;
}
