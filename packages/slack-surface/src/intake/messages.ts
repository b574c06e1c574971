import { parseCommand, parsePairing } from "@acp-kit/relay";
import {
  type OpenTurn,
  type PermissionAsk,
  type Role,
  RouterError,
  type RouterErrorCode,
  type Turn,
} from "@acp-kit/router";
import { attachmentsOf } from "../files/attachments-of.ts";
import { conversationKeyOf, type SlackWorkspace } from "../workspace.ts";
import type { Background } from "./background.ts";
import { BotLimit } from "./bot-limit.ts";
import { Commands } from "./commands.ts";
import { decideAnswer } from "./decide-answer.ts";
import type { Decisions } from "./decisions.ts";
import { EarlierWords } from "./earlier-words.ts";
import { conversationOf, isForBot } from "./follow.ts";
import { formatSpeaker } from "./format-speaker.ts";
import type { HeardMessage } from "./heard.ts";
import { judgeSomebody } from "./judge-person.ts";
import { type Asked, createPromptItem } from "./prompt-item.ts";
import type { Teller, TellPlace } from "./teller.ts";
import { refuseWith, type Verdict, type WordName } from "./verdict.ts";
import { words } from "./words.ts";

/** How long names that a message mentions are waited for, in milliseconds. */
const NAMES_WAIT_MS = 300;

/** Names that are asked for because of one message. */
const MAX_NEW_NAMES = 10;

export type MessagesParts = {
  readonly workspace: SlackWorkspace;
  readonly teller: Teller;
  readonly background: Background;
  readonly decisions: Decisions;
};

/** A message of somebody who may talk. */
export type Admitted = {
  readonly message: HeardMessage;
  readonly conversation: string;
  readonly user: string;
  readonly role: Role;
};

/** What people write, up to the router. */
export class Messages {
  readonly #workspace: SlackWorkspace;
  readonly #teller: Teller;
  readonly #background: Background;
  readonly #decisions: Decisions;
  readonly #commands: Commands;
  readonly #bots = new BotLimit();
  readonly #earlier: EarlierWords;

  constructor({ workspace, teller, background, decisions }: MessagesParts) {
    this.#workspace = workspace;
    this.#teller = teller;
    this.#background = background;
    this.#decisions = decisions;
    this.#commands = new Commands(workspace, teller, background);
    this.#earlier = new EarlierWords(workspace);
  }

