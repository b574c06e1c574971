import { isAside } from "@acp-kit/relay";
import type { Turn } from "@acp-kit/router";
import type { WireMessage } from "../intake/event-schema.ts";
import { isForBot } from "../intake/follow.ts";
import type { HeardMessage } from "../intake/heard.ts";
import type { Messages, MessagesParts } from "../intake/messages.ts";
import { findTs, parseHistoryMessage } from "../intake/parse-event.ts";
import type { Verdict } from "../intake/verdict.ts";
import { words } from "../intake/words.ts";
import { formatAge } from "./format-age.ts";
import type { MissedTurn } from "./plan-catch-up.ts";

export type MissedTurnsParts = MessagesParts & { readonly messages: Messages };

/** A message for the bot that nobody has heard, and its conversation. */
export type Missed = { readonly conversation: string; readonly message: HeardMessage };

/** What was missed, up to the router. */
export class MissedTurns {
  readonly #parts: MissedTurnsParts;

  constructor(parts: MissedTurnsParts) {
    this.#parts = parts;
  }

  /** Those messages of a channel that are for the bot, and of which it is not known what became of them. */
  findUnheard(found: readonly WireMessage[], channel: string): readonly Missed[] {
    const { workspace, messages } = this.#parts;
    const { identity, directory, heard } = workspace;
    const options = { identity, bots: { has: () => true }, names: directory.names };
    return found.flatMap((wire) => {
      const message = parseHistoryMessage(wire, channel, options);
      if (message.kind !== "message" || heard.message(message.key)) return [];
      const conversation = messages.conversationOf(message);
      const at = Number(message.ts) * 1_000;
      const isMeant = isForBot(message, heard.followed(conversation, at), at);
      return isMeant ? [{ conversation, message }] : [];
    });
  }

  /** Answers the last message of a conversation, with the others, and with its age. */
  async take({ conversation, messages: all }: MissedTurn): Promise<Verdict> {
    const { context } = this.#parts.workspace;
    const wanted = all.filter(({ text }) => !isAside(text) && !context.commands.isSecret(text));
    const last = wanted.at(-1);
    // What was asked of the relay then may not be what it would be asked now.
    if (!last) {
      this.#claim(all, conversation);
      return { ...about(all, conversation), decision: "drop", reason: "missed-command" };
    }
    const verdict = await this.#answer(last, wanted.slice(0, -1), conversation);
    // Only then: were they known before, and the last one came to nothing, they would never be told.
    if (verdict.comesAgain) return verdict;
    const dealtWith = verdict.decision === "refuse" ? all : all.filter((each) => each !== last);
    this.#claim(dealtWith, conversation);
    return verdict;
  }

  /** They are too many to be answered. */
  leave({ conversation, messages: all }: MissedTurn): Verdict {
    this.#claim(all, conversation);
    return { ...about(all, conversation), decision: "drop", reason: "missed-too-many" };
  }

  async #answer(
    last: HeardMessage,
    others: readonly HeardMessage[],
    conversation: string,
  ): Promise<Verdict> {
    const { workspace, messages } = this.#parts;
    const judged = await messages.judge(last, conversation);
    if ("decision" in judged) return judged;
    const { user } = judged;
    const newest = await workspace.context.router.lastTurn(conversation);
    if (newest && Number(findTs(newest.key) ?? 0) > Number(last.ts)) {
      // Of two processes one tells.
      if (this.#claim([last], conversation)) messages.tell(last, "notice", words.overtaken);
      return { ...about([last], conversation), decision: "refuse", reason: "overtaken" };
    }
    const told = await Promise.all(others.map((message) => this.#earlierOf(message, conversation)));
    const before = newest ? [] : await messages.earlier(last, conversation);
    const request = messages.requestOf(last);
    const query = [...mergeTurns(before, told), request];
    const verdict = await messages.ask(last, conversation, { key: last.key, user, query });
    if (verdict.decision !== "run") return verdict;
    this.#tellAge(last);
    return { ...verdict, reason: "missed" };
  }

  /** A message that is told with the one that is answered; of people who may not talk, only that there was one. */
  async #earlierOf(message: HeardMessage, conversation: string): Promise<Turn> {
    const { messages } = this.#parts;
    const turn = messages.requestOf(message);
    const judged = await messages.judge(message, conversation);
    if (!("decision" in judged)) return turn;
    return { ...turn, content: "", attachments: [], isWithheld: true };
  }

  #tellAge(message: HeardMessage): void {
    const { workspace, teller, background, messages } = this.#parts;
    const age = formatAge(workspace.context.now() - Number(message.ts) * 1_000);
    if (age === undefined) return;
    const told = teller.openly(messages.placeOf(message), "notice", words.sentBefore(age));
    background.add("answer", told);
  }

  /** Whether one of them was known to nobody before. */
  #claim(all: readonly HeardMessage[], conversation: string): boolean {
    const { heard, context } = this.#parts.workspace;
    const claimed = all.filter(({ key, author }) =>
      heard.claim(key, { conversation, user: author.user }, context.now()),
    );
    return claimed.length > 0;
  }
}

function about(
  all: readonly HeardMessage[],
  conversation: string,
): Pick<Verdict, "conversation" | "message" | "user"> {
  const last = all.at(-1);
  return { conversation, message: last?.key, user: last?.author.user };
}

/** Each message once, in the order in which they were written. Pure. */
function mergeTurns(...parts: readonly (readonly Turn[])[]): readonly Turn[] {
  const all = new Map(parts.flat().map((turn) => [turn.messageId, turn]));
  const at = ({ messageId }: Turn) => Number(findTs(messageId) ?? 0);
  return [...all.values()].toSorted((one, other) => at(one) - at(other));
}
