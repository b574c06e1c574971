import type { PlanEntry } from "@acp-kit/acp-wire";
import { type PlanItem, PlanStatus } from "@acp-kit/dcode-protocol";

/** The plan in the order of its ids. dcode has no priorities, and ACP no blocked entries. */
export function planEntries(items: readonly PlanItem[]): PlanEntry[] {
  return items
    .toSorted((a, b) => a.id - b.id)
    .map(({ text, status, blocked }) => ({
      content: blocked ? `${text} (blocked: ${blocked})` : text,
      priority: "medium",
      status: statusOf(status),
    }));
}

function statusOf(status: string): PlanEntry["status"] {
  if (status === PlanStatus.active) return "in_progress";
  if (status === PlanStatus.done) return "completed";
  return "pending";
}
