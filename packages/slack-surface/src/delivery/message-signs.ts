import type { Sign } from "../book/sign-book.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { Pause } from "./pause.ts";

/** A sign that comes later than this says nothing any more, in milliseconds. */
const SIGN_WITHIN_MS = 5_000;

/** When nobody knows whether one is gone, taking it away is tried again, so much later in milliseconds; the last is repeated. */
const RETRY_AFTER_MS = [2_000, 5_000, 15_000, 30_000];

/** Words by which the platform says that there is nothing to take away. */
const gone: ReadonlySet<string> = new Set([
  "channel_not_found",
  "is_archived",
  "message_not_found",
  "missing_scope",
  "no_reaction",
  "not_reactable",
]);

/** Any other word is believed after so many. */
const MAX_REFUSALS = 3;

export type MessageSignsOptions = {
  /** What an earlier process may have put there. */
  readonly before: readonly Sign[];
  /** Called before one is asked for; false: it is not to be. */
  readonly onIntent: (sign: Sign) => boolean;
  /** It is not there any more, or never was. */
  readonly onGone: (sign: Sign) => void;
};

/** The bot's reactions to one message. The only writer of them: one call at a time. */
export class MessageSigns implements Disposable {
  readonly #workspace: Pick<SlackWorkspace, "queue" | "clock">;
  readonly #message: { readonly channel: string; readonly ts: string };
  /** Those that may be there. */
  readonly #shown: Set<Sign>;
  readonly #pause: Pause;
  readonly #onIntent: MessageSignsOptions["onIntent"];
  readonly #onGone: MessageSignsOptions["onGone"];
  #wanted: Sign | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    workspace: Pick<SlackWorkspace, "queue" | "clock">,
    message: { readonly channel: string; readonly ts: string },
    { before, onIntent, onGone }: MessageSignsOptions,
  ) {
    this.#workspace = workspace;
    this.#onIntent = onIntent;
    this.#onGone = onGone;
    this.#pause = new Pause(workspace.clock);
    this.#message = message;
    this.#shown = new Set(before);
  }

  /** Shows this sign, and no other; nothing for none. Resolves when that is so, or cannot be had. Never rejects. */
  async show(sign: Sign | undefined): Promise<void> {
    this.#wanted = sign;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** It bears no sign, and none is asked for. */
  get isBare(): boolean {
    return this.#shown.size === 0 && this.#running === undefined;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#pause.wake();
  }

  async #run(): Promise<void> {
    const given = new Set<Sign>();
    while (!this.#isClosed) {
      const surplus = [...this.#shown].find((each) => each !== this.#wanted);
      const wanted = this.#wanted;
      if (surplus !== undefined) await this.#remove(surplus);
      else if (wanted !== undefined && !this.#shown.has(wanted) && !given.has(wanted)) {
        given.add(wanted);
        await this.#add(wanted);
      } else return;
    }
  }

  async #add(name: Sign): Promise<void> {
    const { queue, clock } = this.#workspace;
    // Slack lets fewer be taken away than given: one more would stay the longer.
    if (queue.waits("reactions.remove") || !this.#onIntent(name)) return;
    const result = await queue.run({
      method: "reactions.add",
      channel: this.#message.channel,
      priority: "status",
      deadline: clock.now() + SIGN_WITHIN_MS,
      args: () => this.#args(name),
    });
    const isThere = result.kind === "refused" && result.error === "already_reacted";
    if (result.kind === "ok" || result.kind === "unknown" || isThere) this.#shown.add(name);
    else if (!this.#isClosed) this.#onGone(name);
  }

  async #remove(name: Sign): Promise<void> {
    const { queue } = this.#workspace;
    for (let tries = 0; !this.#isClosed; tries += 1) {
      const result = await queue.run({
        method: "reactions.remove",
        channel: this.#message.channel,
        // Nothing else is made of these calls.
        priority: "final",
        args: () => this.#args(name),
      });
      const isRefused =
        result.kind === "refused" && (gone.has(result.error) || tries >= MAX_REFUSALS);
      if (result.kind === "ok" || isRefused) {
        this.#shown.delete(name);
        if (!this.#isClosed) this.#onGone(name);
        return;
      }
      if (this.#isClosed) return;
      await this.#pause.wait(RETRY_AFTER_MS[tries] ?? RETRY_AFTER_MS.at(-1) ?? 0);
    }
  }

  #args(name: Sign): Readonly<Record<string, unknown>> {
    const { channel, ts } = this.#message;
    return { channel, timestamp: ts, name };
  }
}
