import cluster, { type Worker } from "node:cluster";
import type { Env } from "../config/secret.ts";

/** Tells a generation of the relay from a worker of somebody else's cluster. */
const MARK = "ACP_KIT_GENERATION";

/** Starts the program that runs now as another process, with the same arguments and environment. */
export function forkGeneration(): Worker {
  return cluster.fork({ [MARK]: "1" });
}

/** True in a process that {@link forkGeneration} has started. */
export function isGeneration(env: Env): boolean {
  return cluster.isWorker && env[MARK] === "1";
}
