import { setTimeout } from "node:timers/promises";

/** Resolves when `work` has settled, however, and after `limitMs` milliseconds at the latest. True: it has settled. */
export async function waitAtMost(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const bound = new AbortController();
  const late = setTimeout(limitMs, false, { signal: bound.signal }).catch(() => false);
  const settled = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    bound.abort();
  }
}
