import type { SlackWorkspace } from "../workspace.ts";
import type { Heard, HeardMessage } from "./heard.ts";
import type { Admitted, Messages, MessagesParts } from "./messages.ts";
import { parseHistoryMessage } from "./parse-event.ts";
import { readMessage } from "./read-message.ts";
import { renderRunAgainButton } from "./run-again-button.ts";
import type { Verdict } from "./verdict.ts";
import { words } from "./words.ts";

/** How old a message may be that is changed so that it mentions the bot, in milliseconds. */
const NEW_MENTION_MS = 3_600_000;

type Judged = Pick<Admitted, "conversation" | "user" | "role">;

type Edit = Extract<Heard, { kind: "edit" }>;

/** What becomes of messages that people change or take back. */
export class Changes {
  readonly #workspace: SlackWorkspace;
  readonly #parts: MessagesParts;
  readonly #messages: Messages;

  constructor(parts: MessagesParts, messages: Messages) {
    this.#workspace = parts.workspace;
    this.#parts = parts;
    this.#messages = messages;
  }

  /**
   * A new version of a message: waiting, it takes the place of the old one; running, the turn runs anew or is corrected;
   * what was answered its author may run again.
   */
  async edit({ message, wasAddressed, version }: Edit): Promise<Verdict> {
    const { heard, context } = this.#workspace;
    const { key, author, ts, isAddressed } = message;
    const conversation = this.#messages.conversationOf(message);
    const about = { conversation, message: key, user: author.user };
    const known = heard.message(key);
    if (!known) {
      const isRecent = context.now() - Number(ts) * 1_000 < NEW_MENTION_MS;
      if (isAddressed && !wasAddressed && isRecent) {
        return await this.#messages.take(message, () => message);
      }
      return { ...about, decision: "drop", reason: "edit-of-unknown" };
    }
    if (known.turn === undefined) return { ...about, decision: "drop", reason: "edit-of-command" };
    const edited = `${key}#${version}`;
    const judged = await this.#messages.judge(message, conversation, edited);
    if ("decision" in judged) return judged;
    if (this.#isForRelay(judged, message)) {
      return { ...about, decision: "drop", reason: "edited-to-command" };
    }
    const verdict = await this.#messages.ask(message, conversation, {
      key: edited,
      user: judged.user,
      query: [this.#messages.requestOf(message)],
      replaces: known.turn,
    });
    if (verdict.reason !== "answered") {
      return verdict.decision === "run" ? { ...verdict, reason: "edited" } : verdict;
    }
    const { teller, background } = this.#parts;
    const blocks = [renderRunAgainButton(ts)];
    const place = this.#messages.privatePlaceOf(message);
    background.add(
      "answer",
      teller.privately(author.user, place, "notice", words.editedLate, blocks),
    );
    return { ...verdict, decision: "refuse" };
  }

  /** Runs a message as it is now, for its author. */
  async runAgain(channel: string, ts: string, clicker: string): Promise<Verdict> {
    const { identity, directory } = this.#workspace;
    const wire = await readMessage(this.#workspace, channel, ts);
    const names = directory.names;
    const message = wire && parseHistoryMessage(wire, channel, { identity, names });
    if (message?.kind !== "message") return { decision: "refuse", reason: "not-found" };
    const { key, author } = message;
    const conversation = this.#messages.conversationOf(message);
    const about = { conversation, message: key, user: clicker };
    if (author.user !== clicker) return { ...about, decision: "refuse", reason: "not-yours" };
    const judged = await this.#messages.judge(message, conversation);
    if ("decision" in judged) return judged;
    if (this.#isForRelay(judged, message)) {
      return { ...about, decision: "drop", reason: "edited-to-command" };
    }
    const again = `${key}#again#${wire?.edited?.ts ?? ""}`;
    const { user } = judged;
    const query = [this.#messages.requestOf(message)];
    const verdict = await this.#messages.ask(message, conversation, { key: again, user, query });
    return verdict.decision === "run" ? { ...verdict, reason: "run-again" } : verdict;
  }

  /** What a message asks of the relay now it could ask by one of its own; and no agent is to see what a login waits for. */
  #isForRelay({ conversation, user, role }: Judged, message: HeardMessage): boolean {
    const { context, bot } = this.#workspace;
    const { key, text } = message;
    const query = [this.#messages.requestOf(message)];
    const at = context.now();
    const asked = { conversation, bot: bot.name, user, role, key, text, query, at };
    return context.commands.recognise(asked) !== undefined;
  }

  /** A message that was taken back takes its turn with it, unless that has ended; its text is kept in no case. */
  async remove({ key, place }: Extract<Heard, { kind: "deletion" }>): Promise<Verdict> {
    const conversation = this.#messages.conversationOf({ place });
    const known = this.#workspace.heard.message(key);
    const about = { conversation: known?.conversation ?? conversation, message: key };
    const { decisions } = this.#parts;
    const turn = known?.turn;
    const how = turn && (await decisions.cancel(about.conversation, turn, "deleted"));
    // What became of a message is known for days, and what it said for longer.
    const isKept = await decisions.redact(about.conversation, key);
    if (turn === undefined) {
      return { ...about, decision: "drop", reason: isKept ? "redacted" : "edit-of-unknown" };
    }
    return how === "late"
      ? { ...about, decision: "drop", reason: "redacted", turn }
      : { ...about, decision: "stop", reason: "deleted", turn };
  }
}
