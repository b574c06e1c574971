import type { QueuedResult } from "../budget/call-result.ts";
import { Pause } from "../delivery/pause.ts";
import { noCards, renderCards, type ShownCards } from "./cards.ts";
import { defuse } from "./defuse.ts";
import { noEmphasis } from "./emphasis.ts";
import { findEmptyStreams } from "./find-empty-streams.ts";
import { planStream, restsAt, STREAM_LIMITS, type StreamStep } from "./plan-stream.ts";
import { type PostEditOptions, PostEditPublisher, type PublishOutcome } from "./post-edit.ts";
import {
  nothingPublished,
  type OpenStream,
  type Publication,
  type PublishedState,
} from "./publication.ts";
import type { StreamSlots } from "./stream-slots.ts";

export type NativeStreamOptions = Omit<PostEditOptions, "thread"> & {
  readonly thread: string;
  readonly slots: StreamSlots;
  /** Who sees it live, and their own workspace. */
  readonly recipient: { readonly user: string; readonly team: string };
  /** Streams are not to be had here: the platform's word for why. */
  readonly onRefused?: (error: string) => void;
  /** One has ended without being stopped: what the platform says of the thread is not known. */
  readonly onLost?: () => void;
  /** Shortest time between two appends that are not the last, in milliseconds. [700] */
  readonly appendEveryMs?: number;
};

/** How it ended. `stopped`: its person pressed Stop, and nothing more is to be said. */
export type StreamOutcome = PublishOutcome | { readonly kind: "stopped" };

/** How often a call of which nothing is known is made again, and how much later, in milliseconds. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000, 8_000];

type End =
  | { readonly kind: "stopped" }
  | { readonly kind: "closed" }
  | { readonly kind: "post-edit" };

/**
 * Shows a turn as native streams, each ended before the platform does it, and continued in the next. Whenever a stream
 * cannot start, or it is not known what one shows, the rest is shown by a {@link PostEditPublisher}: a stream that is in
 * doubt is deleted and told again.
 */
export class NativeStreamPublisher implements Disposable {
  readonly #options: NativeStreamOptions;
  #state: PublishedState;
  #wanted: Publication = { text: "" };
  #isFinal = false;
  #isClosed = false;
  #lastCallAt = Number.NEGATIVE_INFINITY;
  #running: Promise<End | undefined> | undefined;
  #fallback: PostEditPublisher | undefined;
  #slot: Disposable | undefined;
  #rest: Disposable | undefined;
  #pause: Pause | undefined;
  #isStopped = false;
  #isResting = false;
  /** Of the open stream, and of those before it. */
  #shown: ShownCards = noCards;
  readonly #before = new Set<string>();
  /** The last that the open stream was given is text, which goes on in the same block. */
  #endsInText = false;
  /** Set by what an earlier process has left behind. */
  #isRecovering: boolean;

  constructor(options: NativeStreamOptions) {
    this.#options = options;
    this.#state = options.state ?? nothingPublished;
    const { stream, starting, open, posting } = this.#state;
    this.#isRecovering = stream !== undefined || starting !== undefined;
    // It had gone over to posts already.
    if (open !== undefined || posting !== undefined) this.#fallBack();
  }

  get state(): PublishedState {
    return this.#fallback?.state ?? this.#state;
  }

