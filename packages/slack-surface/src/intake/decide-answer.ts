import { isVerdict, parseAnswer, parseCommand } from "@acp-kit/relay";
import type { PermissionAsk } from "@acp-kit/router";
import { isSubjectCut } from "../blocks/render-question.ts";

/** What a message says to the questions that are open. */
export type WrittenAnswer =
  /** Nothing: it is for the agent. */
  | { readonly kind: "none" }
  | {
      readonly kind: "answer";
      readonly ask: PermissionAsk;
      /** An option's id, or undefined: none of them. */
      readonly option: string | undefined;
    }
  | { readonly kind: "say"; readonly text: "noQuestion" | "manyQuestions" | "useButtons" };

/**
 * Reads a plain yes or no as the answer to the only open question. Never more than this once is allowed by it, and
 * nothing that a message does not show whole. Numbers are no answers: the options have none here. Pure.
 */
export function decideAnswer(text: string, asks: readonly PermissionAsk[]): WrittenAnswer {
  const isForQuestion = isVerdict(text);
  const [ask, ...others] = asks;
  if (!ask) return isForQuestion ? { kind: "say", text: "noQuestion" } : { kind: "none" };
  const parsed = parseCommand(text);
  const hasArgument = parsed?.kind === "command" && parsed.argument !== "";
  if (/^\W*\d/.test(text)) return { kind: "none" };
  if (isForQuestion && hasArgument) return { kind: "say", text: "useButtons" };
  const answer = parseAnswer(text, ask.options);
  if (answer.kind === "other") return { kind: "none" };
  if (others.length > 0) return { kind: "say", text: "manyQuestions" };
  if (answer.kind === "none") return { kind: "answer", ask, option: undefined };
  if (answer.kind === "unclear") return { kind: "say", text: "useButtons" };
  const option = ask.options.find(({ id }) => id === answer.option);
  const isAllowed = option?.kind.startsWith("allow") === true;
  return isAllowed && isSubjectCut(ask)
    ? { kind: "say", text: "useButtons" }
    : { kind: "answer", ask, option: answer.option };
}
