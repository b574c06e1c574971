import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { NewEvent } from "../src/index.ts";
import { openSqliteStore, type SqliteStore } from "../src/sqlite/index.ts";
import { cpuMs, inDirectory, round } from "./measure.ts";

const ROUNDS = 40;
const EVENTS = 6_400;
const CONVERSATIONS = 8;
const SIZES = [1, 4, 16, 64] as const;

const event = (n: number): NewEvent => ({
  kind: "text",
  text: `word number ${n} of an answer that an agent is about to give `.repeat(2),
  at: 1_790_000_000_000 + n,
  turn: "0d5f7f1e-4b1c-4c59-9a27-52a1d1f3b6c4",
});

/** The least that keeping events can cost: one prepared statement, and text that is JSON already. */
function openBare(file: string): { run: (size: number, offset: number) => void; close(): void } {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec(
    "CREATE TABLE events (conversation INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (conversation, seq)) WITHOUT ROWID",
  );
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?)");
  const body = JSON.stringify(event(0));
  return {
    run: (size, offset) => {
      for (let n = 0; n < EVENTS; n += size) {
        begin.run();
        const conversation = (n / size) % CONVERSATIONS;
        for (let index = 0; index < size; index++) {
          insert.run(conversation, offset + n + index, body);
        }
        commit.run();
      }
    },
    close: () => database.close(),
  };
}

async function openStore(directory: string): Promise<{
  store: SqliteStore;
  run: (batches: readonly (readonly NewEvent[])[]) => Promise<void>;
}> {
  const store = await openSqliteStore({ directory });
  const leases = await Promise.all(
    Array.from({ length: CONVERSATIONS }, (_, index) => store.claim(`conversation ${index}`)),
  );
  const run = async (batches: readonly (readonly NewEvent[])[]) => {
    for (const [n, batch] of batches.entries()) {
      const lease = leases[n % CONVERSATIONS];
      if (lease) await store.append(lease, batch);
    }
  };
  return { store, run };
}

/** Cost of an event in µs, the least of all rounds, by the size of the transaction that saves it. The rounds alternate. */
export async function benchAppend() {
  const results: Record<string, unknown> = {};
  for (const size of SIZES) {
    results[`${size} per transaction`] = await inDirectory(async (directory) => {
      const bare = openBare(path.join(directory, "bare.db"));
      const { store, run } = await openStore(directory);
      const batches = Array.from({ length: EVENTS / size }, (_, batch) =>
        Array.from({ length: size }, (_, index) => event(batch * size + index)),
      );
      const times = { bare: [] as number[], store: [] as number[] };
      for (let n = -1; n < ROUNDS; n++) {
        const start = cpuMs();
        bare.run(size, (n + 1) * EVENTS);
        const middle = cpuMs();
        await run(batches);
        const end = cpuMs();
        // The first round warms up.
        if (n < 0) continue;
        times.bare.push(((middle - start) / EVENTS) * 1_000);
        times.store.push(((end - middle) / EVENTS) * 1_000);
      }
      bare.close();
      await store[Symbol.asyncDispose]();
      const [bareMicros, storeMicros] = [Math.min(...times.bare), Math.min(...times.store)];
      return {
        bareMicros: round(bareMicros),
        storeMicros: round(storeMicros),
        ratio: round(storeMicros / bareMicros),
      };
    });
  }
  return { limit: 1.5, ...results };
}
