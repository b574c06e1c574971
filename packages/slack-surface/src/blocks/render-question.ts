import {
  describeAnswer,
  questionHeading,
  SUBJECT_IN_WORDS,
  saidOf,
  showInvisible,
} from "@acp-kit/relay";
import { needsApprover, type PermissionAsk, type PermissionOption } from "@acp-kit/router";
import { escapeText } from "../publish/escape-text.ts";
import { cutLines, shorten } from "./visible-text.ts";

/** What is shown of a subject in a message, in code points. A modal shows the rest. */
export const MAX_SUBJECT_CODE_POINTS = 2_500;

/** A modal has room for 100 blocks. */
const MAX_PIECES = 90;
const MAX_PIECE_CODE_POINTS = 2_900;

/** Text on a button may have 75 characters. */
const MAX_BUTTON_CODE_POINTS = 60;

export type SlackBlock = Readonly<Record<string, unknown>>;

/** A message's blocks, and the text that a notification shows of them. */
export type SlackBody = { readonly text: string; readonly blocks: readonly SlackBlock[] };

export type QuestionView = {
  readonly ask: PermissionAsk;
  /** Names the question towards the platform: says nothing by itself. */
  readonly reference: string;
  /** Different each time that the message is written: the platform wants fresh block ids. */
  readonly revision: number;
  /** One person alone uses the conversation: an answer that holds again binds nobody else. */
  readonly isPrivate: boolean;
};

/** How a question ended. */
export type QuestionEnd =
  | {
      readonly kind: "selected";
      readonly option: PermissionOption;
      readonly by: string | undefined;
    }
  | { readonly kind: "cancelled"; readonly by: string | undefined }
  | { readonly kind: "expired" }
  /** The relay that asked is gone. */
  | { readonly kind: "interrupted" };

type Choice = {
  readonly offer: string;
  readonly style?: "primary" | "danger";
};

const choices: ReadonlyMap<string, Choice> = new Map([
  ["allow_once", { offer: "Allow once", style: "primary" }],
  ["allow_always", { offer: "Always, for exactly this" }],
  ["reject_once", { offer: "No", style: "danger" }],
  ["reject_always", { offer: "Never", style: "danger" }],
]);

/** Opens the whole subject in a modal, from where it can be allowed. */
export const SHOW_ALL_ACTION = "question-show-all";

const OPTION_ACTION = "question-option-";

/** An open question, addressed to its requester, with what is really run and a button for each option. */
export function renderQuestion(view: QuestionView): SlackBody {
  const { ask } = view;
  const actions = renderActions(view);
  return {
    text: `${mention(ask.requester)} ${questionHeading(ask.toolKind)}`,
    blocks: [
      section(`${mention(ask.requester)} *${questionHeading(ask.toolKind)}*`),
      ...renderSubject(ask),
      ...(actions.length === 0
        ? []
        : [
            {
              type: "actions",
              block_id: `question-${view.reference}-${view.revision}`,
              elements: actions,
            },
          ]),
    ],
  };
}

/** A question that nobody can answer any more: the same, with how it ended in the place of its buttons. */
export function renderEndedQuestion(ask: PermissionAsk, end: QuestionEnd): SlackBody {
  const ending = describeEnd(end);
  return {
    text: `${questionHeading(ask.toolKind)} ${ending}`,
    blocks: [section(`*${questionHeading(ask.toolKind)}*`), ...renderSubject(ask), context(ending)],
  };
}

/** An open question where the platform takes no blocks: it is answered in words. */
export function renderPlainQuestion(ask: PermissionAsk): SlackBody {
  const shown = [...showInvisible(ask.subject)].slice(0, MAX_SUBJECT_CODE_POINTS).join("");
  const asked = `${mention(ask.requester)} ${questionHeading(ask.toolKind)}\n${quote(shown)}`;
  return { text: `${asked}\nAnswer with yes or no.`, blocks: [] };
}

/** A question that has ended where the platform takes no blocks. */
export function renderPlainEnd(ask: PermissionAsk, end: QuestionEnd): SlackBody {
  return { text: `${questionHeading(ask.toolKind)} ${describeEnd(end)}`, blocks: [] };
}

/** The options that are shown, in the agent's order: each was sent by the agent, and fewer are safe. */
export function offeredOptions({ ask, isPrivate }: QuestionView): readonly PermissionOption[] {
  const isCut = isSubjectCut(ask);
  return ask.options.filter(({ kind }) => {
    const holdsAgain = kind.endsWith("_always");
    if (kind === "allow_always" && isCut) return false;
    return !holdsAgain || isPrivate;
  });
}

/** Whether what is run is more than a message shows: allowing it needs the full view first. */
export function isSubjectCut(ask: PermissionAsk): boolean {
  return ask.subjectCut || [...showInvisible(ask.subject)].length > MAX_SUBJECT_CODE_POINTS;
}

/** What a pressed button says of itself. */
export type QuestionClick =
  | { readonly kind: "option"; readonly reference: string; readonly option: number }
  | { readonly kind: "show-all"; readonly reference: string };

/** Undefined for a button that is no question's. The index is one of the ask's own options. */
export function parseQuestionClick(actionId: string, value: string): QuestionClick | undefined {
  if (!/^[\w-]{1,64}$/.test(value)) return undefined;
  if (actionId === SHOW_ALL_ACTION) return { kind: "show-all", reference: value };
  const [, index] = /^question-option-(\d{1,3})$/.exec(actionId) ?? [];
  return index === undefined
    ? undefined
    : { kind: "option", reference: value, option: Number(index) };
}

