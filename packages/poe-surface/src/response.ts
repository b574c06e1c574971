import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { hashId } from "@acp-kit/relay";
import type { ConversationLog } from "@acp-kit/router";
import { decide } from "./decide.ts";
import { Delivery, type Self } from "./delivery.ts";
import type { ReaderMark } from "./delivery-state.ts";
import { type Departure, strongerDeparture } from "./departure.ts";
import { displayOf } from "./display.ts";
import { foreignReaderLeft } from "./elsewhere.ts";
import { EventSocket } from "./event-socket.ts";
import { FileGate } from "./file-gate.ts";
import { isSameMessage } from "./line.ts";
import { Place } from "./place.ts";
import type { Plan, ReadPlan } from "./plan.ts";
import { Presentation } from "./presentation.ts";
import {
  createReader,
  currentView,
  hasBegun,
  openAsks,
  questionsOf,
  repeatQuestions,
  viewOf,
} from "./reader.ts";
import { ResponseEntry } from "./response-entry.ts";
import type { OpenResponse, ResponseHost, ResponseRequest } from "./response-host.ts";
import { Wakeup } from "./wakeup.ts";
import { formatLabel, words } from "./words.ts";

const LEFT = Symbol("left");

/** How often it is looked whether another process has taken over, in milliseconds. */
const LOOK_MS = 1_000;

/** One response of the platform: one loop that owns its socket, from the request to the last byte and what follows. */
export class PoeResponse implements OpenResponse {
  readonly conversation: string;
  readonly label: string;
  readonly #host: ResponseHost;
  readonly #request: ResponseRequest;
  readonly #socket: EventSocket;
  readonly #presentation: Presentation;
  readonly #log: ConversationLog;
  readonly #self: Self;
  readonly #delivery: Delivery;
  readonly #entry: ResponseEntry;
  readonly #wakeup = new Wakeup();
  /** Settled when a reason to leave takes the place of the client being gone. */
  readonly #recalled = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<void>();
  readonly #startedAt: number;
  #left: Departure | undefined;
  #note: string | undefined;
  #plan: ReadPlan | undefined;
  /** The response of another process that reads before this one, and the one whose place this one takes. */
  #foreign: ReaderMark | undefined;
  #replaced: string | undefined;
  #hasRead = false;
  /** When to look next whether another process has taken over; never before others know of this one. */
  #lookAt = Number.POSITIVE_INFINITY;

