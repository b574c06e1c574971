import type { PlanEntry } from "@acp-kit/router";
import { MAX_TITLE_CODE_POINTS, oneLine } from "./label.ts";
import { renderLine } from "./markdown.ts";

const MAX_ENTRIES = 8;

const glyphs: ReadonlyMap<string, string> = new Map([
  ["completed", "✅"],
  ["in_progress", "⏳"],
]);

/** The agent's plan, one quoted line for each of its first entries; empty when no entry says anything. */
export function renderChecklist(plan: readonly PlanEntry[]): string {
  const lines = plan.flatMap(({ content, status }) => {
    const text = oneLine(content, MAX_TITLE_CODE_POINTS);
    return text === "" ? [] : [`> ${glyphs.get(status) ?? "▫️"} ${renderLine(text)}`];
  });
  const hidden = lines.length - MAX_ENTRIES;
  return [...lines.slice(0, MAX_ENTRIES), ...(hidden > 0 ? [`> _… +${hidden} more_`] : [])].join(
    "\n",
  );
}
