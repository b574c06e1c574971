import { constants } from "node:os";
import type { Log } from "../log.ts";
import type { SocketHandle } from "../socket-handle.ts";
import { GenerationProcess } from "./generation-process.ts";
import type { Beginning, HeldSocket, PrimaryEnd, Report } from "./orders.ts";

/** Processes of one relay at a time: one that serves, one that starts, and those that finish what they had begun. */
const MAX_GENERATIONS = 4;
/** After so many that died so early, another one would do no better. */
const MAX_SHORT_LIVES = 3;
const SHORT_LIFE_MS = 10_000;

/**
 * Holds the public listening socket and starts generations of the relay, each on the code and the configuration that are
 * on the disk then. SIGHUP starts another one, and the old one retires once that serves. SIGTERM and SIGINT stop all of
 * them, and kill them when they come again.
 */
export function runPrimary(
  beginning: Pick<Beginning, "stateDir" | "demoKey">,
  inherited: HeldSocket | undefined,
  log: Log,
): Promise<PrimaryEnd> {
  const { promise, resolve } = Promise.withResolvers<PrimaryEnd>();
  const alive = new Set<GenerationProcess>();
  let held = inherited;
  let count = 0;
  let current: GenerationProcess | undefined;
  let starting: GenerationProcess | undefined;
  let isAnotherWanted = false;
  let shortLives = 0;
  let end: PrimaryEnd | undefined;
  const hold = (socket: HeldSocket | undefined) => {
    held?.handle.close();
    held = socket;
  };
  const stop = (how: PrimaryEnd) => {
    end ??= how;
    // What comes when no generation is left is refused, not kept for nobody.
    hold(undefined);
    for (const generation of alive) generation.end("stop");
    if (alive.size === 0) resolve(end);
  };
  const next = () => {
    isAnotherWanted = true;
    if (starting || end || alive.size >= MAX_GENERATIONS) return log.info("a hand-over waits");
    isAnotherWanted = false;
    const generation = new GenerationProcess(++count);
    alive.add(generation);
    starting = generation;
    let failure: readonly string[] | undefined;
    generation.worker.on("message", (report: Report, handle?: SocketHandle) => {
      if (report.kind === "failed") failure = report.why;
      if (report.kind !== "serves") return;
      if (handle) hold({ handle, openedFor: report.openedFor });
      generation.serves(report.endTimes);
      succeeds(generation);
    });
    generation.worker.once("exit", (code, signal) =>
      ended(generation, failure ?? [`died: ${signal ?? code}`]),
    );
    const { handle, openedFor } = held ?? {};
    generation.send({ kind: "begin", ...beginning, generation: count, openedFor }, handle);
  };
  const succeeds = (generation: GenerationProcess) => {
    log.info({ generation: generation.number }, "a generation serves");
    current?.end("retire");
    current = generation;
    starting = undefined;
    if (isAnotherWanted) next();
  };
  const ended = (generation: GenerationProcess, why: readonly string[]) => {
    alive.delete(generation);
    if (starting === generation) starting = undefined;
    if (end) return alive.size === 0 && resolve(end);
    if (current === generation) {
      current = undefined;
      log.error({ why }, "the process that served has died");
      const livedMs = performance.now() - (generation.servesSince ?? 0);
      shortLives = livedMs > SHORT_LIFE_MS ? 0 : shortLives + 1;
      if (!starting) isAnotherWanted = shortLives < MAX_SHORT_LIVES;
    } else if (current && generation.servesSince === undefined) {
      log.error({ why }, "the new generation did not start; the old one serves on");
    }
    if (isAnotherWanted) next();
    if (!current && !starting) stop({ code: 1, why });
  };

  process.on("SIGHUP", next);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      log.info({ signal }, "stopping");
      if (!end) return stop({ code: 0 });
      for (const generation of alive) generation.kill();
      resolve({ code: 128 + constants.signals[signal] });
    });
  }
  next();
  return promise;
}
