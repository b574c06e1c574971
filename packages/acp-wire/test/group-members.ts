import { execFileSync } from "node:child_process";
import { expect, vi } from "vitest";

/** Resolves once nobody is left in a group that was killed: each of its processes has to run once more for that. */
export async function groupEnds(group: number): Promise<void> {
  await vi.waitFor(() => expect(groupMembers(group)).toEqual([]), { timeout: 5_000, interval: 20 });
}

/** The processes of a group that are not zombies. */
export function groupMembers(group: number): string[] {
  const table = execFileSync("ps", ["-eo", "pgid=,stat=,pid=,args="], { encoding: "utf8" });
  return table
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter(([pgid, stat]) => pgid === String(group) && !stat?.startsWith("Z"))
    .map((row) => row.slice(2).join(" "));
}
