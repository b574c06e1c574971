import { setTimeout as delay } from "node:timers/promises";
import { failureCode } from "./mapping/errors.ts";

const AGAIN_MS = 500;

/** Makes a call until the daemon has answered it or the signal aborts. Only for what may be asked twice. */
export async function untilHeard(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await call();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!unheard.has(failureCode(error))) throw error;
    }
    await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Nobody knows whether the daemon has heard it. */
const unheard: ReadonlySet<string | undefined> = new Set(["unreachable", "closed", "timeout"]);