  constructor(outgoing: ServerResponse, request: ResponseRequest, host: ResponseHost) {
    const { renderer, limits, now } = host;
    this.conversation = request.conversation;
    this.label = formatLabel(request.message.text);
    this.#host = host;
    this.#request = request;
    this.#startedAt = now();
    this.#entry = new ResponseEntry(host.journal, request);
    this.#log = host.router.log(request.conversation);
    const { key, user, label } = this;
    this.#self = { id: randomUUID(), surface: host.surface, key, user, label };
    this.#delivery = new Delivery(this.#log, this.#self);
    this.#socket = new EventSocket(outgoing, limits.writeTimeoutMs, () => this.#leave("gone"));
    this.#presentation = new Presentation({
      socket: this.#socket,
      renderer,
      limits,
      now,
      show: displayOf(request.options),
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

  stop(): Promise<void> {
    this.#leave("stopped");
    return this.#done.promise;
  }

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
      this.#tellCost();
    }
  }

  #tellCost(): void {
    const { log, now } = this.#host;
    const about = { conversation: hashId(this.conversation), ended: this.#left ?? "done" };
    const ms = now() - this.#startedAt;
    log.info({ ...about, ...this.#socket.statistics, ms }, "a response has ended");
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
    const isFirst = line.isFirst(this) && !this.#foreign;
    if (plan.until === undefined && !isFirst) {
      return this.#say({ kind: "say", text: plan.lead ?? words.shownAbove });
    }
    if (!isFirst) {
      await this.#delivery.announce();
      this.#lookAt = this.#host.now();
    }
    if (await this.#comesFirst()) await this.#read(plan);
    if (this.#left) await this.#settle(this.#left, plan);
  }

  /** Waits for those that read before this one; false when there is a reason to leave. */
  async #comesFirst(): Promise<boolean> {
    if ((await this.#during(this.#host.line.first(this))) === LEFT) return false;
    const stop = new AbortController();
    try {
      const left = foreignReaderLeft(this.#surroundings, this.#replaced, stop.signal);
      return (await this.#during(left)) !== LEFT;
    } finally {
      stop.abort();
      this.#foreign = undefined;
    }
  }

  get #surroundings() {
    const { router } = this.#host;
    return { log: this.#log, router, conversation: this.conversation, self: this.#self };
  }

  async #decide(): Promise<Plan> {
    const { line, now } = this.#host;
    const { bot, message, command, query, request, options } = this.#request;
    const { plan, verdict, foreign, replaced } = await decide({
      around: this.#surroundings,
      message,
      command,
      query,
      options,
      defaults: bot.defaults,
      request,
      at: now(),
      others: line
        .of(this.conversation)
        .filter((other) => other !== this && !isSameMessage(other, this)),
      onStopping: () => {
        this.#note = words.stopping;
      },
    });
    this.#foreign = foreign;
    this.#replaced = replaced;
    this.#entry.note(verdict);
    return plan;
  }

  /** Shows what is to be shown, until the end of it or a reason to leave. */
  async #read(plan: ReadPlan): Promise<void> {
    const { router, now } = this.#host;
    const { own, after, until } = plan;
    const delivered = await this.#delivery.read();
    const before = delivered.state.messages.find(({ key }) => key === this.key);
    const othersAfter = (plan.isRepeat ? before?.start : undefined) ?? delivered.seq;
    await this.#delivery.begin(othersAfter, until);
    this.#hasRead = true;
    this.#lookAt = now() + LOOK_MS;
    const backlog = await this.#log.last();
    const view = this.#presentation;
    const { carry } = delivered.state;
    const carried = carry && { ...carry, seq: delivered.seq };
    view.read(createReader({ own, after, othersAfter, backlog, ...(carried && { carried }) }));
    if (plan.lead !== undefined) view.lead(plan.lead);
    await using place = new Place(this.#log, view.reader.seq, until);
    const files = new FileGate(view, (file) =>
      this.#during(this.#host.uploads.upload(this.#request.bot, this.conversation, file)),
    );
    let isFresh = true;
    for (;;) {
      const isDrained = view.reader.seq >= backlog;
      if (isDrained && isFresh) {
        isFresh = false;
        const [running] = await router.openTurns(this.conversation);
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
      if (place.takeLost()) view.lead(words.lostEvents);
      if (!(await (events ? files.show(events) : files.end()))) return;
      if (events === undefined) return this.#finish(plan);
      if (view.nextAt <= now()) await view.tick();
    }
  }

  /** Waits for `work`, sending meanwhile what is due; gives up on it when there is a reason to leave. */
  async #during<T>(work: Promise<T>): Promise<T | typeof LEFT> {
    const { now, limits } = this.#host;
    const parkAt = this.#plan ? this.#startedAt + limits.parkAfterMs : Infinity;
    const settled = this.#wakeup.watch(work);
    for (;;) {
      if (parkAt <= now()) this.#leave("parked");
      if (this.#left) return LEFT;
      if (settled.result) return settled.result();
      const wakeAt = Math.min(this.#presentation.nextAt, parkAt, this.#lookAt);
      if (this.#lookAt <= now()) await this.#look();
      else if (wakeAt <= now()) await this.#presentation.tick();
      else await this.#wakeup.wait(wakeAt - now());
    }
  }

  /** Leaves without another word when another process has a newer response. */
  async #look(): Promise<void> {
    this.#lookAt = this.#host.now() + LOOK_MS;
    if (await this.#delivery.isSuperseded()) this.supersede();
  }

  /** What the tail says while others read first. */
  #place(): string | undefined {
    const { line, now } = this.#host;
    const ahead = this.#plan && (line.ahead(this) ?? this.#foreign);
    if (!ahead || ahead.key === this.key) return undefined;
    return words.queued(ahead.label, now() - this.#startedAt);
  }

  async #say({ text, isReply, error }: Extract<Plan, { kind: "say" }>): Promise<void> {
    if (this.#left === "sealed") return void (await this.#seal());
    if (this.#left) return;
    if (error) await this.#presentation.fail(text, error);
    else await this.#presentation.finish(text, isReply ? "command" : "notice");
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

  async #confirm(
    plan: ReadPlan,
    delivered: readonly string[],
    phase: "gone" | "over" = "over",
  ): Promise<void> {
    if (!this.#hasRead) return;
    const { written, carry } = this.#presentation;
    const { until, answered } = plan;
    const isOpen = until !== undefined && (!written || !viewOf(written, until)?.outcome);
    await this.#delivery.confirm({
      seq: written?.seq ?? 0,
      phase,
      questions: written ? questionsOf(written) : [],
      ...(isOpen && { until }),
      ...(written && carry && { carry }),
      answered: written && answered,
      delivered,
    });
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
        await this.#confirm(plan, [], "gone");
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
    if (this.#left !== "stopped") return;
    if (await this.#delivery.isSuperseded()) {
      this.#host.log.debug({ conversation }, "the client has come back to another process");
    } else {
      await this.#stopTurns(plan);
    }
  }

  /** Stopped by its requester: what the turns still said is not wanted, and counts as delivered. */
  async #stopTurns({ until }: ReadPlan): Promise<void> {
    const { router } = this.#host;
    const { reader } = this.#presentation;
    const shown = currentView(reader)?.turn;
    const turns = new Set([until, shown].filter((turn) => turn !== undefined));
    for (const turn of turns) {
      // Whoever only watched has not stopped anything by leaving.
      await router.cancelTurn(this.conversation, turn, "user", this.user, "implied");
    }
    if (!this.#hasRead) return;
    const ends = await Promise.all([...turns].map((turn) => this.#log.turnEnd(turn)));
    const end = Math.max(reader.seq, ...ends.map((seq) => seq ?? 0));
    await this.#delivery.confirm({ seq: end, phase: "over", questions: [], delivered: [] });
  }

  async #fail(error: unknown): Promise<void> {
    // What was posted goes on: the same request again shows it.
    await this.#presentation.fail(words.failed(this.#entry.fail(error)), { allow_retry: true });
  }

  #leave(reason: Departure): void {
    const left = strongerDeparture(this.#left, reason);
    if (left === this.#left) return;
    if (this.#left === "gone") this.#recalled.resolve();
    this.#left = left;
    this.#wakeup.wake();
  }
}
