import { describeAnswer, describeChoice } from "@acp-kit/relay";
import type { Segment } from "@acp-kit/router";
import { escapeLabel, quote } from "./label.ts";

/** One line on how a question ended that is not to be seen. */
export function renderAnswer(
  answer: Extract<Segment, { kind: "answer" }>,
  requester: string | undefined,
): string {
  const choice = describeChoice(answer, escapeLabel);
  return quote(describeAnswer(answer.end, choice, answer.by && nameOf(answer.by, requester)));
}

function nameOf(person: string, requester: string | undefined): string {
  if (requester === undefined) return "somebody";
  return person === requester ? "the requester" : "an approver";
}
