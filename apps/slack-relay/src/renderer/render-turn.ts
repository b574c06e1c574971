import {
  describeOutcome,
  formatContextUse,
  formatStatus,
  isAnswer,
  readStatus,
} from "@acp-kit/relay";
import type { RenderContext, TurnOutcome, TurnView } from "@acp-kit/router";
import { defuse, type SlackPart } from "@acp-kit/slack-surface";
import { Draft, type Drafted, partsOf } from "./draft.ts";
import { codeLabel, escapeLabel } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";
import { addBlock } from "./page.ts";

/** What stays of a view. Grows at its end only while the view advances. */
export function renderTurn(view: TurnView, context: RenderContext): readonly SlackPart[] {
  const drafted = findDraft(view, context).advance(view);
  const { outcome } = view;
  return partsOf(outcome ? withEnd(drafted, outcome, view, context.show.plan) : drafted);
}

function withEnd(
  drafted: Drafted,
  outcome: TurnOutcome,
  view: TurnView,
  showPlan: boolean,
): Drafted {
  const { parts, page } = drafted;
  const isEmpty = parts.length === 0 && page.text === "";
  const told = addBlock(page, defuse(renderOutcome(outcome, view, isEmpty)));
  if (isEmpty || !isAnswer(outcome)) return { parts, page: told };
  return { parts, page: addBlock(told, defuse(renderFooter(view, showPlan))) };
}

function renderOutcome(outcome: TurnOutcome, view: TurnView, isEmpty: boolean): string {
  const ending = describeOutcome(outcome, view, isEmpty, codeLabel);
  if (ending === undefined) return "";
  if (ending.kind === "failure") return renderFailure(ending.markdown);
  return `${ending.sign === undefined ? "" : `${ending.sign} `}_${ending.text}_`;
}

/** A failure as a reader sees it. */
export function renderFailure(markdown: string): string {
  return `⚠️ ${renderMarkdown(markdown, false).text}`;
}

function renderFooter(view: TurnView, showPlan: boolean): string {
  const { usage } = view;
  const use = usage ? formatContextUse(usage) : "";
  const line = formatStatus(readStatus(view, showPlan), escapeLabel, use);
  return line === "" ? "" : `_${line}_`;
}

// By whoever renders one turn again and again.
const drafts = new WeakMap<object, Draft>();

function findDraft(view: TurnView, { show, memo }: RenderContext): Draft {
  const known = memo && drafts.get(memo);
  if (known?.isOf(view, show)) return known;
  const draft = new Draft(view, show);
  if (memo) drafts.set(memo, draft);
  return draft;
}
