import cluster, { type Worker } from "node:cluster";
import type { Env } from "../config/secret.ts";
import type { SocketHandle } from "../socket-handle.ts";
import type { EndTimes, Order } from "./orders.ts";

/** Tells a generation of the relay from a worker of somebody else's cluster. */
const MARK = "ACP_KIT_GENERATION";

const START_MS = 60_000;

/** Granted to a generation beyond the time that it promised to need, before it is killed. */
const MARGIN_MS = 5_000;

/** True in a process that a {@link GenerationProcess} has started. */
export function isGeneration(env: Env): boolean {
  return cluster.isWorker && env[MARK] === "1";
}

/**
 * Bounds what a burst of one agent's output makes the process take for what is garbage at once: twice to three times this,
 * in MiB, where Node.js by itself would go to 16.
 */
const YOUNG_MIB = 4;

function fork(): Worker {
  cluster.setupPrimary({ execArgv: [...process.execArgv, `--max-semi-space-size=${YOUNG_MIB}`] });
  return cluster.fork({ [MARK]: "1" });
}

/** The program that runs now as another process, with the same arguments and environment; the primary's view of it. */
export class GenerationProcess {
  readonly worker: Worker = fork();
  readonly number: number;
  /** By the monotonic clock; absent until it serves. */
  servesSince: number | undefined;
  #endTimes: EndTimes = { retire: 0, stop: 0 };
  readonly #late = this.#killIn(START_MS);

  constructor(number: number) {
    this.number = number;
  }

  send(order: Order, handle?: SocketHandle): void {
    // One that has died meanwhile says so by its exit.
    this.worker.send(order, handle, () => undefined);
  }

  /** To be called when it serves: from now on it has the time to end that it asks for. */
  serves(endTimes: EndTimes): void {
    clearTimeout(this.#late);
    this.#endTimes = endTimes;
    this.servesSince = performance.now();
  }

  /** Lets it end in one of the two ways, and sees to it that it does. */
  end(kind: keyof EndTimes): void {
    this.send({ kind });
    this.#killIn(this.#endTimes[kind] + MARGIN_MS);
  }

  kill(): void {
    this.worker.process.kill("SIGKILL");
  }

  #killIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.kill(), ms).unref();
  }
}
