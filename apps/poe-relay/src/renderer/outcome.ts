import { describeOutcome } from "@acp-kit/relay";
import type { TurnOutcome, TurnView } from "@acp-kit/router";
import { codeLabel } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";

/**
 * What a reader has to know about how a turn ended; empty when the answer speaks for itself.
 *
 * @param isEmpty - Nothing of the turn has been shown.
 */
export function renderOutcome(outcome: TurnOutcome, view: TurnView, isEmpty: boolean): string {
  const ending = describeOutcome(outcome, view, isEmpty, codeLabel);
  if (ending === undefined) return "";
  if (ending.kind === "failure") return renderFailure(ending.markdown);
  return `${ending.sign === undefined ? "" : `${ending.sign} `}_${ending.text}_`;
}

/** A failure as a reader sees it. */
export function renderFailure(markdown: string): string {
  return `⚠️ ${renderMarkdown(markdown).text}`;
}
