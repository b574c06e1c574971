import type { ErrorEvent, FileEvent } from "@acp-kit/poe-protocol";
import { idlePacer, nextFlush, type PacerState, reducePacer } from "@acp-kit/relay";
import {
  type Display,
  type LogEvent,
  type MarkupRenderer,
  reduceTurnView,
  type TurnView,
} from "@acp-kit/router";
import { type Composed, composeBody, findAdded, lengthOf, NOTHING_COMPOSED } from "./compose.ts";
import type { EventSocket } from "./event-socket.ts";
import type { ResponseLimits } from "./limits.ts";
import { nextTail, stalledFor } from "./liveness.ts";
import { type Carried, createReader, currentView, type Reader, reduceReader } from "./reader.ts";
import { EMPTY_SCREEN, type Frame, reduceScreen, type Screen, type ScreenStep } from "./screen.ts";
import { words } from "./words.ts";

export type PresentationOptions = {
  readonly socket: EventSocket;
  readonly renderer: MarkupRenderer<string>;
  readonly show: Display;
  readonly limits: ResponseLimits;
  readonly now: () => number;
  /** What the tail says instead of the turn's own state, while there is such a thing. */
  readonly note: () => string | undefined;
};

/** What one response shows: folds events in, and says when what of it is to go out. */
export class Presentation {
  readonly #options: PresentationOptions;
  #screen: Screen = EMPTY_SCREEN;
  #pacer: PacerState = idlePacer;
  /** What the surface says first. */
  readonly #leads: string[] = [];
  /** With every event that was folded in, and as it was at the last flush. */
  #reader: Reader = createReader({ own: [], after: 0, othersAfter: 0, backlog: 0 });
  #flushed: Reader = this.#reader;
  /** What stands in the screen's body. */
  #composed: Composed = NOTHING_COMPOSED;
  /** Events between the two. */
  #events: LogEvent[] = [];
  #flushAt = Infinity;
  #contentAt: number;
  #triedAt: number;
  #sentAt: number;
  #plan: TurnView["plan"] = [];
  #written: Reader | undefined;
  #carry: Carried | undefined;
  #hasOutput = false;
  #isFull = false;

  constructor(options: PresentationOptions) {
    this.#options = options;
    const now = options.now();
    this.#contentAt = now;
    this.#triedAt = now;
    this.#sentAt = now;
  }

  get reader(): Reader {
    return this.#reader;
  }

  /** As far as everything went out; absent while that is nothing. */
  get written(): Reader | undefined {
    return this.#written;
  }

  /** What was left open there. */
  get carry(): Carried | undefined {
    return this.#carry;
  }