  /**
   * Carries one message through. What it has led to is committed when it resolves, unless it comes again.
   *
   * @param read - Reads the message with the names that are known by then.
   */
  async take(message: HeardMessage, read: () => HeardMessage): Promise<Verdict> {
    const { heard, context } = this.#workspace;
    const { key, author } = message;
    const conversation = this.conversationOf(message);
    const about = { conversation, message: key, user: author.user };
    if (!isForBot(message, heard.followed(conversation), context.now())) {
      const answered = await this.#answerAside(message, conversation);
      if (answered) return answered;
      const reason = message.opensWithOther ? "to-somebody-else" : "no-mention";
      this.#earlier.leaveOut(message, conversation);
      return { ...about, decision: "drop", reason };
    }
    const known = heard.message(key);
    if (known && known.turn === undefined) return attached(about);
    const pairing = this.#pair(message, about);
    if (pairing) return pairing;
    const judged = await this.judge(message, conversation);
    if ("decision" in judged) {
      // The next start is not to find it missing, and tell its author once more.
      if (judged.decision === "refuse") {
        heard.claim(key, { conversation, user: author.user }, context.now());
      }
      return judged;
    }
    heard.noteShared(message.place.channel, message.place.isShared);
    return await this.decide({ ...judged, message: await this.#withNames(message, read) });
  }

  /**
   * Whether the author of a message may talk; tells them when they may not.
   *
   * @param counted - Names what counts among what bots say in a row; another one for each version of a message.
   */
  async judge(
    message: HeardMessage,
    conversation: string,
    counted = message.key,
  ): Promise<Pick<Admitted, "conversation" | "user" | "role"> | Verdict> {
    const { heard, context } = this.#workspace;
    const { key, author, place } = message;
    const about = { conversation, message: key, user: author.user };
    const judgement = await judgeSomebody(this.#workspace, author, place.channel);
    switch (judgement.kind) {
      case "unknown":
        this.#tellUnknown();
        return { ...about, decision: "drop", reason: "unknown-person", comesAgain: true };
      case "refused": {
        const admission = context.people.admit(judgement.person);
        const isTold = message.isAddressed && author.bot === undefined;
        if (admission.kind === "refused" && isTold && heard.mayRefuse(author.user, context.now())) {
          this.tell(message, "error", admission.text);
        }
        return { ...about, decision: "refuse", reason: "not-allowed" };
      }
      case "admitted": {
        if (author.bot === undefined) this.#bots.reset(conversation);
        else if (this.#bots.isReached(conversation, counted)) {
          return { ...about, decision: "drop", reason: "bot-loop" };
        }
        return { conversation, user: judgement.person.user, role: judgement.role };
      }
    }
  }

  conversationOf(message: Pick<HeardMessage, "place">): string {
    const { hasAgentView } = this.#workspace;
    return conversationKeyOf(this.#workspace, conversationOf(message, hasAgentView));
  }

  /** Where a message is answered openly: in its thread, unless all of the channel is one conversation. */
  placeOf({ place }: Pick<HeardMessage, "place">): TellPlace {
    const { channel, thread, kind, isInThread } = place;
    const isWhole = kind === "direct" && !isInThread && !this.#workspace.hasAgentView;
    return { channel, ...(!isWhole && { thread }) };
  }

  /** Where its author alone is told something: that is not shown in a thread that is not there yet. */
  privatePlaceOf(message: Pick<HeardMessage, "place">): TellPlace {
    const { channel, kind, isInThread } = message.place;
    return kind === "direct" || isInThread ? this.placeOf(message) : { channel };
  }

  /** A message as the router's transcript has it. */
  requestOf({ key, text, author, files }: HeardMessage): Turn {
    const name = this.#workspace.directory.names.user?.(author.user);
    const speaker = formatSpeaker(author.user, name);
    const attachments = attachmentsOf(files);
    return { role: "user", content: text, messageId: key, attachments, speaker };
  }

  /** What was said in a thread that was not for the bot, since it was last asked something there. */
  async earlier(message: HeardMessage, conversation: string): Promise<readonly Turn[]> {
    return await this.#earlier.of(message, conversation);
  }

  /** Asks the agent. Whatever else is to be told is told. */
  async ask(message: HeardMessage, conversation: string, asked: Asked): Promise<Verdict> {
    const { context, heard, open } = this.#workspace;
    const { key, author } = message;
    const { user } = asked;
    const about = { conversation, message: key, user };
    try {
      const item = createPromptItem(this.#workspace, asked);
      const { how, turn } = await context.router.submit(conversation, item);
      if (how === "refused") return { ...about, decision: "refuse", reason: "not-yours" };
      if (how === "late") return { ...about, decision: "drop", reason: "answered", turn };
      const at = context.now();
      // A process that was killed may have submitted it without this.
      if (how === "new" || !heard.message(key)) heard.keep(key, { conversation, user, turn }, at);
      heard.follow(conversation, author.user, at, Number(message.ts) * 1_000);
      open.mark(conversation);
      return how === "repeat"
        ? { ...attached(about), turn }
        : { ...about, decision: "run", reason: "prompt", turn };
    } catch (error) {
      const reason = error instanceof RouterError ? refusals[error.code] : undefined;
      if (!reason) throw error;
      if (reason === "restarting") return { ...about, decision: "drop", reason, comesAgain: true };
      // Of the two events of one message one tells.
      if (heard.claim(key, { conversation, user }, context.now())) {
        this.tell(message, "error", refusalWords[reason]);
      }
      return { ...about, decision: "refuse", reason };
    }
  }

  /** What somebody is told alone, about their own message. */
  tell(message: HeardMessage, kind: "notice" | "error", text: string): void {
    const told = this.#teller.privately(
      message.author.user,
      this.privatePlaceOf(message),
      kind,
      text,
    );
    this.#background.add("answer", told);
  }

  /** What a message of somebody who may talk comes to. */
  async decide(admitted: Admitted): Promise<Verdict> {
    const { context, bot } = this.#workspace;
    const { message, conversation, user, role } = admitted;
    const { key, text } = message;
    const request = this.requestOf(message);
    // Before anything of the message is kept: it may be a secret.
    const command = context.commands.recognise({
      ...{ conversation, bot: bot.name, user, role, key, text, query: [request] },
      at: context.now(),
    });
    if (command) {
      const places = { place: this.placeOf(message), privatePlace: this.privatePlaceOf(message) };
      const call = { command, conversation, user, key, ...places };
      return await this.#commands.run(call, ({ text, attachments }) =>
        this.ask(message, conversation, { key, user, text, query: [{ ...request, attachments }] }),
      );
    }
    const decided = await this.#decideByWords(admitted);
    if (decided) return decided;
    const earlier = await this.earlier(message, conversation);
    // Whoever has shared something first and turns to the bot then means that; of others only the names are told.
    const own = earlier.filter(({ speaker }) => speaker === request.speaker);
    const attachments = [request, ...own].flatMap((turn) => turn.attachments);
    const query = [...earlier, { ...request, attachments }];
    const verdict = await this.ask(message, conversation, { key, user, query });
    if (verdict.decision === "refuse") this.#earlier.untold(conversation);
    return verdict;
  }

  /** Stop, yes and no: what is said about a turn that there is. */
  async #decideByWords({
    message,
    conversation,
    user,
    role,
  }: Admitted): Promise<Verdict | undefined> {
    const { heard, context } = this.#workspace;
    const { key, ts, text } = message;
    const about = { conversation, message: key, user };
    const parsed = parseCommand(text);
    const word = parsed?.kind === "command" ? parsed.name : undefined;
    const turns = await this.#decisions.openTurns(conversation);
    const answer = decideAnswer(text, this.#asksBefore(ts, conversation, turns));
    if (word !== "stop" && word !== "continue" && answer.kind === "none") return undefined;
    if (!heard.claim(key, { conversation, user }, context.now())) return attached(about);
    try {
      if (word === "stop") {
        const stopped = await this.#decisions.stop(conversation, { user, role });
        if (stopped.kind === "stopped") {
          return { ...about, decision: "stop", reason: "asked", turn: stopped.turn };
        }
        return this.#refuse(message, about, stopped.kind === "none" ? "nothingRuns" : "notYours");
      }
      if (answer.kind === "answer") {
        const { ask, option } = answer;
        const posted = await this.#decisions.answer(conversation, { user, key }, ask.id, option);
        const isTheirs = user === ask.requester;
        if (posted.how === "late") return this.#refuse(message, about, "tooLate");
        if (posted.how === "refused") {
          return this.#refuse(message, about, isTheirs ? "approversOnly" : "notYours");
        }
        return { ...about, decision: "answer", reason: "option", turn: posted.turn };
      }
      return this.#refuse(message, about, answer.kind === "say" ? answer.text : "allShown");
    } catch (error) {
      heard.release(key);
      throw error;
    }
  }

  /**
   * A plain yes or no to the only open question of a thread, from somebody who may decide it and has not turned to the bot
   * there: whoever was asked to come and look does not mention it first. From anybody else it is a word among people.
   */
  async #answerAside(message: HeardMessage, conversation: string): Promise<Verdict | undefined> {
    const { author, place, text, ts } = message;
    if (!place.isInThread || message.opensWithOther || author.bot !== undefined) return undefined;
    if (this.#workspace.questions.of(conversation).length === 0) return undefined;
    const turns = await this.#decisions.openTurns(conversation);
    const answer = decideAnswer(text, this.#asksBefore(ts, conversation, turns));
    if (answer.kind !== "answer") return undefined;
    const judgement = await judgeSomebody(this.#workspace, author, place.channel);
    if (judgement.kind !== "admitted") return undefined;
    const { role, person } = judgement;
    if (role === "user" && person.user !== answer.ask.requester) return undefined;
    return await this.#decideByWords({ message, conversation, user: person.user, role });
  }

  /** The open questions that stood in the conversation when a message was written: it means no other. */
  #asksBefore(
    ts: string,
    conversation: string,
    turns: readonly OpenTurn[],
  ): readonly PermissionAsk[] {
    const shown = this.#workspace.questions
      .of(conversation)
      .filter((question) => Number(question.ts ?? Number.POSITIVE_INFINITY) < Number(ts));
    return turns.flatMap(({ turn, asks }) =>
      asks.filter(({ id }) => shown.some((one) => one.turn === turn && one.permission === id)),
    );
  }

  #refuse(message: HeardMessage, about: Omit<Verdict, "decision" | "reason">, name: WordName) {
    const { text, ...verdict } = refuseWith(about, name);
    this.tell(message, "notice", words[text]);
    return verdict;
  }

  /** Nobody is heard but those whom rules name: an operator can mend that, and nobody else knows. */
  #tellUnknown(): void {
    const { context, bot } = this.#workspace;
    const text = `Slack does not say who people are that write to ${bot.name}, so they are not answered. See whether its app has the scope users:read.`;
    context.notices.tell({ kind: "unknown-people", about: bot.name, text });
  }

  /** The code that makes somebody the first operator: they may not talk yet. */
  #pair(message: HeardMessage, about: Omit<Verdict, "decision" | "reason">): Verdict | undefined {
    const { context, heard, bot, identity } = this.#workspace;
    const { key, place, author } = message;
    const code = parsePairing(message.text);
    if (code === undefined || author.bot !== undefined) return undefined;
    const { conversation = "" } = about;
    if (!heard.claim(key, { conversation, user: author.user }, context.now())) {
      return attached(about);
    }
    const { kind, text } = context.people.pair(
      {
        ...{ surface: "slack", bot: bot.name, team: identity.team, channel: place.channel },
        ...{ isDirect: place.kind === "direct", user: author.user },
      },
      code,
    );
    this.tell(message, "notice", text);
    return { ...about, decision: "command", reason: `pairing-${kind}` };
  }

  async #withNames(message: HeardMessage, read: () => HeardMessage): Promise<HeardMessage> {
    const { directory } = this.#workspace;
    const unknown = message.mentions.filter((user) => !directory.isKnown(user));
    if (unknown.length === 0) return message;
    const asked = unknown.slice(0, MAX_NEW_NAMES);
    await Promise.all(asked.map((user) => directory.person(user, NAMES_WAIT_MS)));
    return read();
  }
}

function attached(about: Omit<Verdict, "decision" | "reason">): Verdict {
  return { ...about, decision: "attach", reason: "told-again" };
}

const refusals: Partial<Record<RouterErrorCode, "queue-full" | "empty-message" | "restarting">> = {
  "queue-full": "queue-full",
  "empty-prompt": "empty-message",
  closed: "restarting",
};

const refusalWords = {
  "queue-full": words.queueFull,
  "empty-message": words.emptyMessage,
} as const;
