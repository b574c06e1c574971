import type { RetentionRules, SqliteStore } from "@acp-kit/router/sqlite";
import type { Config } from "./config/schema.ts";
import type { Log } from "./log.ts";

const DAY_MS = 86_400_000;

/** Removal begins so long after the start, and again so long after it has ended, in milliseconds. */
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** Removes what is old from time to time, until it is disposed. */
export function runRetention(
  store: Pick<SqliteStore, "retain">,
  { eventDays, maxEvents, viewDays }: Config["retention"],
  log: Log,
): AsyncDisposable {
  const rules: RetentionRules = {
    olderThanMs: eventDays * DAY_MS,
    maxEvents,
    viewsOlderThanMs: viewDays * DAY_MS,
  };
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const remove = async () => {
    try {
      const removed = await store.retain(rules, Date.now(), stop.signal);
      if (removed.turns + removed.views > 0) log.info(removed, "what is old was removed");
    } catch (err) {
      log.error({ err }, "what is old could not be removed");
    }
  };
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      running = remove().then(() => {
        if (!stop.signal.aborted) wait(EVERY_MS);
      });
    }, ms).unref();
  };
  wait(FIRST_MS);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
