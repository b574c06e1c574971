import type { Segment, TurnView } from "@acp-kit/router";
import type { QuestionEnd } from "../blocks/render-question.ts";

/** How a question of a turn has ended, if it has. Pure. */
export function questionEndOf(
  { segments, outcome }: Pick<TurnView, "segments" | "outcome">,
  permission: string,
): QuestionEnd | undefined {
  let answer: Extract<Segment, { kind: "answer" }> | undefined;
  for (const segment of segments) {
    if (segment.kind === "question" && segment.ask.id === permission) answer = undefined;
    if (segment.kind === "answer" && segment.permission === permission) answer = segment;
  }
  // Whoever takes over from a process that died lets its questions expire.
  if (outcome?.kind === "interrupted" && answer?.end !== "selected") return { kind: "interrupted" };
  if (!answer) return outcome && { kind: "cancelled", by: undefined };
  if (answer.end === "selected" && answer.option) {
    return { kind: "selected", option: answer.option, by: answer.by };
  }
  return answer.end === "expired" ? { kind: "expired" } : { kind: "cancelled", by: answer.by };
}
