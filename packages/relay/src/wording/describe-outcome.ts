import {
  type CancelCause,
  type FailurePhase,
  hasAnswer,
  openTools,
  type TurnOutcome,
  type TurnView,
} from "@acp-kit/router";
import { toolLabel } from "./tool-words.ts";

/** What a reader has to know about how a turn ended. */
export type Ending =
  /** Said by the way. @param sign - Stands before it. */
  | { readonly kind: "remark"; readonly sign?: string; readonly text: string }
  /** Something went wrong; its text may hold Markdown of an agent. */
  | { readonly kind: "failure"; readonly markdown: string };

const stops: Readonly<Record<CancelCause, string>> = {
  user: "(stopped)",
  superseded: "(stopped: a newer message took over)",
  edited: "(stopped: the message was edited)",
  deleted: "(stopped: the message was deleted)",
  stalled: "(stopped: the agent had been silent for too long)",
  limit: "(stopped: the turn reached its limit)",
  shutdown: "(stopped: the relay is going down; send the message again in a while)",
};

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["max_tokens", "(response truncated: max tokens)"],
  ["max_turn_requests", "(response truncated: max turns)"],
  ["refusal", "(the agent refused the request)"],
  ["cancelled", "(the agent stopped by itself)"],
]);

const phases: Readonly<Record<FailurePhase, string>> = {
  start: "while starting",
  session: "while opening the session",
  prompt: "while answering",
};

/** True for an end that a status line may stand under: an answer, whole or cut short. */
export function isAnswer(outcome: TurnOutcome): boolean {
  return (
    outcome.kind === "completed" &&
    outcome.stopReason !== "refusal" &&
    outcome.stopReason !== "cancelled"
  );
}

/**
 * How a turn ended; `undefined` when the answer speaks for itself. Pure.
 *
 * @param isEmpty - Nothing of the turn has been shown.
 * @param code - A label as the app writes code within a line.
 */
export function describeOutcome(
  outcome: TurnOutcome,
  view: TurnView,
  isEmpty: boolean,
  code: (label: string) => string,
): Ending | undefined {
  switch (outcome.kind) {
    case "completed":
      return remark(stopReasons.get(outcome.stopReason) ?? describeSilence(view, isEmpty));
    case "cancelled":
      return remark(stops[outcome.cause]);
    case "skipped":
      return outcome.reason === "steered"
        ? { kind: "remark", sign: "↪", text: "passed on to the answer that is being written" }
        : remark("(the message was answered before it was changed; send it again to have it run)");
    case "interrupted":
      return failure(
        "The relay was interrupted in the middle of this turn. Send a message to go on.",
        outcome,
      );
    case "agent-exited": {
      const { code: exitCode, signal, phase } = outcome;
      const how = signal !== null ? `signal ${signal}` : `exit code ${exitCode ?? "unknown"}`;
      const tool = openTools(view).at(-1);
      const running = tool ? ` It was running ${code(toolLabel(tool))}.` : "";
      return failure(
        `The agent stopped unexpectedly ${phases[phase]} (${how}).${running} Your next message starts it again.`,
        outcome,
      );
    }
    case "failed":
      return failure(outcome.message, outcome);
  }
}

function remark(text: string | undefined): Ending | undefined {
  return text === undefined ? undefined : { kind: "remark", text };
}

/** With what finds the rest in the operator's log. */
function failure(markdown: string, { ref }: { readonly ref?: string }): Ending {
  return { kind: "failure", markdown: ref === undefined ? markdown : `${markdown} (ref ${ref})` };
}

/** A turn without a word says so. A view without its beginning does not know what was said before. */
function describeSilence(view: TurnView, isEmpty: boolean): string | undefined {
  if (hasAnswer(view)) return undefined;
  if (view.who !== undefined) return "(the agent ended its turn without an answer)";
  return isEmpty ? "(nothing more)" : undefined;
}
