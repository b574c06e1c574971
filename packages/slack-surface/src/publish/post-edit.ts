import type { Priority } from "../budget/budget.ts";
import type { CallQueue } from "../budget/call-queue.ts";
import type { QueuedResult } from "../budget/call-result.ts";
import type { Clock } from "../budget/clock.ts";
import { Pause } from "../delivery/pause.ts";
import { classifyRefusal, type Refusal } from "./classify-refusal.ts";
import { MIN_PIECE_CODE_POINTS } from "./cut-markdown.ts";
import { defuse } from "./defuse.ts";
import { type FindEmphasis, noEmphasis } from "./emphasis.ts";
import { findMarked, markWith } from "./find-marked.ts";
import { freeze, planPublication, reducePublished } from "./plan-publication.ts";
import {
  MARKDOWN_FORM,
  type MessageForm,
  nothingPublished,
  PLAIN_FORM,
  type Publication,
  type PublishedState,
  type PublishStep,
  type RenderMrkdwn,
} from "./publication.ts";
import { renderPart } from "./render-part.ts";

export type PostEditOptions = {
  readonly queue: CallQueue;
  readonly clock: Clock;
  /** Of this app's bot: its messages are told by it. */
  readonly botId: string;
  readonly channel: string;
  /** Absent: in the channel itself. */
  readonly thread: string | undefined;
  /** Names this publication in its messages' metadata, and no other. */
  readonly marker: string;
  /** What an earlier process has published of it. */
  readonly state?: PublishedState;
  /** Called before each post, and after each confirmed step. When it throws, no further step is taken for now. */
  readonly onState?: (state: PublishedState) => void;
  /** Told why nothing of what was written is shown any more, unless more is written: as in {@link PublishOutcome}. */
  readonly onGiveUp?: (error: string) => void;
  /** Shortest time between two edits that are not the last, in milliseconds. [1,200] */
  readonly editEveryMs?: number;
  /** The turn that a button below the tail is to stop; nothing where there is none. Asked for each message. */
  readonly stops?: () => string | undefined;
  /** For messages that take no `markdown` block. */
  readonly mrkdwn?: RenderMrkdwn;
  /** Without it, a message may end or begin in the middle of emphasis. */
  readonly findEmphasis?: FindEmphasis;
};

/** How it ended. */
export type PublishOutcome =
  | { readonly kind: "published" }
  /** Not all of it is seen: the platform's word for why, `no_answer`, or `closed`. */
  | { readonly kind: "undeliverable"; readonly error: string };

/** After so many messages that took no edit, edits are not to be had there: only what is whole is posted. */
const MAX_FROZEN = 2;

/** After a call of which nothing is known, the next comes so much later, in milliseconds; after the last, none. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];

/**
 * Shows a turn as messages that are posted, edited while they grow, and continued in new ones. The only writer of them:
 * one call at a time, each from what the one before is known to have done.
 */
export class PostEditPublisher implements Disposable {
  readonly #options: PostEditOptions;
  #state: PublishedState;
  #form: MessageForm = MARKDOWN_FORM;
  #wanted: Publication = { text: "" };
  #isFinal = false;
  #isClosed = false;
  #lastStepAt = Number.NEGATIVE_INFINITY;
  #running: Promise<string | undefined> | undefined;
  /** Calls in a row of which nothing is known. */
  #failures = 0;
  /** Messages in a row that took no edit. */
  #frozen = 0;
  #pause: Pause | undefined;

  constructor(options: PostEditOptions) {
    this.#options = options;
    this.#state = options.state ?? nothingPublished;
  }

  get state(): PublishedState {
    return this.#state;
  }

