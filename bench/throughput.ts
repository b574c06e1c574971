/** A hundred turns at once: what they cost, and how much later a chunk arrives than it could. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Program } from "./program.ts";

const TURNS = 100;
const CHUNKS = 500;
/** Between two chunks of a turn: so a hundred turns have 2,500 chunks a second, more than a hundred models. */
const EVERY_MS = 40;

type Result = {
  readonly chunksPerSecond: number;
  readonly microsPerChunk: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMiB: number;
};

async function run(program: Program): Promise<Result> {
  await program.ask("warm up");
  const delays: number[] = [];
  const before = await program.used();
  const start = performance.now();
  const turns = Array.from({ length: TURNS }, async (_, turn) => {
    let rest = "";
    await program.ask(`turn ${turn}`, (text) => {
      const now = performance.timeOrigin + performance.now();
      const all = rest + text;
      // A number is whole once something stands behind it.
      const stamps = [...all.matchAll(/(?<!\d)(\d{13}\.\d\d)(?=[^\d])/g)];
      for (const [, stamp] of stamps) delays.push(now - Number(stamp));
      const last = stamps.at(-1);
      rest = last ? all.slice(last.index + last[0].length) : all;
    });
  });
  await Promise.all(turns);
  const seconds = (performance.now() - start) / 1_000;
  const after = await program.used();
  if (delays.length < TURNS * CHUNKS) throw new Error(`${delays.length} chunks came`);
  delays.sort((one, other) => one - other);
  const at = (share: number) => delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN;
  const all = TURNS * CHUNKS;
  return {
    chunksPerSecond: Math.round(all / seconds),
    microsPerChunk: Math.round((10 * (after.microseconds - before.microseconds)) / all) / 10,
    p50Ms: Math.round(at(0.5) * 10) / 10,
    p99Ms: Math.round(at(0.99) * 10) / 10,
    rssMiB: Math.round(after.kibibytes / 1_024),
  };
}

/** The relay without pacing, beside the least that could be done instead, in one run. */
export async function benchThroughput(): Promise<object> {
  const agent = [
    process.execPath,
    fileURLToPath(new URL("stamping-agent.ts", import.meta.url)),
    String(CHUNKS),
    String(EVERY_MS),
  ];
  const measure = async (start: Promise<Program>) => {
    await using program = await start;
    return await run(program);
  };
  const floor = await measure(Program.floor(agent));
  const relay = await measure(
    Program.relay(agent, { program: "../apps/poe-relay/bench/unpaced-relay.ts" }),
  );
  return {
    measure: `${TURNS} turns of ${CHUNKS} chunks at once, one chunk of each every ${EVERY_MS} ms`,
    relay,
    floor,
    ratio: Math.round((10 * relay.microsPerChunk) / floor.microsPerChunk) / 10,
    addedP50Ms: Math.round((relay.p50Ms - floor.p50Ms) * 10) / 10,
    addedP99Ms: Math.round((relay.p99Ms - floor.p99Ms) * 10) / 10,
    node: process.version,
  };
}
