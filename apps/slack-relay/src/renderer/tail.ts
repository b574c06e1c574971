import {
  describeActivity,
  describePlan,
  formatElapsed,
  formatStatus,
  isBehind,
  oneLine,
  readStatus,
} from "@acp-kit/relay";
import type { Display, TurnView } from "@acp-kit/router";
import { defuse } from "@acp-kit/slack-surface";
import { MAX_ACTIVITY_RUNES } from "@acp-kit/statusline";

/**
 * What stands below an unfinished turn and will vanish, as plain text: a line on what happens now, which can stand alone,
 * and the plan. Changes by itself once a minute at most: each change costs a call.
 */
export function renderTail(view: TurnView, show: Display, now: number): string {
  const { label, since } = describeActivity(view);
  const elapsed = formatElapsed(now - since);
  const activity = oneLine(label, MAX_ACTIVITY_RUNES) || "Thinking";
  const { entries, hidden } = describePlan(show.plan ? view.plan : []);
  const lines = [
    formatStatus(
      readStatus(view, show.plan),
      (text) => text,
      `${elapsed === "" ? activity : `${activity} · ${elapsed}`}…`,
    ),
    ...(isBehind(view) ? ["!stop ends that one."] : []),
    ...entries.map(({ glyph, text }) => `${glyph} ${text}`),
    ...(hidden > 0 ? [`… +${hidden} more`] : []),
  ];
  return defuse(lines.join("\n"));
}
