import { setTimeout as delay } from "node:timers/promises";

/** How long to wait before the next try, in milliseconds: doubled each time, up to a limit. */
export function nextDelayMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
}

/** Waits, but not longer than the signal lives. True when the time has passed. */
export async function waited(delayMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return false;
  try {
    await delay(delayMs, undefined, signal && { signal });
    return true;
  } catch {
    return false;
  }
}