/** Marks the submission of {@link renderSubjectModal}; its `private_metadata` is the question's reference. */
export const ALLOW_CALLBACK = "question-allow";

/** All that would be run, as far as the platform takes it. Where that is all, submitting it means to allow it once. */
export function renderSubjectModal({
  ask,
  reference,
}: Pick<QuestionView, "ask" | "reference">): Readonly<Record<string, unknown>> {
  const pieces = cutLines(showInvisible(ask.subject), MAX_PIECE_CODE_POINTS);
  const allowsOnce = ask.options.some(({ kind }) => kind === "allow_once");
  const isWhole = !ask.subjectCut && pieces.length <= MAX_PIECES;
  return {
    type: "modal",
    callback_id: ALLOW_CALLBACK,
    private_metadata: reference,
    title: { type: "plain_text", text: shorten(questionHeading(ask.toolKind), 24) },
    ...(isWhole && allowsOnce && { submit: { type: "plain_text", text: "Allow once" } }),
    close: { type: "plain_text", text: "Close" },
    blocks: [
      ...pieces.slice(0, MAX_PIECES).map(preformatted),
      ...(isWhole ? [] : [context("⚠️ That is only its beginning: it is too long to show.")]),
    ],
  };
}

function renderActions(view: QuestionView): readonly SlackBlock[] {
  const { ask, reference } = view;
  const isCut = isSubjectCut(ask);
  const options = offeredOptions(view).filter(({ kind }) => !isCut || kind.startsWith("reject"));
  const buttons = options.map((option) => renderButton(ask, option, reference));
  return isCut
    ? [button(SHOW_ALL_ACTION, "Show all of it", reference, "primary"), ...buttons]
    : buttons;
}

function renderButton(ask: PermissionAsk, option: PermissionOption, reference: string): SlackBlock {
  const choice = choices.get(option.kind);
  const name = shorten(showInvisible(option.name), 40);
  const isAlone = ask.options.filter(({ kind }) => kind === option.kind).length === 1;
  const label = choice && (isAlone || name === "") ? choice.offer : withName(choice?.offer, name);
  const limit = needsApprover(ask, option) ? " (approvers)" : "";
  const action = `${OPTION_ACTION}${ask.options.indexOf(option)}`;
  return {
    ...button(action, `${label}${limit}`, reference, choice?.style),
    ...(option.kind === "allow_always" && { confirm: confirmation }),
  };
}

const confirmation = {
  title: { type: "plain_text", text: "Always?" },
  text: { type: "plain_text", text: "From now on this will run without a question." },
  confirm: { type: "plain_text", text: "Always" },
  deny: { type: "plain_text", text: "Back" },
};

function withName(offer: string | undefined, name: string): string {
  if (offer === undefined) return name === "" ? "(no name)" : name;
  return `${offer} (${name})`;
}

function renderSubject(ask: PermissionAsk): readonly SlackBlock[] {
  const points = [...showInvisible(ask.subject)];
  const shown = points.slice(0, MAX_SUBJECT_CODE_POINTS).join("");
  return [preformatted(shown), ...renderCaveats(ask).map(context)];
}

/** What the subject does not say about itself. */
function renderCaveats(ask: PermissionAsk): readonly string[] {
  if (isSubjectCut(ask))
    return ["⚠️ That is only its beginning. Look at all of it before you allow it."];
  if (ask.subjectFrom === "title") {
    return [SUBJECT_IN_WORDS];
  }
  return [];
}

function describeEnd(end: QuestionEnd): string {
  switch (end.kind) {
    case "selected":
      return describeAnswer(
        "selected",
        choiceOf(end.option),
        end.by === undefined ? undefined : mention(end.by),
      );
    case "cancelled":
      return describeAnswer("cancelled", "", end.by === undefined ? undefined : mention(end.by));
    case "expired":
      return describeAnswer("expired", "", undefined);
    case "interrupted":
      return "✗ the relay was restarted, so this can no longer be answered";
  }
}

function choiceOf({ kind, name }: PermissionOption): string {
  return saidOf(kind) ?? `✓ answered “${escapeText(shorten(showInvisible(name), 40))}”`;
}

/** Only ids of the platform's own shape become a mention. */
function mention(user: string): string {
  return /^[UW][A-Z0-9]+$/.test(user) ? `<@${user}>` : "somebody";
}

/** Lines that stand for themselves, with nothing in them that counts as a mention or as markup of code. */
function quote(text: string): string {
  const plain = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `\`\`\`\n${plain.replaceAll("`", "\u02cb")}\n\`\`\``;
}

function section(text: string): SlackBlock {
  return { type: "section", text: { type: "mrkdwn", text } };
}

function context(text: string): SlackBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text }] };
}

/** Text that the platform reads nothing into. */
function preformatted(text: string): SlackBlock {
  const elements = [{ type: "text", text: text === "" ? " " : text }];
  return { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements }] };
}

function button(
  action: string,
  text: string,
  value: string,
  style: Choice["style"] | undefined,
): SlackBlock {
  return {
    type: "button",
    action_id: action,
    text: { type: "plain_text", text: shorten(text, MAX_BUTTON_CODE_POINTS) },
    value,
    ...(style !== undefined && { style }),
  };
}
