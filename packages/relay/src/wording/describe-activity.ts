import { openTools, type ToolView, type TurnView } from "@acp-kit/router";
import { MAX_ACTIVITY_RUNES } from "@acp-kit/statusline";
import { toolLabel } from "./tool-words.ts";

/** What a running turn does or waits for, without markup, and since when in milliseconds since the epoch. */
export type Activity = { readonly label: string; readonly since: number };

/** What is said of a view that has no outcome yet. Pure. */
export function describeActivity(view: TurnView): Activity {
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

/** Whether a turn waits for another one of its conversation. */
export function isBehind(view: TurnView): boolean {
  return view.phase === "queued" && view.queued?.behind !== undefined;
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

/** Ids of people mean nothing here, but whether it is their own turn does. */
function workspaceActivity({ busy, who }: TurnView): string {
  if (!busy) return "Waiting for the workspace";
  const place = busy.name ?? "The workspace";
  if (busy.who === undefined) return `${place} is busy`;
  return `${place} is busy: ${busy.who === who ? "your own turn" : "another's turn"}`;
}

function toolActivity(tool: ToolView, others: number): string {
  const more = others > 0 ? ` +${others}` : "";
  return toolLabel(tool, MAX_ACTIVITY_RUNES - more.length) + more;
}
