import { parseConversationKey } from "@acp-kit/relay";
import { mayDecide, type PermissionAsk } from "@acp-kit/router";
import {
  isSubjectCut,
  offeredOptions,
  type QuestionClick,
  renderSubjectModal,
} from "../blocks/render-question.ts";
import type { KeptQuestion } from "../book/question-book.ts";
import type { SlackWorkspace } from "../workspace.ts";
import type { Decisions } from "./decisions.ts";
import { judgeSomebody } from "./judge-person.ts";
import type { SlackInteraction } from "./parse-interaction.ts";
import { refuseWith, type Verdict, type WordName } from "./verdict.ts";

type Click = Extract<SlackInteraction, { kind: "click" }>;
type Submission = Extract<SlackInteraction, { kind: "submission" }>;

/** What came of a click: `text` is to be told to the person alone. */
export type ClickOutcome = Verdict & { readonly text?: WordName };

type Clicker = Pick<Click, "user" | "userTeam">;

type OpenQuestion = {
  readonly question: KeptQuestion;
  readonly ask: PermissionAsk;
  readonly about: Pick<Verdict, "conversation" | "user" | "turn">;
};

/**
 * What people press on questions. Nothing that a click says counts but which question it means: what is asked, of whom
 * and where is what was kept, and what may be chosen is what the agent has sent and this person is offered now.
 */
export class QuestionClicks {
  readonly #workspace: SlackWorkspace;
  readonly #decisions: Decisions;

  constructor(workspace: SlackWorkspace, decisions: Decisions) {
    this.#workspace = workspace;
    this.#decisions = decisions;
  }

  async click(said: QuestionClick, click: Click): Promise<ClickOutcome> {
    const found = await this.#find(said.reference, click, click);
    if ("decision" in found) return found;
    if (said.kind === "show-all") return await this.#show(found, click);
    const { ask, question } = found;
    const option = ask.options[said.option];
    const isPrivate = question.channel.startsWith("D");
    const offered = offeredOptions({ ask, reference: question.reference, revision: 0, isPrivate });
    const isUnread = isSubjectCut(ask) && option?.kind.startsWith("reject") === false;
    if (!option || !offered.includes(option) || isUnread) {
      return refuseWith(found.about, "notOffered");
    }
    return await this.#answer(found, option.id, click);
  }

  /** The full view was submitted: that allows it once, where all of it was shown. */
  async submit({ metadata, ...clicker }: Submission): Promise<ClickOutcome> {
    const found = await this.#find(metadata, clicker, undefined);
    if ("decision" in found) return found;
    const { ask, question } = found;
    const { submit } = renderSubjectModal({ ask, reference: question.reference });
    const once = ask.options.find(({ kind }) => kind === "allow_once");
    if (submit === undefined || !once) return refuseWith(found.about, "notOffered");
    return await this.#answer(found, once.id, clicker);
  }

  /** @param place - Where the button was; a form has none. */
  async #find(
    reference: string,
    clicker: Clicker,
    place: Pick<Click, "channel" | "message"> | undefined,
  ): Promise<OpenQuestion | ClickOutcome> {
    const { bot, identity, questions } = this.#workspace;
    const { user, userTeam } = clicker;
    const question = questions.find(reference);
    if (!question) return refuseWith({ user }, "over");
    const { conversation, turn } = question;
    const about = { conversation, user, turn };
    const key = parseConversationKey(conversation);
    const isHere =
      key.bot === bot.name &&
      key.id.startsWith(`${identity.team}/`) &&
      (!place ||
        (question.channel === place.channel && (question.ts ?? place.message) === place.message));
    if (!isHere) return refuseWith(about, "otherClick");
    const somebody = { user, team: userTeam };
    const judged = await judgeSomebody(this.#workspace, somebody, question.channel);
    if (judged.kind !== "admitted") return refuseWith(about, "notAllowed");
    const turns = await this.#decisions.openTurns(conversation);
    const ask = turns
      .find((one) => one.turn === turn)
      ?.asks.find(({ id }) => id === question.permission);
    if (question.state === "ended" || !ask || ask.requester !== question.requester) {
      return refuseWith(about, "over");
    }
    return mayDecide(user, ask.requester, judged.role)
      ? { question, ask, about }
      : refuseWith(about, "notYours");
  }

  async #answer(
    { question, about }: OpenQuestion,
    option: string,
    { user }: Clicker,
  ): Promise<ClickOutcome> {
    const { conversation, permission, reference } = question;
    const key = `click:${reference}:${user}:${option}`;
    const { how } = await this.#decisions.answer(conversation, { user, key }, permission, option);
    if (how === "refused") return refuseWith(about, "approversOnly");
    if (how === "late") return refuseWith(about, "over");
    const reason = how === "repeat" ? "told-again" : "option";
    return { ...about, decision: how === "repeat" ? "attach" : "answer", reason };
  }

  async #show({ ask, question, about }: OpenQuestion, { trigger }: Click): Promise<ClickOutcome> {
    const view = renderSubjectModal({ ask, reference: question.reference });
    // What opens it is good for 3 s.
    const { kind } = await this.#workspace.call("views.open", { trigger_id: trigger, view });
    if (kind !== "ok") return refuseWith(about, "notShown");
    return { ...about, decision: "show", reason: "whole-question" };
  }
}
