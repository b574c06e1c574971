import { describePlan, toolLabel } from "@acp-kit/relay";
import {
  type Display,
  isToolEnded,
  type ToolView,
  type TurnOutcome,
  type TurnView,
} from "@acp-kit/router";
import { defuse, type TaskCard } from "@acp-kit/slack-surface";

/**
 * The steps of a turn's plan, and its tool calls, for streams. A card keeps its id while the turn advances; of what
 * still ran when the turn ended, it says that it ended as the turn did.
 */
export function renderCards(view: TurnView, show: Display): readonly TaskCard[] {
  const { outcome } = view;
  const steps = show.plan ? describePlan(view.plan).entries : [];
  return [
    ...steps.map(({ text, status }, at) => ({
      id: `step-${at}`,
      title: defuse(text),
      status: stepStatus(status),
    })),
    ...(show.tools ? Array.from(view.tools, (tool, at) => toolCard(tool, at, outcome)) : []),
  ];
}

function toolCard(tool: ToolView, at: number, outcome: TurnOutcome | undefined): TaskCard {
  return {
    id: `tool-${at}`,
    title: defuse(toolLabel(tool)),
    status: toolStatus(tool.status, outcome),
  };
}

function toolStatus(status: string, outcome: TurnOutcome | undefined): TaskCard["status"] {
  if (isToolEnded(status)) return status === "completed" ? "complete" : "error";
  if (outcome) return outcome.kind === "completed" ? "complete" : "error";
  return "in_progress";
}

function stepStatus(status: string): TaskCard["status"] {
  if (status === "completed") return "complete";
  return status === "in_progress" ? "in_progress" : "pending";
}
