import { formatContextUse, formatStatus, oneLine } from "@acp-kit/relay";
import type { Usage } from "@acp-kit/router";
import { MAX_ACTIVITY_RUNES, type Status } from "@acp-kit/statusline";
import { escapeLabel } from "./label.ts";

/** Status line and context use under a finished answer. Empty when there is nothing to say. */
export function renderFooter(status: Status, usage?: Usage): string {
  const line = formatStatus(status, escapeLabel, usage ? formatContextUse(usage) : "");
  return line === "" ? "" : `_${line}_`;
}

/**
 * The line that stands under an unfinished answer.
 *
 * @param label - What happens now, as it came; empty is "Thinking".
 * @param elapsed - For how long; empty is left out.
 * @param frame - Position of the moving dots, from 1; without it they stand still.
 */
export function renderSpinner(status: Status, label: string, elapsed = "", frame?: number): string {
  const dots = ".".repeat(frame === undefined ? 3 : 1 + ((frame - 1) % 3));
  const activity = escapeLabel(oneLine(label, MAX_ACTIVITY_RUNES)) || "Thinking";
  const timed = elapsed === "" ? activity : `${activity} · ${elapsed}`;
  return `> _${formatStatus(status, escapeLabel, timed + dots)}_`;
}
