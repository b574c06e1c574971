import type { BotHealth, SlackBot, SurfaceBot, SurfaceContext } from "@acp-kit/relay";
import { Demotions } from "./book/demotions.ts";
import { HeardBook } from "./book/heard-book.ts";
import { OpenConversations } from "./book/open-conversations.ts";
import { QuestionBook } from "./book/question-book.ts";
import { SignBook } from "./book/sign-book.ts";
import { CallQueue } from "./budget/call-queue.ts";
import type { SlackCaller } from "./budget/call-result.ts";
import type { Clock } from "./budget/clock.ts";
import { Deliverer } from "./delivery/deliverer.ts";
import { Pause } from "./delivery/pause.ts";
import { describeHealth } from "./describe-health.ts";
import { Directory } from "./directory/directory.ts";
import { SlackReceiver } from "./http/receiver.ts";
import { identify } from "./identify.ts";
import type { SlackIdentity } from "./intake/heard.ts";
import { SlackIntake } from "./intake/slack-intake.ts";
import { createSlackCaller } from "./slack-caller.ts";
import type { SlackRenderer } from "./slack-part.ts";
import type { SocketEnvelope } from "./socket/connection.ts";
import { createSlackSocketOpener } from "./socket/open-slack-socket.ts";
import { SocketSupervisor } from "./socket/supervisor.ts";
import type { SlackWorkspace } from "./workspace.ts";

export type SlackBotOptions = {
  readonly context: SurfaceContext;
  readonly bot: SurfaceBot<SlackBot>;
  readonly renderer: SlackRenderer;
  readonly clock: Clock;
};

/** While the platform cannot be asked who the app is, it is asked again after so long, in milliseconds. */
const ASK_AGAIN_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** How long the relay's start waits for the first answer, in milliseconds. */
const START_WITHIN_MS = 5_000;

/** How long turns may take to end once the bot is to stop, and then what has ended to be shown, in milliseconds. */
const END_MS = 3_000;
const LAST_MS = 6_000;

/** So long after that the bot has ended, whatever is on its way: the relay closes its database soon, in milliseconds. */
const CUT_MS = 10_000;

/** How often it is seen whether time has passed by this process, in milliseconds. */
const BEAT_MS = 60_000;

type Running = {
  readonly workspace: SlackWorkspace;
  readonly intake: SlackIntake;
  readonly deliverer: Deliverer;
};

/** One bot of the configuration: what comes in, and what is shown. */
export class RunningBot {
  readonly #options: SlackBotOptions;
  readonly #call: SlackCaller;
  readonly #queue: CallQueue;
  readonly #asking: Pause;
  #running: Running | undefined;
  #sockets: SocketSupervisor | undefined;
  #receiver: SlackReceiver | undefined;
  #beating: Disposable | undefined;
  #isRetired = false;
  #retired: Promise<void> | undefined;
  #begun: Promise<void> | undefined;

  constructor(options: SlackBotOptions) {
    const { botToken: token, apiUrl } = options.bot.settings;
    this.#options = options;
    this.#call = createSlackCaller({ token, ...(apiUrl !== undefined && { apiUrl }) });
    this.#queue = new CallQueue(this.#call, options.clock);
    this.#asking = new Pause(options.clock);
  }

