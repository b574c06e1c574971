import { monitorEventLoopDelay } from "node:perf_hooks";
import type { NewEvent } from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { inDirectory, round } from "./measure.ts";

const CONVERSATIONS = 100;
const TURNS = 100;
const EVENTS_PER_TURN = 100;

/** How long anything else in the process waits while a million old events leave. */
export async function benchRetention() {
  return inDirectory(async (directory) => {
    const store = await openSqliteStore({ directory });
    for (let n = 0; n < CONVERSATIONS; n++) {
      const lease = await store.claim(`conversation ${n}`);
      if (!lease) throw new Error("taken");
      for (let turn = 0; turn < TURNS; turn++) {
        await store.append(lease, createTurn(`conversation ${n} turn ${turn}`));
      }
      await store.release(lease);
    }
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const rules = { olderThanMs: 1, maxEvents: 0, viewsOlderThanMs: 1_000 };
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    delay.enable();
    const { events, turns } = await store.retain(rules, 10);
    delay.disable();
    const { user, system } = process.cpuUsage(cpuStart);
    await store[Symbol.asyncDispose]();
    return {
      events,
      turns,
      seconds: round((performance.now() - start) / 1_000),
      cpuSeconds: round((user + system) / 1_000_000),
      limitP99Ms: 20,
      p50Ms: round(delay.percentile(50) / 1e6),
      p99Ms: round(delay.percentile(99) / 1e6),
      maxMs: round(delay.max / 1e6),
    };
  });
}

function createTurn(turn: string): NewEvent[] {
  const at = 1;
  return Array.from({ length: EVENTS_PER_TURN }, (_, index): NewEvent => {
    if (index === 0) return { kind: "turn-start", who: "ana", at, turn };
    if (index === EVENTS_PER_TURN - 1) {
      return { kind: "turn-end", outcome: { kind: "interrupted" }, at, turn };
    }
    return { kind: "text", text: `word ${index} `.repeat(12), at, turn };
  });
}
