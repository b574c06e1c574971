import type { PlanEntry, TurnView, Usage } from "@acp-kit/router";
import { providerEmojiForModel, type Status, segments, shortModelName } from "@acp-kit/statusline";
import { MAX_TITLE_CODE_POINTS, oneLine } from "./one-line.ts";

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

/** Segments on one line, for example `🏛️ opus-4.5 • steady • 2/5`; empty without any. @param escapeLabel - For each of the agent's. */
export function formatStatus(
  status: Status,
  escapeLabel: (label: string) => string,
  ...more: readonly string[]
): string {
  return [...segments(status).map((segment) => escapeLabel(oneLine(segment, Infinity))), ...more]
    .filter((segment) => segment !== "")
    .join(" • ");
}

/** How much of the agent's context is in use; empty when it is not known. */
export function formatContextUse({ used, size }: Usage): string {
  return size > 0 && used >= 0 ? `context ${Math.round((100 * used) / size)} %` : "";
}

/** More entries of a plan are only counted. */
const MAX_ENTRIES = 8;

const glyphs: ReadonlyMap<string, string> = new Map([
  ["completed", "✅"],
  ["in_progress", "⏳"],
]);

export type Checklist = {
  readonly entries: readonly {
    readonly glyph: string;
    readonly text: string;
    /** In the agent's own words. */
    readonly status: string;
  }[];
  /** Entries that are left out. */
  readonly hidden: number;
};

/** The first entries of an agent's plan that say anything, one line each, without markup. */
export function describePlan(plan: readonly PlanEntry[]): Checklist {
  const all = plan.flatMap(({ content, status }) => {
    const text = oneLine(content, MAX_TITLE_CODE_POINTS);
    return text === "" ? [] : [{ glyph: glyphs.get(status) ?? "▫️", text, status }];
  });
  return { entries: all.slice(0, MAX_ENTRIES), hidden: Math.max(0, all.length - MAX_ENTRIES) };
}

function progress(plan: readonly PlanEntry[]): string {
  const done = plan.filter((entry) => entry.status === "completed").length;
  return plan.length === 0 ? "" : `${done}/${plan.length}`;
}
