import path from "node:path";
import { createLog, LogWatch } from "../src/cursor.ts";
import { openSqliteStore, type SqliteStore } from "../src/sqlite/index.ts";
import { RelayRig } from "../test/sqlite/relay-rig.ts";
import { inDirectory, quantile, round } from "./measure.ts";

const COUNT = 500;
const CONVERSATION = "latency";

/** Time from an event's append in one process to a follower in another, and from an item's post to its owner. */
export async function benchTwoProcesses() {
  return inDirectory(async (directory) => {
    await using owner = await RelayRig.start(directory, "owner", { prompt: [] });
    await owner.call("emit", CONVERSATION, 1, 0);
    await using store = await openSqliteStore({ directory: path.join(directory, "store") });
    const events = await eventLatencies(store, owner);
    const items = await itemLatencies(store, owner);
    return { limitP99Ms: 50, events: summarize(events), items: summarize(items) };
  });
}

async function eventLatencies(store: SqliteStore, owner: RelayRig): Promise<number[]> {
  using watch = new LogWatch(store);
  const log = createLog(store, watch, CONVERSATION);
  const emitted = owner.call("emit", CONVERSATION, COUNT, 7);
  const samples: number[] = [];
  for await (const events of log.follow({ after: await log.last() })) {
    const now = Date.now();
    samples.push(...events.map(({ at }) => now - at));
    if (samples.length >= COUNT) break;
  }
  await emitted;
  return samples;
}

async function itemLatencies(store: SqliteStore, owner: RelayRig): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < COUNT; n++) {
    const heardBefore = owner.told.length;
    const posted = Date.now();
    await store.post(CONVERSATION, { kind: "reset", key: "", user: "ana", at: 1 });
    const heard = await owner.until(
      (told) => told.kind === "inbox" && owner.told.indexOf(told) >= heardBefore,
    );
    if (heard.kind === "inbox") samples.push(heard.at - posted);
  }
  return samples;
}

function summarize(samples: readonly number[]) {
  return {
    samples: samples.length,
    p50Ms: round(quantile(samples, 0.5)),
    p99Ms: round(quantile(samples, 0.99)),
    maxMs: round(quantile(samples, 1)),
  };
}
