import type { PlanEntry, TurnView, Usage } from "@acp-kit/router";
import {
  MAX_ACTIVITY_RUNES,
  providerEmojiForModel,
  type Status,
  segments,
  shortModelName,
} from "@acp-kit/statusline";
import { escapeLabel, oneLine } from "./label.ts";

/** What a view's status line shows: the agent's own labels, and what the relay knows by itself. */
export function readStatus(view: TurnView, showPlan: boolean): Status {
  const { model, status } = view;
  return {
    providerEmoji: status.providerEmoji ?? (model && providerEmojiForModel(model)),
    model: status.model ?? (model && shortModelName(model)),
    mood: status.mood,
    plan: status.plan || (showPlan ? progress(view.plan) : ""),
  };
}

/** Segments on one line, for example `🏛️ opus-4.5 • steady • 2/5`; empty without any. */
export function statusLine(status: Status, ...more: readonly string[]): string {
  return [...segments(status).map((segment) => escapeLabel(oneLine(segment, Infinity))), ...more]
    .filter((segment) => segment !== "")
    .join(" • ");
}

/** Status line and context use under a finished answer. Empty when there is nothing to say. */
export function renderFooter(status: Status, usage?: Usage): string {
  const line = statusLine(status, usage ? contextUse(usage) : "");
  return line === "" ? "" : `_${line}_`;
}

/**
 * The line that stands under an unfinished answer.
 *
 * @param label - What happens now, as it came; empty is "Thinking".
 * @param elapsed - For how long, see {@link formatElapsed}; empty is left out.
 * @param frame - Position of the moving dots, from 1; without it they stand still.
 */
export function renderSpinner(status: Status, label: string, elapsed = "", frame?: number): string {
  const dots = ".".repeat(frame === undefined ? 3 : 1 + ((frame - 1) % 3));
  const activity = escapeLabel(oneLine(label, MAX_ACTIVITY_RUNES)) || "Thinking";
  const timed = elapsed === "" ? activity : `${activity} · ${elapsed}`;
  return `> _${statusLine(status, timed + dots)}_`;
}

/** Minutes and hours of a wait; empty below one minute, so that a line changes once a minute at most. */
export function formatElapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (!(minutes >= 1)) return "";
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0
    ? `${minutes / 60} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function progress(plan: readonly PlanEntry[]): string {
  const done = plan.filter((entry) => entry.status === "completed").length;
  return plan.length === 0 ? "" : `${done}/${plan.length}`;
}

function contextUse({ used, size }: Usage): string {
  return size > 0 && used >= 0 ? `context ${Math.round((100 * used) / size)} %` : "";
}
