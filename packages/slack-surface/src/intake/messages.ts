import { parsePairing } from "@acp-kit/relay";
import { RouterError, type RouterErrorCode, type Turn } from "@acp-kit/router";
import { conversationKeyOf, type SlackWorkspace } from "../workspace.ts";
import { conversationOf, isForBot } from "./follow.ts";
import { formatSpeaker } from "./format-speaker.ts";
import type { HeardMessage } from "./heard.ts";
import { judgeSomebody } from "./judge-person.ts";
import { type Asked, createPromptItem } from "./prompt-item.ts";
import type { Teller, TellPlace } from "./teller.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

/** How long names that a message mentions are waited for, in milliseconds. */
const NAMES_WAIT_MS = 400;

/** Names that are asked for because of one message. */
const MAX_NEW_NAMES = 10;

/** What people write, up to the router. */
export class Messages {
  readonly #workspace: SlackWorkspace;
  readonly #teller: Teller;

  constructor(workspace: SlackWorkspace, teller: Teller) {
    this.#workspace = workspace;
    this.#teller = teller;
  }

  /**
   * Carries one message through. What is resolved was committed, unless it says that it comes again.
   *
   * @param read - Reads the message with the names that are known by then.
   */
  async take(message: HeardMessage, read: () => HeardMessage): Promise<Verdict> {
    const { heard, context, hasAgentView } = this.#workspace;
    const { key, place, author } = message;
    const conversation = conversationKeyOf(this.#workspace, conversationOf(message, hasAgentView));
    const about = { conversation, message: key, user: author.user };
    const thread = heard.followed(conversation);
    if (!isForBot(message, thread, context.now())) {
      const reason = message.opensWithOther ? "to-somebody-else" : "no-mention";
      return { ...about, decision: "drop", reason };
    }
    const known = heard.message(key);
    if (known && known.turn === undefined)
      return { ...about, decision: "attach", reason: "redrive" };
    const pairing = this.#pair(message, about);
    if (pairing) return pairing;
    const judgement = await judgeSomebody(this.#workspace, author, place.channel);
    if (judgement.kind === "unknown") {
      return { ...about, decision: "drop", reason: "unknown-person", comesAgain: true };
    }
    if (judgement.kind === "refused") {
      const { people } = context;
      const admission = people.admit(judgement.person);
      const isTold = message.isAddressed && heard.mayRefuse(author.user, context.now());
      if (admission.kind === "refused" && isTold) this.#tell(message, "error", admission.text);
      return { ...about, decision: "refuse", reason: "not-allowed" };
    }
    const named = await this.#withNames(message, read);
    const request: Turn = {
      ...{ role: "user", content: named.text, messageId: key, attachments: [] },
      speaker: this.#speakerOf(author.user),
    };
    const asked = { key, user: judgement.person.user, query: [request] };
    return await this.#ask(named, conversation, asked);
  }

  async #ask(message: HeardMessage, conversation: string, asked: Asked): Promise<Verdict> {
    const { context, heard, open } = this.#workspace;
    const { key } = message;
    const { user } = asked;
    const about = { conversation, message: key, user };
    try {
      const item = createPromptItem(this.#workspace, asked);
      const { how, turn } = await context.router.submit(conversation, item);
      if (how === "refused") return { ...about, decision: "refuse", reason: "not-yours" };
      const at = context.now();
      if (how === "new") heard.keep(key, { conversation, user, turn }, at);
      heard.follow(conversation, user, at);
      open.mark(conversation);
      return how === "repeat"
        ? { ...about, decision: "attach", reason: "redrive", turn }
        : { ...about, decision: "run", reason: "prompt", turn };
    } catch (error) {
      const reason = error instanceof RouterError ? refusals[error.code] : undefined;
      if (!reason) throw error;
      if (reason === "restarting") return { ...about, decision: "drop", reason, comesAgain: true };
      // Of the two events of one message one tells.
      if (heard.claim(key, { conversation, user }, context.now())) {
        this.#tell(message, "error", reasonWords[reason]);
      }
      return { ...about, decision: "refuse", reason };
    }
  }

  /** The code that makes somebody the first operator: they may not talk yet. */
  #pair(message: HeardMessage, about: Omit<Verdict, "decision" | "reason">): Verdict | undefined {
    const { context, heard, bot, identity } = this.#workspace;
    const { key, place, author } = message;
    const code = message.isAddressed ? parsePairing(message.text) : undefined;
    if (code === undefined || author.bot !== undefined) return undefined;
    const { conversation = "" } = about;
    if (!heard.claim(key, { conversation, user: author.user }, context.now())) {
      return { ...about, decision: "attach", reason: "redrive" };
    }
    const { channel } = place;
    const person = {
      ...{ surface: "slack", bot: bot.name, team: identity.team, channel },
      ...{ isDirect: place.kind === "direct", user: author.user },
    };
    const { kind, text } = context.people.pair(person, code);
    this.#tell(message, "notice", text);
    return { ...about, decision: "command", reason: `pairing-${kind}` };
  }

  /** What somebody is told alone, about their own message. */
  #tell(message: HeardMessage, kind: "notice" | "error", text: string): void {
    void this.#teller.privately(message.author.user, answerPlaceOf(message), kind, text);
  }

  async #withNames(message: HeardMessage, read: () => HeardMessage): Promise<HeardMessage> {
    const { directory } = this.#workspace;
    const unknown = message.mentions.filter((user) => !directory.isKnown(user));
    if (unknown.length === 0) return message;
    const asked = unknown.slice(0, MAX_NEW_NAMES);
    await Promise.all(asked.map((user) => directory.person(user, NAMES_WAIT_MS)));
    return read();
  }

  #speakerOf(user: string): string {
    return formatSpeaker(user, this.#workspace.directory.names.user?.(user));
  }
}

/** Where a message is answered by the relay itself. A private answer in a thread that is not there yet is not shown. */
export function answerPlaceOf({ place }: Pick<HeardMessage, "place">): TellPlace {
  const { channel, thread, kind, isInThread } = place;
  return { channel, ...((isInThread || kind === "direct") && { thread }) };
}

const refusals: Partial<Record<RouterErrorCode, "queue-full" | "empty-message" | "restarting">> = {
  "queue-full": "queue-full",
  "empty-prompt": "empty-message",
  closed: "restarting",
};

const reasonWords = {
  "queue-full": words.queueFull,
  "empty-message": words.emptyMessage,
} as const;
