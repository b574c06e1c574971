import type { SentFile, TurnView } from "@acp-kit/router";
import type { SlackUploads } from "../files/slack-uploads.ts";
import { nothingPublished, type Publication, type PublishedState } from "../publish/publication.ts";
import type { StreamSlots } from "../publish/stream-slots.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { createPublisher, type TurnPublisher, usesStreams } from "./create-publisher.ts";
import { DeliveryFailure, isLasting, RenderFailure } from "./failure.ts";
import { divideLongText, type LongText } from "./long-text.ts";
import { Pause } from "./pause.ts";
import { questionEndOf } from "./question-end.ts";
import { QuestionMessage } from "./question-message.ts";
import type { SessionState } from "./session-status.ts";
import { isClosedToFiles, showFile } from "./show-file.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { tellDone } from "./tell-done.ts";
import type { ThreadPlace } from "./thread-place.ts";
import type { LedgerTurn } from "./turn-ledger.ts";
import type { TurnPlace } from "./turn-place.ts";

export type TurnDeliveryHost = {
  readonly workspace: SlackWorkspace;
  readonly conversation: string;
  readonly place: ThreadPlace;
  readonly slots: StreamSlots;
  readonly uploads: SlackUploads;
  /** Keeps where the turn stands, before it returns. */
  readonly keep: (place: TurnPlace) => void;
  /** What the platform is to show of the thread. */
  readonly onSession: (state: SessionState) => void;
  /** A stream has started or stopped, which changes that. */
  readonly onStream: (isLive: boolean) => void;
  /** The person or the platform has ended a stream, after which the platform may go on showing what it did. */
  readonly onStopped: () => void;
  /** Something is not to be seen, by this word of the platform; `id` names it. Resolves when that was said. */
  readonly onMissing: (what: "answer" | "question", id: string, error: string) => Promise<void>;
  /** The platform has a Stop of its own there. */
  readonly hasStop: () => boolean;
};

/** A view is rendered at most once in so many milliseconds, and at least once in so many: what runs is told with its time. */
const RENDER_EVERY_MS = 100;
const TICK_MS = 30_000;

/** How long a stream waits for what is known of its person, in milliseconds. */
const KNOW_WITHIN_MS = 1_000;

/** With so many calls waiting, only what is whole is shown of a turn of which nothing is to be seen yet. */
const CROWDED_CALLS = 30;

/** Shows one turn, from where it stands to its end. Of everything that it posts it is the only writer. */
export class TurnDelivery implements Disposable {
  readonly #host: TurnDeliveryHost;
  readonly #pause: Pause;
  readonly #memo = {};
  readonly #questions = new Map<string, QuestionMessage>();
  #view: TurnView;
  /** When its last event happened. */
  #at: number;
  #place: TurnPlace;
  /** The requester's workspace. */
  #team: string;
  #publisher: TurnPublisher | undefined;
  readonly #isAside: boolean;
  #isStopped = false;
  #isClosed = false;
  #isSealing = false;
  #failure: unknown;
  /** What follows the last part of a turn that has ended. */
  #close = "";
  /** Beside the text, of the last rendering. */
  #beside: Omit<Publication, "text"> = {};

  constructor(host: TurnDeliveryHost, place: TurnPlace, { view, at, isAside }: LedgerTurn) {
    this.#host = host;
    this.#isAside = isAside === true;
    this.#team = host.workspace.identity.team;
    this.#pause = new Pause(host.workspace.clock);
    // Streams are for whoever has asked. Where they are refused in its middle, a turn must not have other words for that.
    const isNew = place.done === 0 && !isBegun(place.published);
    const isStream = isNew && isAside !== true && usesStreams(host.workspace, host.place);
    this.#place = isStream ? { ...place, isStream } : place;
    this.#view = view;
    this.#at = at;
  }

  /** More of the turn was read. */
  update({ view, at }: LedgerTurn): void {
    this.#view = view;
    this.#at = at;
    for (const [permission, question] of this.#questions) {
      const end = questionEndOf(view, permission);
      if (end) question.end(end);
    }
    this.#pause.wake();
  }

