import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { hashId, type Log, type SurfaceBot } from "@acp-kit/relay";
import {
  type ConversationLog,
  type MarkupRenderer,
  type Router,
  RouterError,
  type Turn,
} from "@acp-kit/router";
import { readDelivered, writeDelivered } from "./delivery.ts";
import type { DeliveryState } from "./delivery-state.ts";
import { type Departure, strongerDeparture } from "./departure.ts";
import { EventSocket } from "./event-socket.ts";
import { decideIntake, type Message } from "./intake.ts";
import type { ResponseLimits } from "./limits.ts";
import type { Line, LineMember } from "./line.ts";
import { Place } from "./place.ts";
import { carryOut, type Plan, refusals } from "./plan.ts";
import { Presentation } from "./presentation.ts";
import {
  createReader,
  currentView,
  hasBegun,
  openAsks,
  repeatQuestions,
  viewOf,
} from "./reader.ts";
import type { RecentMap } from "./recent-map.ts";
import { Wakeup } from "./wakeup.ts";
import { formatLabel, words } from "./words.ts";

/** What all responses share. */
export type ResponseHost = {
  readonly router: Router;
  readonly renderer: MarkupRenderer<string>;
  readonly limits: ResponseLimits;
  readonly log: Log;
  readonly now: () => number;
  readonly line: Line<PoeResponse>;
  /** Where the reading of a message's response began: it starts there again when the message is sent again. */
  readonly starts: RecentMap<number>;
};

export type ResponseRequest = {
  readonly bot: SurfaceBot;
  readonly conversation: string;
  readonly message: Message;
  readonly query: readonly Turn[];
  /** The platform's id of this very request; may be empty. */
  readonly request: string;
};

type ReadPlan = Extract<Plan, { kind: "read" }>;

const LEFT = Symbol("left");

/** One response of the platform: one loop that owns its socket, from the request to the last byte and what follows. */
export class PoeResponse implements LineMember {
  readonly conversation: string;
  readonly label: string;
  readonly #host: ResponseHost;
  readonly #request: ResponseRequest;
  readonly #socket: EventSocket;
  readonly #presentation: Presentation;
  readonly #log: ConversationLog;
  readonly #wakeup = new Wakeup();
  /** Settled when a reason to leave takes the place of the client being gone. */
  readonly #recalled = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();
  readonly #startedAt: number;
  #left: Departure | undefined;
  #note: string | undefined;
  #plan: ReadPlan | undefined;
  #state: DeliveryState | undefined;

