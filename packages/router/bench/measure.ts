import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** CPU time of this process in ms: what a busy machine does not change much. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** The heap in use after everything that can be collected was, in bytes. */
export async function heapBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < 3; n++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

/** Calls with a directory that is removed afterwards. */
export async function inDirectory<Result>(
  run: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(path.join(tmpdir(), "router-bench-"));
  try {
    return await run(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
