import type { Worker } from "node:cluster";
import { constants } from "node:os";
import type { Log } from "../log.ts";
import { forkGeneration } from "./generation-process.ts";
import type { Beginning, EndTimes, Order, PrimaryEnd, Report } from "./orders.ts";

/** Processes of one relay at a time: one that serves, one that starts, and those that finish what they had begun. */
const MAX_GENERATIONS = 4;
const START_MS = 60_000;
/** Granted to a generation beyond the time that it promised to need, before it is killed. */
const MARGIN_MS = 5_000;
/** After so many that died so early, another one would do no better. */
const MAX_SHORT_LIVES = 3;
const SHORT_LIFE_MS = 10_000;

type Generation = { readonly worker: Worker; endTimes: EndTimes; servesSince?: number };

/**
 * Holds the listening sockets and starts generations of the relay, each on the code and the configuration that are on
 * the disk then. SIGHUP starts another one, and the old one retires once that serves. SIGTERM and SIGINT stop all of
 * them, and kill them when they come again.
 */
export function runPrimary(beginning: Omit<Beginning, "generation">, log: Log) {
  const { promise, resolve } = Promise.withResolvers<PrimaryEnd>();
  const alive = new Set<Generation>();
  let count = 0;
  let current: Generation | undefined;
  let starting: Generation | undefined;
  let isAnotherWanted = false;
  let shortLives = 0;
  let end: PrimaryEnd | undefined;
  const send = ({ worker }: Generation, order: Order) => worker.send(order, () => undefined);
  const killIn = ({ worker }: Generation, ms: number) =>
    setTimeout(() => worker.process.kill("SIGKILL"), ms).unref();
  const tell = (generation: Generation, kind: keyof EndTimes) => {
    send(generation, { kind });
    killIn(generation, generation.endTimes[kind] + MARGIN_MS);
  };
  const stop = (how: PrimaryEnd) => {
    end ??= how;
    for (const generation of alive) tell(generation, "stop");
    if (alive.size === 0) resolve(end);
  };
  const next = () => {
    isAnotherWanted = true;
    if (starting || end || alive.size >= MAX_GENERATIONS) return;
    isAnotherWanted = false;
    const number = ++count;
    const worker = forkGeneration();
    const generation: Generation = { worker, endTimes: { retire: 0, stop: 0 } };
    alive.add(generation);
    starting = generation;
    const late = killIn(generation, START_MS);
    let failure: string | undefined;
    worker.on("message", (report: Report) => {
      if (report.kind === "failed") failure = report.message;
      if (report.kind !== "serves") return;
      clearTimeout(late);
      log.info({ generation: number }, "a generation serves");
      serves(generation, report.endTimes);
    });
    worker.once("exit", (code, signal) => ended(generation, failure ?? `died: ${signal ?? code}`));
    send(generation, { kind: "begin", ...beginning, generation: number });
  };
  const serves = (generation: Generation, endTimes: EndTimes) => {
    Object.assign(generation, { endTimes, servesSince: performance.now() });
    if (current) tell(current, "retire");
    current = generation;
    starting = undefined;
    if (isAnotherWanted) next();
  };
  const ended = (generation: Generation, reason: string) => {
    alive.delete(generation);
    if (starting === generation) starting = undefined;
    if (end) return alive.size === 0 && resolve(end);
    const { servesSince = Number.POSITIVE_INFINITY } = generation;
    if (current === generation) {
      current = undefined;
      log.error({ reason }, "what served has died");
      shortLives = performance.now() - servesSince > SHORT_LIFE_MS ? 0 : shortLives + 1;
      isAnotherWanted = shortLives < MAX_SHORT_LIVES;
    } else if (current && servesSince > performance.now()) {
      log.error({ reason }, "the new generation did not start; the old one serves on");
    }
    if (isAnotherWanted) next();
    if (!current && !starting) stop({ code: 1, message: reason });
  };

  process.on("SIGHUP", next);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      log.info({ signal }, "stopping");
      if (!end) return stop({ code: 0 });
      for (const { worker } of alive) worker.process.kill("SIGKILL");
      resolve({ code: 128 + constants.signals[signal] });
    });
  }
  next();
  return promise;
}
