import { describePlan } from "@acp-kit/relay";
import type { PlanEntry } from "@acp-kit/router";
import { renderLine } from "./markdown.ts";

/** The agent's plan, one quoted line for each of its first entries; empty when no entry says anything. */
export function renderChecklist(plan: readonly PlanEntry[]): string {
  const { entries, hidden } = describePlan(plan);
  const lines = entries.map(({ glyph, text }) => `> ${glyph} ${renderLine(text)}`);
  return [...lines, ...(hidden > 0 ? [`> _… +${hidden} more_`] : [])].join("\n");
}
