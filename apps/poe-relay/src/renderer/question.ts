import {
  describeAnswer,
  describeChoice,
  MAX_TITLE_CODE_POINTS,
  oneLine,
  questionHeading,
  SUBJECT_IN_WORDS,
  showInvisible,
} from "@acp-kit/relay";
import {
  needsApprover,
  type PermissionAsk,
  type PermissionOption,
  type Segment,
} from "@acp-kit/router";
import { codeLabel, escapeLabel } from "./label.ts";
import { QUESTION_MARK } from "./question-mark.ts";

/** What choosing an option means, by its kind. */
const offers: ReadonlyMap<string, string> = new Map([
  ["allow_once", "once"],
  ["allow_always", "always, for exactly this"],
  ["reject_once", "no"],
  ["reject_always", "never"],
]);

/** A question with what is really run, and its options in the agent's order, numbered from 1. */
export function renderQuestion(ask: PermissionAsk): string {
  const title = label(ask.title);
  return [
    `${QUESTION_MARK} **${questionHeading(ask.toolKind)}**`,
    codeBlock(showInvisible(ask.subject)),
    ...renderCaveats(ask, title),
    renderOptions(ask),
  ].join("\n\n");
}

type Answer = Extract<Segment, { kind: "answer" }>;

/** One line on how a question ended. */
export function renderAnswer(answer: Answer, requester: string | undefined): string {
  const by = answer.by === undefined ? undefined : nameOf(answer.by, requester);
  return `> ${describeAnswer(answer.end, describeChoice(answer, escapeLabel), by)}`;
}

/** What the subject does not say about itself. */
function renderCaveats(ask: PermissionAsk, title: string): string[] {
  if (ask.subjectCut) return ["⚠️ That is only its beginning: it is too long to show here."];
  if (ask.subjectFrom === "title") {
    return [SUBJECT_IN_WORDS];
  }
  const isSaid = title === "" || title === label(ask.subject);
  return isSaid ? [] : [`The agent calls it ${codeLabel(title)}.`];
}

/** Whoever reads a view without its beginning is the person whose answer made it go on. */
function nameOf(person: string, requester: string | undefined): string {
  return requester === undefined || person === requester ? "you" : "an approver";
}

function renderOptions(ask: PermissionAsk): string {
  const numbered = ask.options.map((option, index) => {
    const limit = needsApprover(ask, option) ? " (approvers only)" : "";
    return `\`${index + 1}\` ${offer(option, ask.options)}${limit}`;
  });
  const other = "anything else counts as no and is passed on.";
  return numbered.length === 0 ? `Reply: ${other}` : `${numbered.join(" · ")} — ${other}`;
}

/** The meaning of an option's kind; with the agent's name for it where that says more: how far "never" goes, which "once". */
function offer(option: PermissionOption, all: readonly PermissionOption[]): string {
  const word = offers.get(option.kind);
  const name = escapeLabel(label(option.name));
  if (word === undefined) return name || "(no name)";
  const alone = all.filter((other) => other.kind === option.kind).length === 1;
  const clear = alone && option.kind !== "reject_always";
  return clear || name === "" ? word : `${word} (${name})`;
}

/** The agent's words on one line, with nothing hidden in them. */
function label(text: string): string {
  return showInvisible(oneLine(text, MAX_TITLE_CODE_POINTS));
}

function codeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
