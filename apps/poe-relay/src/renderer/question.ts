import {
  needsApprover,
  type PermissionAsk,
  type PermissionOption,
  type Segment,
} from "@acp-kit/router";
import { codeLabel, escapeLabel, MAX_TITLE_CODE_POINTS, oneLine } from "./label.ts";
import { QUESTION_MARK } from "./question-mark.ts";

const headings: ReadonlyMap<string, string> = new Map([
  ["read", "Read this?"],
  ["edit", "Change this?"],
  ["delete", "Delete this?"],
  ["move", "Move this?"],
  ["search", "Search for this?"],
  ["execute", "Run this?"],
  ["fetch", "Fetch this?"],
  ["switch_mode", "Switch the mode?"],
]);

/** What choosing an option means, by its kind, and how it is said once somebody did. */
const choices: ReadonlyMap<string, { readonly offer: string; readonly said: string }> = new Map([
  ["allow_once", { offer: "once", said: "✓ allowed once" }],
  ["allow_always", { offer: "always, for exactly this", said: "✓ allowed always" }],
  ["reject_once", { offer: "no", said: "✗ refused" }],
  ["reject_always", { offer: "never", said: "✗ refused always" }],
]);

/** A question with what is really run, and its options in the agent's order, numbered from 1. */
export function renderQuestion(ask: PermissionAsk): string {
  const title = label(ask.title);
  return [
    `${QUESTION_MARK} **${headings.get(ask.toolKind) ?? "Allow this?"}**`,
    codeBlock(showInvisible(ask.subject)),
    ...renderCaveats(ask, title),
    renderOptions(ask),
  ].join("\n\n");
}

type Answer = Extract<Segment, { kind: "answer" }>;

/** One line on how a question ended. */
export function renderAnswer(answer: Answer, requester: string | undefined): string {
  const by = answer.by === undefined ? "" : byWhom(answer.by, requester);
  switch (answer.end) {
    case "selected":
      return `> ${saidBy(answer)}${by || " by the relay's rules"}`;
    case "cancelled":
      return by === "" ? "> ✗ the question was withdrawn" : `> ✗ refused${by}`;
    case "expired":
      return "> ✗ nobody answered in time, so the agent was told no";
  }
}

/** What the subject does not say about itself. */
function renderCaveats(ask: PermissionAsk, title: string): string[] {
  if (ask.subjectCut) return ["⚠️ That is only its beginning: it is too long to show here."];
  if (ask.subjectFrom === "title") {
    return ["⚠️ Those are the agent's own words; it did not say what it would really do."];
  }
  const isSaid = title === "" || title === label(ask.subject);
  return isSaid ? [] : [`The agent calls it ${codeLabel(title)}.`];
}

/** Every character that a reader could not see, or that changes the order of others, as its code point. */
export function showInvisible(text: string): string {
  return text.replace(
    /[^\P{Z} ]|[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

function saidBy({ option, remembered }: Answer): string {
  if (remembered === "now") return "✓ allowed, from now on always for exactly this,";
  if (remembered === "before") return "✓ allowed as before";
  return option ? said(option) : "✓ answered";
}

function said(option: PermissionOption): string {
  return choices.get(option.kind)?.said ?? `✓ answered “${escapeLabel(label(option.name))}”`;
}

/** Whoever reads a view without its beginning is the person whose answer made it go on. */
function byWhom(person: string, requester: string | undefined): string {
  return requester === undefined || person === requester ? " by you" : " by an approver";
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
  const word = choices.get(option.kind)?.offer;
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
