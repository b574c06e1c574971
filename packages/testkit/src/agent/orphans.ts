import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A process that is still there. */
export interface Orphan {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/**
 * The processes that a test has left behind: descendants of this process, and, wherever they ended up,
 * those whose command line has `marker` in it, such as the directory that a test gave to
 * {@link agentCommand}. Killed processes need a moment to go: an empty list comes at once, another one
 * only after `withinMs`.
 */
export async function collectOrphans(marker?: string, withinMs = 3_000): Promise<Orphan[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const orphans = findOrphans(marker);
    if (orphans.length === 0 || performance.now() >= deadline) return orphans;
    await delay(50);
  }
}

function findOrphans(marker: string | undefined): Orphan[] {
  const all = listProcesses();
  const family = new Set([process.pid]);
  // A child may stand before its parent in the list.
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(
    ({ pid, command }) =>
      pid !== process.pid &&
      (family.has(pid) || (marker !== undefined && command.includes(marker))),
  );
}

/** All processes, without those that only wait to be reaped. */
function listProcesses(): Orphan[] {
  return process.platform === "linux" ? readProc() : runPs();
}

function readProc(): Orphan[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name stands in parentheses and may have some itself.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z") return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ pid: Number(pid), parent: Number(parent), command }];
    } catch {
      return []; // It has ended since.
    }
  });
}

function runPs(): Orphan[] {
  const columns = "pid=,ppid=,stat=,args=";
  const output = execFileSync("ps", ["-A", "-ww", "-o", columns], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split("\n").flatMap((line) => {
    const [, pid, parent, state, command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isPs = command.includes(columns);
    if (state === undefined || state.startsWith("Z") || isPs) return [];
    return [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
