import {
  type CancelCause,
  type FailurePhase,
  hasAnswer,
  openTools,
  type TurnOutcome,
  type TurnView,
} from "@acp-kit/router";
import { codeLabel } from "./label.ts";
import { renderMarkdown } from "./markdown.ts";
import { toolLabel } from "./tool-lines.ts";

const stops: Readonly<Record<CancelCause, string>> = {
  user: "_(stopped)_",
  superseded: "_(stopped: a newer message took over)_",
  edited: "_(stopped: the message was edited)_",
  deleted: "_(stopped: the message was deleted)_",
  stalled: "_(stopped: the agent had been silent for too long)_",
  limit: "_(stopped: the turn reached its limit)_",
  shutdown: "_(stopped: the relay is going down; send the message again in a while)_",
};

const skips: Readonly<Record<"steered" | "answered", string>> = {
  steered: "↪ _passed on to the answer that is being written_",
  answered: "_(the message was answered before it was changed; send it again to have it run)_",
};

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["max_tokens", "_(response truncated: max tokens)_"],
  ["max_turn_requests", "_(response truncated: max turns)_"],
  ["refusal", "_(the agent refused the request)_"],
  ["cancelled", "_(the agent stopped by itself)_"],
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
 * What a reader has to know about how a turn ended; empty when the answer speaks for itself.
 *
 * @param isEmpty - Nothing of the turn has been shown.
 */
export function renderOutcome(outcome: TurnOutcome, view: TurnView, isEmpty: boolean): string {
  switch (outcome.kind) {
    case "completed":
      return stopReasons.get(outcome.stopReason) ?? renderSilence(view, isEmpty);
    case "cancelled":
      return stops[outcome.cause];
    case "skipped":
      return skips[outcome.reason];
    case "interrupted":
      return renderFailure(
        `The relay was interrupted in the middle of this turn. Send a message to go on.${reference(outcome)}`,
      );
    case "agent-exited": {
      const { code, signal, phase } = outcome;
      const how = signal !== null ? `signal ${signal}` : `exit code ${code ?? "unknown"}`;
      const tool = openTools(view).at(-1);
      const running = tool ? ` It was running ${codeLabel(toolLabel(tool))}.` : "";
      return renderFailure(
        `The agent stopped unexpectedly ${phases[phase]} (${how}).${running} Your next message starts it again.${reference(outcome)}`,
      );
    }
    case "failed":
      return renderFailure(`${outcome.message}${reference(outcome)}`);
  }
}

/** What finds the rest in the operator's log. */
function reference({ ref }: { readonly ref?: string }): string {
  return ref === undefined ? "" : ` (ref ${ref})`;
}

/** A failure as a reader sees it. */
export function renderFailure(markdown: string): string {
  return `⚠️ ${renderMarkdown(markdown).text}`;
}

/** A turn without a word says so. A view without its beginning does not know what was said before. */
function renderSilence(view: TurnView, isEmpty: boolean): string {
  if (hasAnswer(view)) return "";
  if (view.who !== undefined) return "_(the agent ended its turn without an answer)_";
  return isEmpty ? "_(nothing more)_" : "";
}
