import { ALLOW_CALLBACK, parseQuestionClick } from "../blocks/render-question.ts";
import { parseStopClick } from "../blocks/stop-button.ts";
import { conversationAt, type SlackWorkspace } from "../workspace.ts";
import type { Changes } from "./changes.ts";
import type { Heard } from "./heard.ts";
import { judgeSomebody } from "./judge-person.ts";
import { LOGIN_CALLBACK, parseLoginClick, renderLoginModal } from "./login-form.ts";
import { Logins } from "./logins.ts";
import type { MessagesParts } from "./messages.ts";
import type { SlackInteraction } from "./parse-interaction.ts";
import { type ClickOutcome, QuestionClicks } from "./question-clicks.ts";
import { parseRunAgainClick } from "./run-again-button.ts";
import { SlashCommands } from "./slash-commands.ts";
import { STOP_SHORTCUT } from "./stop-shortcut.ts";
import { refuseWith, type Verdict } from "./verdict.ts";
import { words } from "./words.ts";

type Click = Extract<SlackInteraction, { kind: "click" }>;
type Submission = Extract<SlackInteraction, { kind: "submission" }>;
type Answer = Readonly<Record<string, unknown>>;

/** What people do with what the app has shown them, and what they ask of it outside of messages. */
export class Interactions {
  readonly #workspace: SlackWorkspace;
  readonly #parts: MessagesParts;
  readonly #changes: Changes;
  readonly #questions: QuestionClicks;
  readonly #logins: Logins;
  readonly #slash: SlashCommands;

  constructor(parts: MessagesParts, changes: Changes) {
    const { workspace, decisions } = parts;
    this.#workspace = workspace;
    this.#parts = parts;
    this.#changes = changes;
    this.#questions = new QuestionClicks(workspace, decisions);
    this.#logins = new Logins(parts);
    this.#slash = new SlashCommands(parts);
  }

  /** @param ack - To be called with what the platform is answered; what is shown by it counts as told. */
  async take(interaction: SlackInteraction, ack: (answer?: Answer) => void): Promise<Verdict> {
    switch (interaction.kind) {
      case "ignored":
        ack();
        return { decision: "drop", reason: interaction.reason };
      case "click": {
        const outcome = await this.#click(interaction);
        ack();
        return this.#tellPressed(outcome, interaction);
      }
      case "shortcut": {
        const outcome = await this.#shortcut(interaction);
        ack();
        return this.#tellPressed(outcome, interaction);
      }
      case "submission":
        return await this.#submit(interaction, ack);
      case "command":
        return await this.#slash.take(interaction, ack);
    }
  }

  /** The platform's own Stop, which has ended what is shown by then. */
  async stop({ channel, thread, user }: Extract<Heard, { kind: "stop" }>): Promise<Verdict> {
    const { text, ...verdict } = await this.#stop({ channel, user, userTeam: undefined }, thread);
    // Often the turn has just ended by itself.
    if (text === undefined || text === "nothingRuns") return verdict;
    return this.#tellPressed({ ...verdict, text }, { user, channel, thread });
  }

  async #click(click: Click): Promise<ClickOutcome> {
    const { action, value, user, channel, message, thread } = click;
    const question = parseQuestionClick(action, value);
    if (question) return this.#audit(await this.#questions.click(question, click));
    const turn = parseStopClick(action, value);
    if (turn !== undefined) return await this.#stop(click, thread ?? message, turn);
    const again = parseRunAgainClick(action, value);
    if (again !== undefined) {
      const verdict = await this.#changes.runAgain(channel, again, user);
      return verdict.decision === "refuse" && verdict.reason === "not-found"
        ? refuseWith(verdict, "notFound")
        : verdict;
    }
    const login = parseLoginClick(action, value);
    if (login !== undefined) return await this.#openLogin(login, click);
    return { user, decision: "drop", reason: "unknown-action" };
  }

  async #shortcut(
    shortcut: Extract<SlackInteraction, { kind: "shortcut" }>,
  ): Promise<ClickOutcome> {
    const { callback, user, message, thread } = shortcut;
    if (callback !== STOP_SHORTCUT) return { user, decision: "drop", reason: "unknown-action" };
    return await this.#stop(shortcut, thread ?? message);
  }

  async #stop(
    { channel, user, userTeam }: Pick<Click, "channel" | "user"> & { userTeam: string | undefined },
    thread: string,
    turn?: string,
  ): Promise<ClickOutcome> {
    const conversation = conversationAt(this.#workspace, channel, thread);
    const about = { conversation, user };
    const judged = await judgeSomebody(this.#workspace, { user, team: userTeam }, channel);
    if (judged.kind !== "admitted") return refuseWith(about, "notAllowed");
    const { role } = judged;
    const stopped = await this.#parts.decisions.stop(conversation, { user, role }, turn);
    if (stopped.kind === "none") return refuseWith(about, "nothingRuns");
    if (stopped.kind === "not-theirs") return refuseWith(about, "notYours");
    return { ...about, decision: "stop", reason: "asked", turn: stopped.turn };
  }

  async #openLogin(
    conversation: string,
    { trigger, user, channel, thread }: Click,
  ): Promise<ClickOutcome> {
    const about = { conversation, user };
    const place = JSON.stringify({ conversation, channel, thread });
    const view = renderLoginModal(place);
    const { kind } = await this.#workspace.call("views.open", { trigger_id: trigger, view });
    if (kind !== "ok") return refuseWith(about, "notShown");
    return { ...about, decision: "show", reason: "login-form" };
  }

  async #submit(submission: Submission, ack: (answer?: Answer) => void): Promise<Verdict> {
    switch (submission.callback) {
      case LOGIN_CALLBACK:
        return await this.#logins.submit(submission, ack);
      case ALLOW_CALLBACK: {
        const { text, ...verdict } = this.#audit(await this.#questions.submit(submission));
        ack(
          text === undefined ? undefined : { response_action: "update", view: sayIn(words[text]) },
        );
        return verdict;
      }
      default:
        ack();
        return { user: submission.user, decision: "drop", reason: "unknown-action" };
    }
  }

  /** What somebody has tried with a question and may not is kept, with who it was. */
  #audit(outcome: ClickOutcome): ClickOutcome {
    const { context, bot } = this.#workspace;
    const { decision, reason: result, user: who, conversation } = outcome;
    if (decision === "refuse" && outcome.text !== "notShown") {
      const about = { surface: "slack", bot: bot.name, what: "question", decision: "refused" };
      context.audit?.append({ ...about, who, conversation, result });
    }
    return outcome;
  }

  #tellPressed(
    { text, ...verdict }: ClickOutcome,
    { user, channel, thread }: Pick<Click, "user" | "channel" | "thread">,
  ): Verdict {
    if (text !== undefined) {
      const { teller, background } = this.#parts;
      const place = { channel, thread };
      background.add("answer", teller.privately(user, place, "notice", words[text]));
    }
    return verdict;
  }
}

/** A form in which there is only something to read. */
function sayIn(text: string): Answer {
  return {
    type: "modal",
    title: { type: "plain_text", text: "Not done" },
    close: { type: "plain_text", text: "Close" },
    blocks: [{ type: "section", text: { type: "plain_text", text } }],
  };
}
