import { hashId } from "@acp-kit/relay";
import type { Sign } from "../book/sign-book.ts";
import type { SlackWorkspace } from "../workspace.ts";
import { MessageSigns } from "./message-signs.ts";

/**
 * The bot's signs on the messages of one conversation. Which messages may bear one is kept before it is asked for, so
 * that a process that is killed leaves none behind for which nobody looks.
 */
export class ThreadSigns implements Disposable {
  readonly #workspace: SlackWorkspace;
  readonly #conversation: string;
  readonly #channel: string;
  readonly #signs = new Map<string, MessageSigns>();

  constructor(workspace: SlackWorkspace, conversation: string, channel: string) {
    this.#workspace = workspace;
    this.#conversation = conversation;
    this.#channel = channel;
    if (!this.#isWanted) return;
    for (const [ts, before] of workspace.signs.of(conversation)) this.#of(ts, before);
  }

  /** The `ts` of messages that may bear a sign. */
  get messages(): readonly string[] {
    return [...this.#signs.keys()];
  }

  /** Shows this sign on a message, and no other. Resolves when that is so, or cannot be had. Never rejects. */
  async show(ts: string, sign: Sign | undefined): Promise<void> {
    if (!this.#isWanted || (sign === undefined && !this.#signs.has(ts))) return;
    const signs = this.#of(ts);
    await signs.show(sign);
    if (sign === undefined && signs.isBare && this.#signs.get(ts) === signs) this.#signs.delete(ts);
  }

  [Symbol.dispose](): void {
    for (const signs of this.#signs.values()) signs[Symbol.dispose]();
  }

  get #isWanted(): boolean {
    return this.#workspace.bot.settings.features.includes("signs");
  }

  #of(ts: string, before: readonly Sign[] = []): MessageSigns {
    const known = this.#signs.get(ts);
    if (known) return known;
    const message = { channel: this.#channel, ts };
    const signs = new MessageSigns(this.#workspace, message, {
      before,
      onIntent: (sign) => this.#keep("add", ts, sign),
      onGone: (sign) => this.#keep("remove", ts, sign),
    });
    this.#signs.set(ts, signs);
    return signs;
  }

  #keep(change: "add" | "remove", ts: string, sign: Sign): boolean {
    try {
      this.#workspace.signs[change](this.#conversation, ts, sign);
      return true;
    } catch (err) {
      const conversation = hashId(this.#conversation);
      this.#workspace.context.log.error({ err, conversation }, "a sign cannot be kept");
      return false;
    }
  }
}