  constructor(outgoing: ServerResponse, request: ResponseRequest, host: ResponseHost) {
    const { renderer, limits, now } = host;
    this.conversation = request.conversation;
    this.label = formatLabel(request.message.text);
    this.#host = host;
    this.#request = request;
    this.#startedAt = now();
    this.#log = host.router.log(request.conversation);
    this.#socket = new EventSocket(outgoing, limits.writeTimeoutMs, () => this.#leave("gone"));
    const { hideThinking, showPlans, showTools, showToolDetails } = request.bot.defaults;
    this.#presentation = new Presentation({
      socket: this.#socket,
      renderer,
      limits,
      now,
      show: {
        thoughts: !hideThinking,
        plan: showPlans,
        tools: showTools,
        toolDetails: showToolDetails,
      },
      note: () => this.#note ?? this.#place(),
    });
  }

  get key(): string {
    return this.#request.message.key;
  }

  get user(): string {
    return this.#request.message.user;
  }

  get isAbandoned(): boolean {
    return this.#left === "gone";
  }

  supersede(): void {
    this.#leave("superseded");
    this.#socket.cut();
  }

  /** Ends the turn of an abandoned response, as its requester wants. Resolves once that is done. */
  stop(): Promise<void> {
    this.#leave("stopped");
    return this.#done.promise;
  }

  /** Ends the response visibly. */
  seal(): void {
    this.#leave("sealed");
  }

  /** Resolves once nothing is left to do; never rejects. */
  async run(): Promise<void> {
    const { line } = this.#host;
    line.enter(this);
    try {
      await this.#presentation.begin();
      await this.#respond();
    } catch (error) {
      await this.#fail(error);
    } finally {
      line.leave(this);
      this.#done.resolve();
    }
  }

  async #respond(): Promise<void> {
    const { line } = this.#host;
    const deciding = this.#decide();
    const decided = await this.#during(deciding);
    // What was begun is carried through, whoever left meanwhile: the platform may ask again.
    const plan = decided === LEFT ? await deciding : decided;
    this.#note = undefined;
    if (plan.kind === "say") return this.#say(plan);
    this.#plan = plan;
    if (plan.until === undefined && !line.isFirst(this)) {
      return this.#say({ kind: "say", text: plan.lead ?? words.shownAbove });
    }
    if ((await this.#during(line.first(this))) !== LEFT) await this.#read(plan);
    if (this.#left) await this.#settle(this.#left, plan);
  }

  /** Finds out what the message means, and posts it. */
  async #decide(): Promise<Plan> {
    const { router, line, now } = this.#host;
    const { message, query, request, bot } = this.#request;
    const others = line
      .of(this.conversation)
      .filter((other) => other !== this && (other.key === "" || other.key !== this.key));
    const abandoned = others.filter(
      ({ isAbandoned, user }) => isAbandoned && user === message.user,
    );
    const { state } = await readDelivered(this.#log);
    const intake = decideIntake(message, {
      running: router.running(this.conversation),
      state,
      isShown: others.some(({ isAbandoned }) => !isAbandoned),
    });
    if (intake.kind === "continue" || intake.kind === "answer") {
      for (const other of abandoned) other.supersede();
    } else if (intake.kind !== "say" && abandoned.length > 0) {
      this.#note = words.stopping;
      await Promise.all(abandoned.map((other) => other.stop()));
    }
    try {
      return await carryOut(intake, {
        router,
        conversation: this.conversation,
        message,
        query,
        options: bot.defaults,
        request,
        delivered: await readDelivered(this.#log),
        at: now(),
      });
    } catch (error) {
      const refusal = error instanceof RouterError ? refusals[error.code] : undefined;
      if (!refusal) throw error;
      return refusal;
    }
  }

  /** Shows what is to be shown, until the end of it or a reason to leave. */
  async #read(plan: ReadPlan): Promise<void> {
    const { router, now, starts } = this.#host;
    const delivered = await readDelivered(this.#log);
    this.#state = delivered.state;
    const name = JSON.stringify([this.conversation, this.key]);
    const isAgain = plan.isRepeat && this.key !== "";
    const othersAfter = (isAgain ? starts.get(name) : undefined) ?? delivered.seq;
    if (this.key !== "") starts.set(name, othersAfter);
    const backlog = await this.#log.last();
    const { own, after, until } = plan;
    const view = this.#presentation;
    view.read(createReader({ own, after, othersAfter, backlog }));
    if (plan.lead !== undefined) view.lead(plan.lead);
    await using place = new Place(this.#log, view.reader.seq, until);
    let isFresh = true;
    for (;;) {
      const isDrained = view.reader.seq >= backlog;
      if (isDrained && isFresh) {
        isFresh = false;
        const running = router.running(this.conversation);
        const asks = running?.asks.filter(
          ({ id }) => delivered.state.questions.includes(id) && id !== plan.answered,
        );
        if (running && asks?.length) {
          await view.flush();
          view.read(repeatQuestions(view.reader, running.turn, asks, now()));
        }
      }
      if (view.isFull) return this.#park(plan, words.moreToCome);
      if (openAsks(view.reader).length > 0 && view.reader.seq >= (await this.#log.last())) {
        const isOwn = plan.until === undefined || hasBegun(view.reader, plan.until);
        return this.#park(plan, isOwn ? undefined : words.waitsForAnswer);
      }
      if (isDrained && until === undefined) return this.#finish(plan);
      const events = await this.#during(place.next());
      if (events === LEFT) return;
      if (events === undefined) return this.#finish(plan);
      if (place.hasLost) view.lead(words.lostEvents);
      view.fold(events);
      if (view.nextAt <= now()) await view.tick();
    }
  }

  /** Waits for `work`, sending meanwhile what is due; gives up on it when there is a reason to leave. */
  async #during<T>(work: Promise<T>): Promise<T | typeof LEFT> {
    const { now, limits } = this.#host;
    const parkAt = this.#plan ? this.#startedAt + limits.parkAfterMs : Infinity;
    const settled: { result?: () => T } = {};
    const settle = (result: () => T) => {
      settled.result = result;
      this.#wakeup.wake();
    };
    work.then(
      (value) => settle(() => value),
      (error: unknown) =>
        settle(() => {
          throw error;
        }),
    );
    for (;;) {
      if (parkAt <= now()) this.#leave("parked");
      if (this.#left) return LEFT;
      if (settled.result) return settled.result();
      const wakeAt = Math.min(this.#presentation.nextAt, parkAt);
      if (wakeAt <= now()) await this.#presentation.tick();
      else await this.#wakeup.wait(wakeAt - now());
    }
  }

  /** What the tail says while others read first. */
  #place(): string | undefined {
    const { line, now } = this.#host;
    const ahead = this.#plan && line.ahead(this);
    if (!ahead || ahead.key === this.key) return undefined;
    return words.queued(ahead.label, now() - this.#startedAt);
  }

  async #say({ text, error }: Extract<Plan, { kind: "say" }>): Promise<void> {
    if (this.#left === "sealed") return void (await this.#seal());
    if (this.#left) return;
    if (error) await this.#presentation.fail(text, error);
    else await this.#presentation.finish(text);
  }

  async #finish(plan: ReadPlan): Promise<void> {
    const view = this.#presentation;
    await view.flush();
    if (view.isFull) return this.#park(plan, words.moreToCome);
    if (await view.finish(view.hasOutput ? undefined : plan.ifEmpty)) {
      await this.#confirm(plan, this.key === "" ? [] : [this.key]);
    }
  }

  /** Ends the response before its turn. */
  async #park(plan: ReadPlan, line: string | undefined): Promise<void> {
    const { reader } = this.#presentation;
    if (!(await this.#presentation.finish(line))) return;
    // Until its own turn began, the message has had no part of its own that could be asked for anew.
    const isDelivered = plan.until === undefined || hasBegun(reader, plan.until);
    await this.#confirm(plan, isDelivered && this.key !== "" ? [this.key] : []);
  }

  async #confirm(plan: ReadPlan, keys: readonly string[]): Promise<void> {
    const { written } = this.#presentation;
    if (!written) return;
    const { until, answered } = plan;
    const isOpen = until !== undefined && viewOf(written, until)?.outcome === undefined;
    const answers = this.#state?.answers ?? [];
    const state: DeliveryState = {
      questions: openAsks(written).map(({ id }) => id),
      ...(isOpen && { until }),
      answers:
        answered === undefined || this.key === ""
          ? answers
          : [...answers, { key: this.key, permission: answered }],
    };
    await writeDelivered(this.#log, written.seq, state, keys);
  }

  /** What follows from leaving. */
  async #settle(reason: Departure, plan: ReadPlan): Promise<void> {
    switch (reason) {
      case "superseded":
        return;
      case "parked":
        return this.#park(plan, words.stillWorking);
      case "sealed":
        await this.#seal();
        return this.#confirm(plan, []);
      case "stopped":
        return this.#stopTurns(plan);
      case "gone":
        await this.#confirm(plan, []);
        return this.#wait(plan);
    }
  }

  async #seal(): Promise<void> {
    await this.#presentation.flush();
    await this.#presentation.fail(words.restarting, { allow_retry: true });
  }

  /** Gives a client that is gone the time to come back; then it was Stop. */
  async #wait(plan: ReadPlan): Promise<void> {
    const { limits, now } = this.#host;
    const ageMs = now() - this.#startedAt;
    const { hasOutput } = this.#presentation;
    const conversation = hashId(this.conversation);
    this.#host.log.debug({ conversation, hasOutput, ageMs }, "a client is gone");
    const isPlatforms = Math.abs(limits.platformLimitMs - ageMs) <= limits.platformLimitMarginMs;
    if (plan.until === undefined || (isPlatforms && this.#left === "gone")) return;
    const ms = hasOutput ? limits.graceAfterOutputMs : limits.graceBeforeOutputMs;
    const after = Math.max(this.#presentation.reader.seq, plan.after);
    await using place = new Place(this.#log, after, plan.until);
    const timer = setTimeout(() => this.#leave("stopped"), ms);
    try {
      await Promise.race([place.ended(), this.#recalled.promise]);
    } finally {
      clearTimeout(timer);
    }
    if (this.#left === "stopped") await this.#stopTurns(plan);
  }

  /** Stopped by its requester: what the turns still said is not wanted, and counts as delivered. */
  async #stopTurns({ until }: ReadPlan): Promise<void> {
    const { router } = this.#host;
    const { reader } = this.#presentation;
    const shown = currentView(reader)?.turn;
    const turns = new Set([until, shown].filter((turn) => turn !== undefined));
    for (const turn of turns) {
      await router.cancelTurn(this.conversation, turn, "user", this.user);
    }
    if (!this.#state) return;
    const { answers } = this.#state;
    const ends = await Promise.all([...turns].map((turn) => this.#log.turnEnd(turn)));
    const end = Math.max(reader.seq, ...ends.map((seq) => seq ?? 0));
    await writeDelivered(this.#log, end, { questions: [], answers }, []);
  }

  async #fail(error: unknown): Promise<void> {
    const reference = randomUUID().slice(0, 4).toUpperCase();
    const conversation = hashId(this.conversation);
    this.#host.log.error({ err: error, ref: reference, conversation }, "a response failed");
    // What was posted goes on: the same request again shows it.
    await this.#presentation.fail(words.failed(reference), { allow_retry: true });
  }

  #leave(reason: Departure): void {
    const left = strongerDeparture(this.#left, reason);
    if (left === this.#left) return;
    if (this.#left === "gone") this.#recalled.resolve();
    this.#left = left;
    this.#wakeup.wake();
  }
}