  /** Resolves when all of the turn is seen. Rejects with a {@link DeliveryFailure}. */
  async run(): Promise<void> {
    await this.#learnTeam();
    this.#resumeQuestions();
    for (;;) {
      if (this.#isClosed) throw new DeliveryFailure("closed");
      if (this.#failure !== undefined) throw this.#failure;
      const stretches = this.#render();
      const stretch = stretches[this.#place.done] ?? { text: "" };
      this.#showSession();
      if (stretch.ask) {
        await this.#passQuestion(stretch, stretch.ask);
        continue;
      }
      if (stretch.file) {
        await this.#passFile(stretch.text, stretch.file);
        continue;
      }
      if (this.#view.outcome) {
        if (this.#isTakenBack) await this.#finish("");
        else await this.#finish(stretch.text, this.#close);
        break;
      }
      this.#write(stretch);
      await this.#pause.wait(TICK_MS);
      await new Pause(this.#host.workspace.clock).wait(RENDER_EVERY_MS);
    }
    for (const [permission, question] of this.#questions) {
      question.end(questionEndOf(this.#view, permission) ?? { kind: "cancelled", by: undefined });
    }
    await Promise.all([...this.#questions.values()].map(({ done }) => done));
    if (!this.#isStopped) await this.#tellDone();
  }

  /** A stream is for somebody of a workspace, which need not be the bot's. */
  async #learnTeam(): Promise<void> {
    const { directory } = this.#host.workspace;
    const { who = "" } = this.#view;
    if (this.#place.isStream !== true || who === "") return;
    this.#team = (await directory.person(who, KNOW_WITHIN_MS))?.team ?? this.#team;
  }

  /** Nothing is to be seen from now on that would have to vanish. */
  seal(): void {
    this.#isSealing = true;
    this.#publisher?.rest();
    this.#pause.wake();
  }

  /** Of a turn that goes on, nothing is to be seen that would have to vanish. */
  get isSealed(): boolean {
    if (this.#view.outcome) return false;
    const { open, posting, stream, starting } = this.#publisher?.state ?? this.#place.published;
    const isResting = (open?.tail ?? "") === "" && (posting ?? stream ?? starting) === undefined;
    return this.#isSealing && isResting;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#publisher?.[Symbol.dispose]();
    for (const question of this.#questions.values()) question[Symbol.dispose]();
    this.#pause.wake();
  }

  #render(): readonly Stretch[] {
    try {
      return this.#renderView();
    } catch (error) {
      throw new RenderFailure("a turn cannot be rendered", { cause: error });
    }
  }

  #renderView(): readonly Stretch[] {
    const { workspace } = this.#host;
    const { renderer, clock } = workspace;
    const view = this.#view;
    const hasCards = this.#place.isStream === true;
    const whole = displayOf(workspace);
    const show = hasCards ? { ...whole, tools: false, plan: false } : whole;
    const now = clock.now();
    const last = view.segments.at(-1)?.kind;
    const { parts, tail, close } = renderer.render(view, { show, now, memo: this.#memo });
    this.#beside = {
      ...(tail?.kind === "text" && { tail: tail.markdown }),
      ...(hasCards && { cards: renderer.cards(view, whole) }),
      isResting: !(last === "text" || (last === "thought" && show.thoughts)),
    };
    const isClosed = view.outcome !== undefined && !this.#isAside;
    this.#close = isClosed && close?.kind === "text" ? close.markdown : "";
    return stretchesOf(parts);
  }

  #write({ text }: Stretch): void {
    if (this.#isSealing) return;
    const { workspace } = this.#host;
    const isSeen = this.#publisher !== undefined || hasMessage(this.#place.published);
    if (!isSeen && workspace.queue.length >= CROWDED_CALLS) return;
    const { tail, cards } = this.#beside;
    const isEmpty = text === "" && (tail ?? "") === "" && (cards ?? []).length === 0;
    // While a question waits it is the last to be seen, unless there is text behind it, or Stop has to be a button there.
    const isWaiting = text === "" && this.#view.asks.length > 0 && this.#host.hasStop();
    if (!isSeen && (isEmpty || isWaiting)) return;
    this.#open().write({ text: this.#divide(text).shown, ...this.#beside });
  }

  /** The text before a question is finished, and the question is shown; what comes then is a stretch of its own. */
  async #passQuestion({ text }: Stretch, ask: NonNullable<Stretch["ask"]>): Promise<void> {
    const isSeen = hasMessage(this.#publisher?.state ?? this.#place.published);
    const finished = this.#finish(text);
    // Where the text has its message already, the question need not wait until that is edited.
    if (!isSeen) await finished;
    const question = this.#ask(ask);
    await Promise.all([finished, question.posted]);
    this.#pass();
  }

  /** Slack shows a file when it likes: what stands behind it waits for that. */
  async #passFile(text: string, file: SentFile): Promise<void> {
    await this.#finish(text);
    const { workspace, uploads, place, conversation } = this.#host;
    const { turn, done, upload: begun } = this.#place;
    if (!this.#isStopped) {
      await showFile(workspace, uploads, place, {
        ...{ conversation, file, begun },
        id: `${turn}.${done}.file`,
        onBegun: (upload) => this.#keep({ ...this.#place, upload }),
      });
    }
    this.#pass();
  }

  /** The next stretch begins. */
  #pass(): void {
    const { upload: _, rest: __, ...place } = this.#place;
    this.#keep({ ...place, done: place.done + 1, published: nothingPublished });
  }

  #ask(ask: NonNullable<Stretch["ask"]>): QuestionMessage {
    const { workspace, place, conversation } = this.#host;
    const { turn } = this.#place;
    const end = questionEndOf(this.#view, ask.id);
    const onMissing = (id: string, error: string) => this.#host.onMissing("question", id, error);
    const asked = { conversation, turn, ask, onMissing };
    const question = new QuestionMessage(workspace, place, asked, end);
    this.#questions.set(ask.id, question);
    question.done.catch((error: unknown) => {
      this.#failure ??= error;
      this.#pause.wake();
    });
    return question;
  }

  /** Those before the place were shown; whatever has buttons yet is gone on with. */
  #resumeQuestions(): void {
    for (const { ask } of this.#render().slice(0, this.#place.done)) if (ask) this.#ask(ask);
  }

  /** @param close - What is shown behind the text, also where the rest of that is a file. */
  async #finish(text: string, close = ""): Promise<void> {
    if (this.#isStopped) return;
    const isEmpty = (text + close).trim() === "";
    if (!this.#publisher && isEmpty && !isBegun(this.#place.published)) return;
    const publisher = this.#open();
    const { cards } = this.#beside;
    // Its last cards go with the end.
    const { shown, rest } = this.#divide(text);
    if (cards || rest) publisher.write({ text: shown, ...(cards && { cards }) });
    const isSent = rest !== undefined && (await this.#sendRest(rest.markdown));
    const outcome = await publisher.finish((isSent ? shown + sayRest(rest) : text) + close);
    this.#publisher = undefined;
    publisher[Symbol.dispose]();
    if (outcome.kind === "stopped") {
      this.#isStopped = true;
      this.#host.onStopped();
    }
    if (outcome.kind !== "undeliverable") return;
    if (isLasting(outcome.error) || this.#isClosed) throw new DeliveryFailure(outcome.error);
    const { turn, done } = this.#place;
    await this.#host.onMissing("answer", `${turn}.${done}.missing`, outcome.error);
  }

  /** Somebody has ended it before anything came of it, and sees that at its message. */
  get #isTakenBack(): boolean {
    const { outcome, segments, queued } = this.#view;
    if (outcome?.kind !== "cancelled" || segments.length > 0) return false;
    if (outcome.cause === "edited" || outcome.cause === "deleted") return true;
    const { features } = this.#host.workspace.bot.settings;
    return outcome.cause === "user" && queued !== undefined && features.includes("signs");
  }

  #divide(text: string): LongText {
    const { workspace, place } = this.#host;
    const { settings } = workspace.bot;
    const sendsFiles = settings.features.includes("files-out");
    const mayBeSent = sendsFiles && !isClosedToFiles(workspace, place.channel);
    return mayBeSent && this.#place.rest !== "" ? divideLongText(text) : { shown: text };
  }

  /** False when that failed, now or before: messages have to do. */
  async #sendRest(markdown: string): Promise<boolean> {
    const { uploads, place, conversation } = this.#host;
    const { channel, thread } = place;
    const outcome = await uploads.sendText(markdown, REST_NAME, {
      ...{ conversation, channel, thread, begun: this.#place.rest, priority: "final" },
      onBegun: (rest) => this.#keep({ ...this.#place, rest }),
    });
    if (outcome.kind === "closed") throw new DeliveryFailure("closed");
    if (outcome.kind === "failed") this.#keep({ ...this.#place, rest: "" });
    return outcome.kind === "shared";
  }

  #open(): TurnPublisher {
    const { workspace, place, slots, onStream, onStopped, hasStop } = this.#host;
    const { turn, done, published } = this.#place;
    let isLive = published.stream !== undefined;
    this.#publisher ??= createPublisher(workspace, {
      place,
      slots,
      marker: `${turn}.${done}`,
      state: published,
      recipient: { user: this.#view.who ?? "", team: this.#team },
      usesStreams: this.#place.isStream === true && usesStreams(workspace, place),
      stops: () => (hasStop() ? undefined : turn),
      onLost: onStopped,
      onGiveUp: (error) => {
        if (!isLasting(error) || this.#isClosed) return;
        this.#failure ??= new DeliveryFailure(error);
        this.#pause.wake();
      },
      onState: (state) => {
        try {
          this.#keep({ ...this.#place, published: state });
        } catch (error) {
          // Nothing is shown of which it is not kept that it may be: the delivery begins anew.
          this.#failure ??= error;
          this.#pause.wake();
          throw error;
        }
        const isLiveNow = state.stream !== undefined;
        if (isLive !== isLiveNow) onStream(isLiveNow);
        isLive = isLiveNow;
      },
    });
    return this.#publisher;
  }

  #showSession(): void {
    const { outcome, asks } = this.#view;
    if (outcome) return;
    this.#host.onSession(asks.length > 0 ? "suspended" : "processing");
  }

  /** Who is not looking any more is told that it is over. */
  async #tellDone(): Promise<void> {
    const { workspace, place } = this.#host;
    const isTelling = this.#place.isTelling === true;
    const onIntent = () => this.#keep({ ...this.#place, isTelling: true });
    await tellDone(workspace, place, { view: this.#view, endedAt: this.#at, isTelling, onIntent });
  }

  #keep(place: TurnPlace): void {
    if (this.#isClosed) return;
    this.#place = place;
    this.#host.keep(place);
  }
}

const REST_NAME = "rest-of-the-answer.md";

function sayRest({ closing, units }: NonNullable<LongText["rest"]>): string {
  const count = units.toLocaleString("en-US");
  return `${closing}\n\n_The rest, ${count} characters, is in the file ${REST_NAME}._\n`;
}

/** Something of it is to be seen, or may be. */
function isBegun({ sealed, open, posting, stream, starting }: PublishedState): boolean {
  return sealed.length > 0 || (open ?? posting ?? stream ?? starting) !== undefined;
}

function hasMessage({ sealed, open, stream }: PublishedState): boolean {
  return sealed.length > 0 || open !== undefined || stream !== undefined;
}

function displayOf({ bot }: SlackWorkspace) {
  const { hideThinking, showPlans, showTools, showToolDetails } = bot.defaults;
  return {
    thoughts: !hideThinking,
    plan: showPlans,
    tools: showTools,
    toolDetails: showToolDetails,
  };
}
