import type { Router } from "@acp-kit/router";
import type { ClosingStack } from "./closing-stack.ts";
import type { Listener } from "./listener.ts";
import type { RelaySurface } from "./surface.ts";
import { waitAtMost } from "./wait-at-most.ts";

export type EndingOptions = {
  readonly surface: RelaySurface;
  readonly router: Router;
  readonly publicListener: Listener;
  readonly privateListener: Listener;
  /** Everything that was started; closed last. */
  readonly closing: ClosingStack;
  /** How long turns may go on when another process takes over, and when none does, in milliseconds. */
  readonly handOverMs: number;
  readonly drainMs: number;
};

/** The two ways in which a relay ends. Each resolves when nothing is left; the second call of one is the first. */
export type Ending = {
  /**
   * Leaves everything that is new to another process, which must listen already, and stops once what runs here has come
   * to its end.
   */
  retire(): Promise<void>;
  /** Refuses what is new, lets what runs come to its end for a bounded time, ends the rest visibly and stops. */
  stop(): Promise<void>;
};

/** How long responses may take to end once they are told to, in milliseconds; then they are cut. */
export const SEAL_MS = 10_000;

/**
 * How long kept connections may idle in a process that retires, in milliseconds. Each one that is used in this time
 * learns that it ends; of one that is cut while idle, the client may be sending a request at that moment.
 */
const IDLE_MS = 5_000;

/** The same for a process that stops: enough for a request that was on its way when its connection was accepted. */
const LAST_IDLE_MS = 250;

export function createEnding(options: EndingOptions): Ending {
  const { surface, router, publicListener, privateListener, closing } = options;
  let retired: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  const drain = async (drainMs: number) => {
    const seal = new AbortController();
    const responses = surface.drain(seal.signal);
    await waitAtMost(drainMs, Promise.all([responses, router.retire()]));
    seal.abort();
    const closed = publicListener.close(SEAL_MS, LAST_IDLE_MS);
    await waitAtMost(SEAL_MS + 1_000, Promise.all([responses, closed]));
    await closing.close();
  };
  const stopWithin = (drainMs: number) => {
    stopped ??= drain(drainMs);
    return stopped;
  };
  const handOver = async () => {
    const left = [
      router.retire(),
      surface.retire?.(),
      publicListener.close(options.handOverMs + SEAL_MS, IDLE_MS),
      privateListener.close(0),
    ];
    await waitAtMost(options.handOverMs, Promise.all(left));
    await stopWithin(0);
  };
  return {
    retire: () => {
      retired ??= handOver();
      return retired;
    },
    stop: () => stopWithin(options.drainMs),
  };
}
