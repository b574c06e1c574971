import { readFileSync } from "node:fs";

/** How long this process's main thread could have run and was not let, in milliseconds; 0 where the system does not say. */
export function readStarvedMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
