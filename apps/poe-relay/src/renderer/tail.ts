import { type Display, openTools, type ToolView, type TurnView } from "@acp-kit/router";
import { MAX_ACTIVITY_RUNES } from "@acp-kit/statusline";
import { renderChecklist } from "./checklist.ts";
import { formatElapsed, readStatus, renderSpinner } from "./status-line.ts";
import { toolLabel } from "./tool-lines.ts";

/** How long the dots of a moving spinner stand still, in milliseconds. */
const FRAME_MS = 3_000;

/** What stands below an unfinished body and will vanish: a line on what happens now, and the plan. */
export function renderTail(view: TurnView, isAlone: boolean, show: Display, now: number): string {
  const { label, since } = activity(view);
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

/** What a view waits for, and since when. */
function activity(view: TurnView): { label: string; since: number } {
  const since = view.lastProgressAt;
  if (view.asks.length > 0) return { label: "Waiting for your answer", since };
  switch (view.phase) {
    case "queued":
      return {
        label: isBehind(view) ? "Queued behind the running turn" : "Starting",
        since: view.queued?.since ?? since,
      };
    case "fetching-files":
      return { label: "Fetching your files", since };
    case "preparing-workspace":
      return { label: "Preparing the workspace", since };
    case "waiting-workspace":
      return { label: workspaceActivity(view), since: view.busy?.since ?? since };
    case "starting-agent":
      return { label: "Starting the agent", since };
    case "opening-session":
      return { label: "Opening the session", since };
    case "waiting":
      return { label: "Waiting for the agent", since };
    case "thinking":
      return { label: "Thinking", since };
    case "writing":
      return { label: "Writing", since };
    case "working": {
      const open = openTools(view);
      const newest = open.at(-1);
      return newest
        ? { label: toolActivity(newest, open.length - 1), since: newest.startedAt }
        : { label: "Thinking", since };
    }
  }
}

/** Ids of people mean nothing here, but whether it is their own turn does. */
function workspaceActivity({ busy, who }: TurnView): string {
  if (!busy) return "Waiting for the workspace";
  const place = busy.name ?? "The workspace";
  if (busy.who === undefined) return `${place} is busy`;
  return `${place} is busy: ${busy.who === who ? "your own turn" : "another's turn"}`;
}

function isBehind(view: TurnView): boolean {
  return view.phase === "queued" && view.queued?.behind !== undefined;
}

function toolActivity(tool: ToolView, others: number): string {
  const more = others > 0 ? ` +${others}` : "";
  return toolLabel(tool, MAX_ACTIVITY_RUNES - more.length) + more;
}