  get health(): BotHealth {
    const { name: bot, settings } = this.#options.bot;
    return describeHealth({
      ...{ bot, isKnown: this.#running !== undefined, sockets: this.#sockets?.health },
      isHttp: settings.transport.kind === "http",
    });
  }

  /** Resolves when it hears and shows, or has to wait for the platform. Never rejects. */
  async start(): Promise<void> {
    const started = new Pause(this.#options.clock);
    this.#begun = this.#begin(() => started.wake());
    await started.wait(START_WITHIN_MS);
  }

  /** A request to the bot's path. */
  async fetch(request: Request): Promise<Response> {
    if (this.#receiver && !this.#isRetired) return await this.#receiver.fetch(request);
    return new Response("not now\n", { status: 503 });
  }

  /** Takes nothing in any more, and goes on showing what runs. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#asking.wake();
    this.#beating?.[Symbol.dispose]();
    this.#sockets?.[Symbol.dispose]();
    this.#retired ??= this.#running?.intake[Symbol.asyncDispose]();
    await this.#retired;
  }

  /** Goes on until nothing runs, or `seal` is aborted; then whatever runs here ends, and is shown to have ended. */
  async drain(seal: AbortSignal): Promise<void> {
    const { clock, context, bot } = this.#options;
    const over = new Pause(clock);
    let cut: Disposable | undefined;
    const cutSoon = () => {
      cut ??= clock.after(CUT_MS, () => over.wake());
    };
    if (seal.aborted) cutSoon();
    else seal.addEventListener("abort", cutSoon, { once: true });
    const failed = (err: unknown) =>
      context.log.error({ err, bot: bot.name }, "a bot has not ended well");
    void this.#end(seal)
      .catch(failed)
      .finally(() => over.wake());
    await over.wait(Number.POSITIVE_INFINITY);
    // The relay aborts it also when all has ended.
    seal.removeEventListener("abort", cutSoon);
    cut?.[Symbol.dispose]();
    void this.#running?.deliverer[Symbol.asyncDispose]().catch(failed);
    this.#queue[Symbol.dispose]();
  }

  async #end(seal: AbortSignal): Promise<void> {
    const { clock, context } = this.#options;
    // What is still being taken in when the end has come takes nothing of the time for showing it.
    const retired = this.retire();
    const sealed = new Pause(clock);
    seal.addEventListener("abort", () => sealed.wake(), { once: true });
    if (!seal.aborted) await Promise.race([retired, sealed.wait(Number.POSITIVE_INFINITY)]);
    const deliverer = this.#running?.deliverer;
    await deliverer?.quiet(seal);
    const ended = new Pause(clock);
    void context.router.endTurns().finally(() => ended.wake());
    await ended.wait(END_MS);
    await deliverer?.seal(LAST_MS);
    await deliverer?.[Symbol.asyncDispose]();
    await Promise.all([retired, this.#begun]);
  }

  /** @param onReady - Called when something comes in, or nothing ever will. */
  async #begin(onReady: () => void): Promise<void> {
    const identity = await this.#identify();
    if (!identity || this.#isRetired) return onReady();
    const workspace = this.#openWorkspace(identity);
    const { context, clock, bot } = this.#options;
    const intake = new SlackIntake(workspace);
    const lock = async () => {
      const held = await context.takeLock(`${bot.name}.delivery`);
      return held && { [Symbol.dispose]: () => held.release() };
    };
    this.#running = { workspace, intake, deliverer: new Deliverer({ workspace, lock }) };
    const onEnvelope = (envelope: SocketEnvelope) => intake.take(envelope);
    const { transport, apiUrl } = bot.settings;
    if (transport.kind === "http") {
      const { signingSecret } = transport;
      this.#receiver = new SlackReceiver({ signingSecrets: [signingSecret], clock, onEnvelope });
      intake.catchUp();
      this.#beat(intake);
      return onReady();
    }
    const call = createSlackCaller({
      token: transport.appToken,
      ...(apiUrl !== undefined && { apiUrl }),
    });
    this.#sockets = new SocketSupervisor({
      open: createSlackSocketOpener({ call, clock, proxy: context.proxy }),
      clock,
      onEnvelope,
      onReady,
      onOthers: (count) => {
        const text = `Somebody else has ${count} connections for the Slack app of ${bot.name}, and gets a share of what people write: end it, or give it an app of its own.`;
        context.notices.tell({ kind: "other-sockets", about: bot.name, text });
      },
      onSign: () => intake.sign(),
      onEnd: (end) => {
        if (end.kind === "refresh" || end.kind === "closed") return;
        context.log.warn({ bot: bot.name, end: end.kind }, "a socket to Slack ended");
        if (end.kind === "refused") this.#tellRefused("app token", end.error);
        if (end.kind === "too-many") this.#tellTooMany();
      },
    });
    intake.catchUp();
  }

  /** Over HTTP nothing shows that the platform could reach the bot; that the machine has slept does. */
  #beat(intake: SlackIntake): void {
    this.#beating = this.#options.clock.after(BEAT_MS, () => {
      intake.sign();
      this.#beat(intake);
    });
  }

  /** Asks for as long as nobody answers; a token that is refused is refused for good. */
  async #identify(): Promise<SlackIdentity | undefined> {
    for (let attempt = 0; !this.#isRetired; attempt += 1) {
      const known = await identify(this.#call);
      if (known.kind === "known") return known.identity;
      const { bot, context } = this.#options;
      context.log.warn({ bot: bot.name, error: known.error }, "Slack does not say who this app is");
      if (known.error !== "no_answer") {
        this.#tellRefused("bot token", known.error);
        return undefined;
      }
      await this.#asking.wait(ASK_AGAIN_MS[attempt] ?? ASK_AGAIN_MS.at(-1) ?? 0);
    }
    return undefined;
  }

  #openWorkspace(identity: SlackIdentity): SlackWorkspace {
    const { context, bot, renderer, clock } = this.#options;
    const { db } = context;
    const [call, queue] = [this.#call, this.#queue];
    return {
      ...{ context, bot, identity, renderer, call, queue, clock },
      hasAgentView: bot.settings.agentView,
      open: new OpenConversations(db, bot.name),
      questions: new QuestionBook(db),
      signs: new SignBook(db),
      demotions: new Demotions(db, bot.name),
      heard: new HeardBook(db, bot.name),
      directory: new Directory(queue, clock),
    };
  }

  #tellRefused(what: string, error: string): void {
    const { bot, context } = this.#options;
    const text = `Slack does not take the ${what} of ${bot.name}: ${error}. Set another, and start the relay again.`;
    context.notices.tell({ kind: "token-refused", about: `${bot.name} ${what}`, text });
  }

  #tellTooMany(): void {
    const { bot, context } = this.#options;
    const text = `There are too many connections for the Slack app of ${bot.name}: is it running somewhere else as well?`;
    context.notices.tell({ kind: "too-many-sockets", about: bot.name, text });
  }
}
