import { setTimeout as delay } from "node:timers/promises";

/** How often a probe is asked, in milliseconds. */
const PROBE_EVERY_MS = 10;
const DEFAULT_DEADLINE_MS = 5_000;

/**
 * Waits for an event, not for a time: fails with a sentence when it does not come.
 *
 * @param what - Names the event in that sentence: `Waited 5000 ms for the second prompt.`
 * @param event - A promise; or, for what nobody announces (a file, a process), a probe that is asked
 *   again until it returns something other than `undefined` and `false`.
 */
export async function waitFor<T>(
  what: string,
  event: Promise<T> | (() => T | Promise<T>),
  deadlineMs = DEFAULT_DEADLINE_MS,
): Promise<Exclude<T, undefined | false>> {
  const over = new AbortController();
  const late = delay(deadlineMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`Waited ${deadlineMs} ms for ${what}.`);
  });
  try {
    const came = typeof event === "function" ? probe(event, over.signal) : event;
    return (await Promise.race([came, late])) as Exclude<T, undefined | false>;
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

async function probe<T>(ask: () => T | Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    await delay(PROBE_EVERY_MS);
  }
  return undefined;
}
