import type { Log } from "../log.ts";
import type { Places } from "./places.ts";

/** Worktrees are looked at so long after the start, and again so long after that has ended, in milliseconds. */
const FIRST_MS = 90_000;
const EVERY_MS = 3_600_000;

/** Removes worktrees whose time is over, from time to time, until it is disposed. */
export function runWorktreeSweep(places: Pick<Places, "sweep">, log: Log): AsyncDisposable {
  let isOver = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      running = places
        .sweep()
        .catch((err: unknown) => log.error({ err }, "worktrees could not be looked at"))
        .then(() => {
          if (!isOver) wait(EVERY_MS);
        });
    }, ms).unref();
  };
  wait(FIRST_MS);
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      clearTimeout(timer);
      await running;
    },
  };
}