  /** Shows this soon, unless more comes before. */
  write(publication: Publication): void {
    if (this.#isFinal) return;
    this.#wanted = { ...publication, text: defuse(publication.text) };
    // Of what is on its way already, the first that wrote is told.
    if (this.#running !== undefined) return;
    this.#start()
      .then((error) => {
        if (error !== undefined && !this.#isFinal) this.#options.onGiveUp?.(error);
      })
      // Whoever could not keep a state has thrown that, and knows.
      .catch(() => undefined);
  }

  /** Takes away what may vanish, as soon as may be; what is written from now on is not shown. */
  rest(): void {
    if (this.#isFinal) return;
    this.#isFinal = true;
    const { open } = this.#state;
    this.#wanted = { text: this.#wanted.text.slice(0, open?.to ?? this.#wanted.text.length) };
    this.#options.queue.drop(this.#options.marker);
    this.#pause?.wake();
    this.#start().catch(() => undefined);
  }

  /** Shows this, all of it, and nothing after. */
  async finish(text: string): Promise<PublishOutcome> {
    this.#isFinal = true;
    this.#wanted = { text: defuse(text) };
    // A step towards something older is not worth its wait.
    this.#options.queue.drop(this.#options.marker);
    this.#pause?.wake();
    for (;;) {
      const error = await this.#start();
      if (error !== undefined) return { kind: "undeliverable", error };
      if (this.#plan().step === undefined) return { kind: "published" };
    }
  }

  /** Takes no further step. What is on its way is not known to have arrived. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#options.queue.drop(this.#options.marker);
    this.#pause?.wake();
  }

  #start(): Promise<string | undefined> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Takes steps until there is none to take. Gives why it gave up, if it did. */
  async #run(): Promise<string | undefined> {
    for (;;) {
      const { posting } = this.#state;
      if (posting !== undefined) {
        const error = await this.#look(posting);
        if (error !== undefined) return error;
      }
      await this.#pace();
      if (this.#isClosed) return "closed";
      if (this.#frozen >= MAX_FROZEN && !this.#isFinal) return undefined;
      const { state, step } = this.#plan();
      if (state !== this.#state) this.#keep(state);
      if (step === undefined) return undefined;
      const error = await this.#take(step);
      if (error !== undefined) return error;
    }
  }

  #plan() {
    const { findEmphasis = noEmphasis } = this.#options;
    return planPublication(this.#state, this.#wanted, this.#form.maxCodePoints, findEmphasis);
  }

  /** Waits until a step may follow the last one; towards the end it need not. */
  async #pace(): Promise<void> {
    const { clock, editEveryMs = 1_200 } = this.#options;
    const ms = this.#lastStepAt + editEveryMs - clock.now();
    if (ms > 0 && !this.#isFinal) await this.#sleep(ms);
  }

  /** Ends early when the text is final, or no step is to be taken any more. */
  async #sleep(ms: number): Promise<void> {
    if (this.#isClosed) return;
    this.#pause = new Pause(this.#options.clock);
    await this.#pause.wait(ms);
  }

  async #take(step: PublishStep): Promise<string | undefined> {
    if (step.kind === "post") this.#keep({ ...this.#state, posting: step.from });
    const result = await this.#call(step);
    if (this.#isClosed) return "closed";
    switch (result.kind) {
      case "ok":
        this.#done(step, String(result.body["ts"]));
        return undefined;
      case "refused":
        this.#noLongerPosting();
        return this.#answerRefusal(result.error, step);
      case "unknown":
        return await this.#retry();
      case "superseded":
        this.#noLongerPosting();
        return undefined;
      case "late":
        return "closed";
    }
  }

  #done(step: PublishStep, ts: string): void {
    this.#failures = 0;
    if (step.kind === "edit") this.#frozen = 0;
    this.#lastStepAt = this.#options.clock.now();
    this.#keep(reducePublished(this.#state, step, ts));
  }

  async #call(step: PublishStep): Promise<QueuedResult> {
    const { queue, channel, thread, marker, stops, mrkdwn } = this.#options;
    const isNews = step.kind !== "edit" || step.to > (this.#state.open?.to ?? 0);
    const priority: Priority = this.#isFinal ? "final" : isNews ? "text" : "status";
    const request = { channel, priority, key: marker };
    if (step.kind === "delete") {
      const args = () => ({ channel, ts: step.ts });
      return await queue.run({ ...request, method: "chat.delete", args });
    }
    const body = renderPart(step.body, step.tail, this.#form, { stops: stops?.(), mrkdwn });
    if (step.kind === "edit") {
      const args = () => ({ channel, ts: step.ts, ...body });
      return await queue.run({ ...request, method: "chat.update", args });
    }
    const metadata = markWith(this.#idOf(step.from));
    const looks = { unfurl_links: false, unfurl_media: false };
    const place = { channel, ...(thread !== undefined && { thread_ts: thread }) };
    const args = () => ({ ...place, metadata, ...looks, ...body });
    return await queue.run({ ...request, method: "chat.postMessage", args });
  }

  #answerRefusal(error: string, step: PublishStep): string | undefined {
    switch (meaningOf(error, step)) {
      case "frozen":
        if (step.kind === "post") return error;
        if (step.kind === "edit") this.#frozen += 1;
        // Deleted by somebody else, it is as gone as it should be.
        this.#keep(
          step.kind === "delete" && error === "message_not_found"
            ? { ...this.#state, open: undefined }
            : freeze(this.#state),
        );
        return undefined;
      case "too-long": {
        const maxCodePoints = Math.floor(this.#form.maxCodePoints / 2);
        if (maxCodePoints < MIN_PIECE_CODE_POINTS) return error;
        this.#form = { ...this.#form, maxCodePoints };
        return undefined;
      }
      case "form":
        if (this.#form.kind === "plain") return error;
        this.#form = PLAIN_FORM;
        return undefined;
      case "place":
        return error;
    }
  }

  /** Looks for a post of which nothing is known, so that nobody reads it twice. */
  async #look(from: number): Promise<string | undefined> {
    const { queue, channel, thread, botId } = this.#options;
    for (;;) {
      const found = await findMarked(queue, { channel, thread, id: this.#idOf(from), botId });
      if (this.#isClosed) return "closed";
      if (found.kind === "absent") {
        this.#noLongerPosting();
        return undefined;
      }
      if (found.kind === "found") {
        // What it shows is not known: it has to be edited or, where it cannot be, to go.
        this.#done({ kind: "post", from, to: from, body: "", tail: "…" }, found.ts);
        return undefined;
      }
      const error = await this.#retry();
      if (error !== undefined) return error;
    }
  }

  async #retry(): Promise<string | undefined> {
    const ms = RETRY_AFTER_MS[this.#failures];
    if (ms === undefined) return "no_answer";
    this.#failures += 1;
    await this.#sleep(ms);
    return this.#isClosed ? "closed" : undefined;
  }

  #noLongerPosting(): void {
    const { sealed, open } = this.#state;
    if (this.#state.posting !== undefined) this.#keep({ sealed, open });
  }

  #idOf(from: number): string {
    return `${this.#options.marker}.${from}`;
  }

  #keep(state: PublishedState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}

/** Of a word that nobody knows only this is sure: said the same way again, it would be refused again. */
function meaningOf(error: string, { kind }: PublishStep): Exclude<Refusal, "unknown"> {
  const refusal = classifyRefusal(error);
  if (refusal !== "unknown") return refusal;
  return kind === "post" ? "form" : "frozen";
}