  /** Shows this soon, unless more comes before. The tail is shown only where there are no streams. */
  write(publication: Publication): void {
    if (this.#isFinal || this.#isStopped || this.#isResting) return;
    this.#wanted = { ...publication, text: defuse(publication.text) };
    if (this.#fallback) this.#fallback.write(publication);
    else this.#start().catch(ignore);
  }

  /** Ends what is live, as soon as may be; what is written from now on is not shown. */
  rest(): void {
    if (this.#isFinal) return;
    this.#isResting = true;
    this.#pause?.wake();
    if (this.#fallback) this.#fallback.rest();
    else if (this.#state.stream ?? this.#state.starting) this.#start().catch(ignore);
  }

  /** Shows this, all of it, and nothing after. */
  async finish(text: string): Promise<StreamOutcome> {
    this.#isFinal = true;
    const { cards = [] } = this.#wanted;
    this.#wanted = { text: defuse(text), cards };
    this.#pause?.wake();
    while (!this.#fallback) {
      const end = await this.#start();
      if (end?.kind === "stopped") return { kind: "stopped" };
      if (end?.kind === "closed") return { kind: "undeliverable", error: "closed" };
      if (!end && !this.#plan()) return { kind: "published" };
    }
    return await this.#fallback.finish(text);
  }

  /** Takes no further step. What is on its way is not known to have arrived. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#rest?.[Symbol.dispose]();
    this.#slot?.[Symbol.dispose]();
    this.#fallback?.[Symbol.dispose]();
    this.#pause?.wake();
  }

  async #start(): Promise<End | undefined> {
    this.#rest?.[Symbol.dispose]();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    const end = await this.#running;
    if (end?.kind === "stopped") this.#isStopped = true;
    if (end?.kind === "post-edit") this.#fallBack();
    return end;
  }

  async #run(): Promise<End | undefined> {
    if (this.#isStopped) return { kind: "stopped" };
    if (this.#isRecovering) {
      this.#isRecovering = false;
      if (this.#state.stream?.isDoubtful) return await this.#abandon(this.#state.stream);
      if (this.#state.starting) return await this.#clearEmpty();
    }
    for (;;) {
      await this.#pace();
      if (this.#isClosed) return { kind: "closed" };
      const step = this.#plan();
      if (!step) {
        this.#restLater();
        return undefined;
      }
      const end = await this.#take(step);
      if (this.#isClosed) return { kind: "closed" };
      if (end) return end;
    }
  }

  #plan(): StreamStep | undefined {
    const [shown, before] = [this.#shown, this.#before];
    const { stream } = this.#state;
    const isDue = this.#isResting && !this.#isFinal;
    if (isDue && !stream) return undefined;
    const { clock, findEmphasis: find = noEmphasis } = this.#options;
    return planStream(this.#state, this.#wanted, {
      ...{ isFinal: this.#isFinal, isDue, now: clock.now() },
      ...{ shown, before, find },
    });
  }

  async #take(step: StreamStep): Promise<End | undefined> {
    const { stream } = this.#state;
    if (step.kind === "start") return await this.#begin(step.from);
    if (!stream) return undefined;
    if (step.kind === "append") return await this.#append(stream, step);
    return step.kind === "cards" ? await this.#showCards(stream, step) : await this.#stop(stream);
  }

  /** Empty, so that one whose start nobody confirmed has told nothing. */
  async #begin(from: number): Promise<End | undefined> {
    const { slots, thread, recipient, onRefused, clock } = this.#options;
    this.#slot ??= slots.take();
    if (!this.#slot) return { kind: "post-edit" };
    this.#keep({ ...this.#state, starting: true });
    const result = await this.#call("chat.startStream", {
      thread_ts: thread,
      recipient_user_id: recipient.user,
      recipient_team_id: recipient.team,
    });
    if (this.#isClosed) return undefined;
    const { sealed } = this.#state;
    if (result.kind === "ok") {
      const now = clock.now();
      const ts = String(result.body["ts"]);
      this.#keep({
        sealed,
        open: undefined,
        stream: { ts, from, to: from, startedAt: now, touchedAt: now },
      });
      return undefined;
    }
    this.#giveSlot();
    if (result.kind === "unknown") return await this.#clearEmpty();
    this.#keep({ sealed, open: undefined });
    if (result.kind === "refused") onRefused?.(result.error);
    return { kind: "post-edit" };
  }

  async #append(
    stream: OpenStream,
    { chunk, to, isClosed }: Extract<StreamStep, { kind: "append" }>,
  ): Promise<End | undefined> {
    this.#keep({ ...this.#state, stream: { ...stream, isDoubtful: true } });
    const chunks = [{ type: "markdown_text", text: chunk }];
    const result = await this.#call("chat.appendStream", { ts: stream.ts, chunks });
    if (this.#isClosed) return undefined;
    switch (result.kind) {
      case "ok": {
        const touchedAt = to > stream.to ? this.#options.clock.now() : stream.touchedAt;
        this.#keep({
          ...this.#state,
          stream: {
            ...stream,
            to,
            touchedAt,
            blocks: (stream.blocks ?? 0) + (this.#endsInText ? 0 : 1),
            ...(isClosed && { isClosed }),
          },
        });
        this.#endsInText = true;
        return undefined;
      }
      case "refused":
        return await this.#answerRefusal(stream, result.error);
      case "unknown":
        return await this.#abandon(stream);
      default:
        return { kind: "closed" };
    }
  }

  /** Showing them twice does no harm. */
  async #showCards(
    stream: OpenStream,
    { cards, isClosed }: Extract<StreamStep, { kind: "cards" }>,
  ): Promise<End | undefined> {
    const chunks = renderCards(cards);
    const result = await this.#repeat("chat.appendStream", { ts: stream.ts, chunks });
    if (this.#isClosed) return undefined;
    if (result.kind === "refused") return await this.#answerRefusal(stream, result.error);
    if (result.kind === "superseded" || result.kind === "late") return { kind: "closed" };
    const added = cards.filter(({ id }) => !this.#shown.has(id)).length;
    this.#shown = new Map([...this.#shown, ...cards.map((card) => [card.id, card] as const)]);
    if (added > 0) this.#endsInText = false;
    const blocks = (stream.blocks ?? 0) + added;
    this.#keep({ ...this.#state, stream: { ...stream, blocks, ...(isClosed && { isClosed }) } });
    return undefined;
  }

  async #answerRefusal(stream: OpenStream, error: string): Promise<End | undefined> {
    if (error === "stopped_by_user") {
      this.#seal(stream);
      return { kind: "stopped" };
    }
    // One that tells nothing should not stay.
    if (stream.to === stream.from) return await this.#abandon(stream);
    this.#seal(stream);
    if (error === "message_not_in_streaming_state") {
      this.#options.onLost?.();
      return undefined;
    }
    await this.#repeat("chat.stopStream", { ts: stream.ts });
    const isFull = error === "msg_too_long" || error === "msg_blocks_too_many";
    return isFull ? undefined : { kind: "post-edit" };
  }

  /** Ending it twice does no harm. */
  async #stop(stream: OpenStream): Promise<End | undefined> {
    const result = await this.#repeat("chat.stopStream", { ts: stream.ts });
    if (this.#isClosed) return undefined;
    this.#seal(stream);
    if (result.kind !== "ok") this.#options.onLost?.();
    const isStopped = result.kind === "refused" && result.error === "stopped_by_user";
    return isStopped ? { kind: "stopped" } : undefined;
  }

  /** Nobody knows what it shows: it goes, and what it was to show is shown by posts. */
  async #abandon(stream: OpenStream): Promise<End> {
    await this.#repeat("chat.stopStream", { ts: stream.ts });
    const result = await this.#repeat("chat.delete", { ts: stream.ts });
    if (this.#isClosed) return { kind: "closed" };
    const isGone =
      result.kind === "ok" || (result.kind === "refused" && result.error === "message_not_found");
    if (isGone) this.#keep({ sealed: this.#state.sealed, open: undefined });
    else this.#seal(stream);
    this.#giveSlot();
    return { kind: "post-edit" };
  }

  async #clearEmpty(): Promise<End> {
    const { queue, channel, thread, botId } = this.#options;
    let empty = await findEmptyStreams(queue, { channel, thread, botId });
    for (const ms of RETRY_AFTER_MS) {
      if (empty || this.#isClosed) break;
      await this.#sleep(ms);
      empty = await findEmptyStreams(queue, { channel, thread, botId });
    }
    for (const ts of empty ?? []) {
      await this.#repeat("chat.stopStream", { ts });
      await this.#repeat("chat.delete", { ts });
    }
    if (this.#isClosed) return { kind: "closed" };
    this.#keep({ sealed: this.#state.sealed, open: undefined });
    return { kind: "post-edit" };
  }

  async #repeat(method: string, args: Readonly<Record<string, unknown>>): Promise<QueuedResult> {
    let result = await this.#call(method, args);
    for (const ms of RETRY_AFTER_MS) {
      // An end that is refused, though it brings nothing that could be wrong, is asked for again.
      const isOver = result.kind !== "unknown" && !isRefusedEnd(method, result);
      if (isOver || this.#isClosed) break;
      await this.#sleep(ms);
      result = await this.#call(method, args);
    }
    return result;
  }

  async #call(method: string, args: Readonly<Record<string, unknown>>): Promise<QueuedResult> {
    const { queue, channel, clock } = this.#options;
    // What is started has been admitted, and has to be ended.
    const priority = method === "chat.appendStream" && !this.#isFinal ? "text" : "final";
    const result = await queue.run({
      method,
      channel,
      priority,
      ...(method === "chat.startStream" && { deadline: clock.now() + STREAM_LIMITS.startWithinMs }),
      args: () => ({ channel, ...args }),
    });
    this.#lastCallAt = clock.now();
    return result;
  }

  /** Waits until an append may follow the last call; towards the end, and after a start, it need not. */
  async #pace(): Promise<void> {
    const { stream } = this.#state;
    if (this.#isFinal || !stream || stream.to === stream.from) return;
    const ms = this.#lastCallAt + (this.#options.appendEveryMs ?? 700) - this.#options.clock.now();
    if (ms > 0) await this.#sleep(ms);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isClosed) return;
    this.#pause = new Pause(this.#options.clock);
    await this.#pause.wait(ms);
  }

  #restLater(): void {
    const { stream } = this.#state;
    if (!stream) return;
    const { clock } = this.#options;
    this.#rest = clock.after(restsAt(stream) - clock.now(), () => void this.#start().catch(ignore));
  }

  #seal({ ts, to }: OpenStream): void {
    for (const id of this.#shown.keys()) this.#before.add(id);
    this.#shown = noCards;
    this.#endsInText = false;
    this.#keep({ sealed: [...this.#state.sealed, { ts, to }], open: undefined });
    this.#giveSlot();
  }

  #giveSlot(): void {
    this.#slot?.[Symbol.dispose]();
    this.#slot = undefined;
  }

  #fallBack(): void {
    if (this.#fallback) return;
    this.#fallback = new PostEditPublisher({ ...this.#options, state: this.#state });
    if (this.#wanted.text !== "") this.#fallback.write(this.#wanted);
  }

  #keep(state: PublishedState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}

const ended: ReadonlySet<string> = new Set([
  "message_not_found",
  "message_not_in_streaming_state",
  "stopped_by_user",
]);

function isRefusedEnd(method: string, result: QueuedResult): boolean {
  return method === "chat.stopStream" && result.kind === "refused" && !ended.has(result.error);
}

/** Whoever could not keep a state has thrown that, and knows. */
const ignore = () => undefined;
