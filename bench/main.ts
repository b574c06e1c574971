/** Prints one JSON line per measure: what the relay costs next to the least that could be done instead. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { benchRendering } from "../apps/poe-relay/bench/render.ts";
import { Program } from "./program.ts";

import { benchThroughput } from "./throughput.ts";

const RUNS = 5;
const demoAgent = fileURLToPath(new URL("../packages/demo-agent/src/main.ts", import.meta.url));
const directory = mkdtempSync(path.join(tmpdir(), "bench-"));

/** Answers of so many chunks; all of them have to fit into one Poe response. */
const streams = {
  /** As fast as the pipe takes them, one write each. */
  flood: { chunks: 15_000, step: { kind: "flood", lines: 15_000, bytes: 212 } },
  /** One a millisecond: faster than any model. */
  paced: {
    chunks: 3_000,
    step: { kind: "text", text: "word".repeat(6 * 3_000), pace: { size: 24, everyMs: 1 } },
  },
};

for (const line of benchRendering()) process.stdout.write(`${JSON.stringify(line)}\n`);
process.stdout.write(`${JSON.stringify(await benchThroughput())}\n`);

for (const [name, { chunks, step }] of Object.entries(streams)) {
  const script = path.join(directory, `${name}.json`);
  writeFileSync(script, JSON.stringify([step]));
  const agent = [process.execPath, "--conditions=@acp-kit/source", demoAgent, "--script", script];
  await using relay = await Program.relay(agent);
  await using floor = await Program.floor(agent);
  const times: Record<"relay" | "floor", number[]> = { relay: [], floor: [] };
  let events = 0;
  for (let round = -1; round < RUNS; round++) {
    const ours = await relay.measure();
    const least = await floor.measure();
    // The first round warms up.
    if (round < 0) continue;
    events = ours.events;
    times.relay.push(ours.microseconds / chunks);
    times.floor.push(least.microseconds / chunks);
  }
  const [ours, least] = [median(times.relay), median(times.floor)];
  const line = {
    measure: `agent's stdout to client's socket, ${name}`,
    unit: "µs of CPU per chunk",
    chunks,
    runs: RUNS,
    relay: round(ours),
    floor: round(least),
    ratio: round(ours / least),
    atMost: 2,
    relayEvents: events,
    node: process.version,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
rmSync(directory, { recursive: true, force: true });

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