  /** Something of the answer went out, beyond the spinner. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** The platform takes no more: what is left is for the next response. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** When `tick` has something to do, in milliseconds since the epoch. */
  get nextAt(): number {
    const { limits } = this.#options;
    return Math.min(this.#flushAt, this.#nextTailAt, this.#sentAt + limits.keepAliveMs);
  }

  /** The first frame: a spinner. */
  async begin(): Promise<void> {
    await this.#showTail();
  }

  /** What the surface itself says before anything else. */
  lead(text: string): void {
    this.#leads.push(this.#say(text));
    this.#flushAt = this.#options.now();
  }

  /** Shows this from now on. */
  read(reader: Reader): void {
    this.#reader = reader;
    this.#flushed = reader;
    this.#events = [];
    this.#flushAt = this.#options.now();
  }

  /** Adds events. Those that were there when the reading began go out together. */
  fold(events: readonly LogEvent[]): void {
    const now = this.#options.now();
    const wasBehind = this.#isBehind;
    for (const event of events) {
      this.#events.push(event);
      this.#reader = reduceReader(this.#reader, event);
      this.#pace(event, now);
    }
    if (this.#isBehind) this.#flushAt = Infinity;
    else if (wasBehind) this.#flushAt = now;
  }

  /** Sends what is due. */
  async tick(): Promise<void> {
    const now = this.#options.now();
    if (this.#flushAt <= now) await this.flush();
    else if (this.#nextTailAt <= now) await this.#showTail();
    else if (this.#sentAt + this.#options.limits.keepAliveMs <= now) {
      this.#sentAt = now;
      await this.#options.socket.keepAlive();
    }
  }

  /** Sends all that there is to show, as far as the platform takes it. */
  async flush(): Promise<void> {
    this.#flushAt = Infinity;
    this.#pacer = reducePacer(this.#pacer, { kind: "flushed" });
    let composed = this.#compose(this.#reader);
    if (!this.#fits(composed)) {
      this.#reader = this.#cut();
      composed = this.#compose(this.#reader);
      this.#isFull = true;
    }
    const isEmpty = composed.pieces.length === 0;
    const isWhole = this.#flushed.seq < this.#reader.backlog && !isEmpty;
    const added = isWhole ? undefined : findAdded(composed.pieces, this.#composed.pieces);
    const reader = this.#reader;
    this.#flushed = reader;
    this.#composed = composed;
    this.#events = [];
    const step: ScreenStep =
      added === undefined
        ? { kind: "replace", body: composed.pieces.join("") }
        : { kind: "grow", added };
    if (await this.#apply(step)) {
      this.#written = reader;
      this.#carry = composed.carry;
      if (!isEmpty) this.#hasOutput = true;
    }
  }

  /** Shows a file in the place of its event, behind everything before it. */
  async showFile(event: LogEvent, file: FileEvent["data"]): Promise<void> {
    await this.flush();
    if (this.#isFull) return;
    const isTaken = await this.#apply({ kind: "file", file });
    this.fold([event]);
    if (!isTaken) return;
    this.#written = this.#reader;
    this.#hasOutput = true;
  }

  /** From here on everything is for the next response. */
  fill(): void {
    this.#isFull = true;
  }

  /** The last of it, `done` and the end of the connection. True once the system has taken all of it. */
  async finish(line?: string, as: "notice" | "command" = "notice"): Promise<boolean> {
    await this.flush();
    const said = line === undefined ? "" : this.#options.renderer.say(as, line);
    return this.#end(said, { kind: "done" });
  }

  /** Says what went wrong, as text and as `error`, and ends. */
  async fail(text: string, error: Omit<ErrorEvent["data"], "text">): Promise<boolean> {
    const said = this.#options.renderer.say("error", text);
    return this.#end(said, { kind: "fail", error: { ...error, text } });
  }

  #end(line: string, step: ScreenStep): Promise<boolean> {
    const { limits, socket } = this.#options;
    const { close } = this.#composed;
    const gap = this.#screen.body !== "" && line !== "" ? "\n\n" : "";
    const last = reduceScreen(this.#screen, { kind: "grow", added: close + gap + line }, limits);
    const end = reduceScreen(last.screen, step, limits);
    this.#screen = end.screen;
    return socket.end([...last.frames, ...end.frames]);
  }

  get #isBehind(): boolean {
    return this.#reader.seq < this.#reader.backlog;
  }

  get #nextTailAt(): number {
    const activity = {
      contentAt: this.#contentAt,
      triedAt: this.#triedAt,
      planMoved: this.#options.show.plan && hasMoved(this.#plan, this.#currentPlan),
    };
    return nextTail(this.#screen, activity, this.#options.limits);
  }

  get #currentPlan(): TurnView["plan"] {
    return currentView(this.#reader)?.plan ?? [];
  }

  #pace(event: LogEvent, at: number): void {
    const text = visibleText(event, this.#options.show);
    if (text === undefined) return;
    if (text === "") {
      this.#flushAt = at;
      return;
    }
    this.#pacer = reducePacer(this.#pacer, { kind: "chunk", text, at });
    const due = nextFlush(this.#pacer, at, this.#options.limits.flushPeriodMs);
    this.#flushAt = Math.min(this.#flushAt, due ?? Infinity);
  }

  async #showTail(): Promise<void> {
    if (this.#events.length > 0) await this.flush();
    const at = this.#options.now();
    this.#triedAt = at;
    this.#plan = this.#currentPlan;
    const { close } = this.#composed;
    await this.#apply({ kind: "tail", text: this.#composeTail(at), close, at });
  }

  #composeTail(now: number): string {
    const note = this.#options.note();
    if (note !== undefined) return this.#say(note);
    const { renderer, show, limits } = this.#options;
    const view = currentView(this.#reader);
    const waiting = this.#reader.sections.find(({ view }) => view.queued)?.view;
    if (!view && waiting?.queued)
      return this.#say(words.queued(undefined, now - waiting.queued.since));
    const { tail = "" } = renderer.render(view ?? blankView(now), { show, now, memo: this });
    const silentMs = view && stalledFor(view, now, limits);
    const lines = silentMs === undefined ? [tail] : [this.#say(words.stalled(silentMs)), tail];
    return lines.filter((line) => line !== "").join("\n\n");
  }

  #compose(reader: Reader): Composed {
    const { renderer, show, now } = this.#options;
    return composeBody(reader, renderer, { show, now: now(), memo: this }, this.#leads);
  }

  #say(text: string): string {
    return this.#options.renderer.say("notice", text);
  }

  async #apply(step: ScreenStep): Promise<boolean> {
    const { screen, frames } = reduceScreen(this.#screen, step, this.#options.limits);
    this.#screen = screen;
    return frames.length === 0 ? true : this.#send(frames, step.kind !== "tail");
  }

  async #send(frames: readonly Frame[], isContent: boolean): Promise<boolean> {
    const taken = await this.#options.socket.send(frames);
    this.#sentAt = this.#options.now();
    if (isContent) this.#contentAt = this.#sentAt;
    return taken;
  }

  #fits({ pieces }: Composed): boolean {
    const { limits, socket } = this.#options;
    const added = findAdded(pieces, this.#composed.pieces)?.length ?? 0;
    return (
      socket.budget.events < limits.parkEvents &&
      socket.budget.textCharacters + added <= limits.parkTextCharacters &&
      lengthOf(pieces) <= limits.parkTextCharacters
    );
  }

  /** As much of the new events as still fits; if nothing was shown so far, the first that shows something all the same. */
  #cut(): Reader {
    const upTo = (count: number) =>
      this.#events.slice(0, count).reduce(reduceReader, this.#flushed);
    let fitting = 0;
    let tooMany = this.#events.length;
    while (tooMany - fitting > 1) {
      const middle = (fitting + tooMany) >> 1;
      if (this.#fits(this.#compose(upTo(middle)))) fitting = middle;
      else tooMany = middle;
    }
    const isNothing = !this.#hasOutput && this.#compose(upTo(fitting)).pieces.length === 0;
    return upTo(isNothing ? tooMany : fitting);
  }
}

function hasMoved(before: TurnView["plan"], now: TurnView["plan"]): boolean {
  return now !== before && now.length + before.length > 0;
}

/** Before anything is known of the turn. */
function blankView(at: number): TurnView {
  return reduceTurnView(undefined, { seq: 0, at, kind: "status", phase: "waiting" });
}

/** What an event adds to the answer, for pacing; empty when it should go out at once, absent when it is not seen. */
function visibleText(event: LogEvent, show: Display): string | undefined {
  switch (event.kind) {
    case "text":
      return event.text;
    case "thought":
      return show.thoughts ? event.text : undefined;
    case "tool-start":
      return show.tools ? `\n${event.title || event.toolKind}` : undefined;
    case "tool-update":
      return show.tools && show.toolDetails ? `\n${event.id}` : undefined;
    case "notice":
    case "file":
    case "content":
    case "permission-ask":
    case "permission-answer":
    case "turn-end":
      return "";
    default:
      return undefined;
  }
}
