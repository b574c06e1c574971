import { hashId } from "@acp-kit/relay";
import { SlackUploads } from "../files/slack-uploads.ts";
import { StreamSlots } from "../publish/stream-slots.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { DeliveryFailure } from "./failure.ts";
import { Pause } from "./pause.ts";
import { PlaceRefusals } from "./place-refusals.ts";
import { SessionSupport } from "./session-status.ts";
import { ThreadDelivery } from "./thread-delivery.ts";

/** How often whoever is not the deliverer asks to be it, and whoever is looks for what others have marked. */
const LOOK_EVERY_MS = 250;

/** How often it is looked whether the end has come, in milliseconds. */
const SEAL_LOOK_MS = 50;

/** How long a conversation rests of which something could not be delivered, in milliseconds. */
const REST_MS = 30_000;

export type DelivererOptions = {
  readonly workspace: SlackWorkspace;
  /** Undefined while another process delivers for this bot. */
  readonly lock: () => Promise<Disposable | undefined>;
};

/** Shows what happens in all conversations of a bot, while no other process does. */
export class Deliverer implements AsyncDisposable {
  readonly #workspace: SlackWorkspace;
  readonly #lock: DelivererOptions["lock"];
  readonly #slots: StreamSlots;
  readonly #uploads: SlackUploads;
  readonly #sessions = new SessionSupport();
  readonly #threads = new Map<string, ThreadDelivery>();
  readonly #running = new Set<Promise<void>>();
  readonly #pause: Pause;
  /** Of conversations that rest. */
  readonly #rests = new Set<Pause>();
  readonly #refusals: PlaceRefusals;
  readonly #marks: Disposable;
  readonly #ended: Promise<void>;
  #isDelivering = false;
  /** Others have marked something, and it could not be read yet. */
  #hasUnread = false;
  #isClosed = false;
  /** The platform takes nothing from this app any more. */
  #isRefused = false;

  constructor({ workspace, lock }: DelivererOptions) {
    this.#workspace = workspace;
    this.#lock = lock;
    this.#slots = new StreamSlots(workspace.queue);
    this.#uploads = new SlackUploads(workspace, workspace.bot.settings.apiUrl);
    this.#pause = new Pause(workspace.clock);
    this.#refusals = new PlaceRefusals(workspace);
    this.#marks = workspace.open.onMark((conversation) => this.#takeUp(conversation));
    this.#ended = this.#run();
  }

  /** This process delivers. */
  get isDelivering(): boolean {
    return this.#isDelivering;
  }

  /** Resolves when all is shown and nothing runs, or `signal` is aborted. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.#while(() => this.#threads.size > 0, signal);
  }

  /** Shows what has ended, and takes away what would not be true any more of what goes on without this process. */
  async seal(withinMs: number): Promise<void> {
    const until = this.#workspace.clock.now() + withinMs;
    const isLate = () => this.#workspace.clock.now() >= until;
    for (const thread of this.#threads.values()) thread.seal();
    await this.#while(
      () => !isLate() && [...this.#threads.values()].some(({ isSealed }) => !isSealed),
    );
  }

  /** Stops at once: what is on its way is looked up by whoever comes next. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#marks[Symbol.dispose]();
    this.#uploads[Symbol.dispose]();
    for (const thread of this.#threads.values()) thread[Symbol.dispose]();
    for (const pause of [this.#pause, ...this.#rests]) pause.wake();
    await this.#ended;
  }

  async #while(isSo: () => boolean, signal?: AbortSignal): Promise<void> {
    while (isSo() && !signal?.aborted) await new Pause(this.#workspace.clock).wait(SEAL_LOOK_MS);
  }

  async #run(): Promise<void> {
    const lock = await this.#wait();
    if (!lock) return;
    using _lock = lock;
    this.#isDelivering = true;
    while (!this.#isClosed) {
      this.#look();
      await this.#pause.wait(LOOK_EVERY_MS);
    }
    this.#isDelivering = false;
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#workspace.queue.idle();
  }

  /** What cannot be read now is read the next time. */
  #look(): void {
    const { open, context } = this.#workspace;
    try {
      if (!this.#hasUnread && !open.hasNews()) return;
      this.#hasUnread = true;
      for (const { conversation } of open.all()) this.#takeUp(conversation);
      this.#hasUnread = false;
    } catch (err) {
      context.log.error({ err }, "what waits for Slack cannot be read now");
    }
  }

  async #wait(): Promise<Disposable | undefined> {
    while (!this.#isClosed) {
      const lock = await this.#lock();
      if (lock) return lock;
      await this.#pause.wait(LOOK_EVERY_MS);
    }
    return undefined;
  }

  #takeUp(conversation: string): void {
    if (!this.#isDelivering || this.#isClosed || this.#isRefused) return;
    if (this.#threads.has(conversation)) return;
    const thread = new ThreadDelivery({
      workspace: this.#workspace,
      conversation,
      slots: this.#slots,
      uploads: this.#uploads,
      sessions: this.#sessions,
      refusals: this.#refusals,
    });
    this.#threads.set(conversation, thread);
    const running = this.#deliver(conversation, thread).finally(() => {
      this.#threads.delete(conversation);
      this.#running.delete(running);
      // It may have been marked while this one came to its end.
      if (!this.#isClosed && this.#workspace.open.markOf(conversation) !== undefined)
        this.#takeUp(conversation);
    });
    this.#running.add(running);
  }

  async #deliver(conversation: string, thread: ThreadDelivery): Promise<void> {
    const { context, bot, clock } = this.#workspace;
    try {
      await thread.run();
    } catch (error) {
      if (this.#isClosed) return;
      if (error instanceof DeliveryFailure && error.kind === "app") {
        this.#isRefused = true;
        context.log.error(
          { bot: bot.name, error: error.code },
          "Slack takes nothing from this app",
        );
        const text = `Slack does not take the bot token of ${bot.name} (${error.code}); answers wait until the relay is started with another.`;
        context.notices.tell({ kind: "token-refused", about: bot.name, text });
        return;
      }
      context.log.warn({ err: error, conversation: hashId(conversation) }, "an answer waits");
      const rest = new Pause(clock);
      this.#rests.add(rest);
      await rest.wait(REST_MS);
      this.#rests.delete(rest);
    }
  }
}
