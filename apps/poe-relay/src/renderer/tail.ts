import { describeActivity, formatElapsed, isBehind, readStatus } from "@acp-kit/relay";
import type { Display, TurnView } from "@acp-kit/router";
import { renderChecklist } from "./checklist.ts";
import { renderSpinner } from "./status-line.ts";

/** How long the dots of a moving spinner stand still, in milliseconds. */
const FRAME_MS = 3_000;

/** What stands below an unfinished body and will vanish: a line on what happens now, and the plan. */
export function renderTail(view: TurnView, isAlone: boolean, show: Display, now: number): string {
  const { label, since } = describeActivity(view);
  const elapsed = formatElapsed(now - since);
  // Dots move while there is nothing else to see; under a text, each change would cost all of it again.
  const age = Math.max(0, now - view.startedAt);
  const frame = isAlone ? 1 + Math.floor(age / FRAME_MS) : undefined;
  return [
    renderSpinner(readStatus(view, show.plan), label, elapsed, frame),
    ...(isBehind(view) ? ["> `!stop` ends that one."] : []),
    ...(show.plan ? [renderChecklist(view.plan)] : []),
  ]
    .filter((line) => line !== "")
    .join("\n");
}
