import { DatabaseSync } from "node:sqlite";
import { openSqliteStore, type SqliteStore } from "../src/sqlite/index.ts";
import { storeFiles } from "../src/sqlite/store-files.ts";
import { inDirectory, median, round } from "./measure.ts";

const OPENED = 300;

/** Fills a store with conversations of one turn each. */
async function fill(directory: string, conversations: number): Promise<SqliteStore> {
  await (await openSqliteStore({ directory }))[Symbol.asyncDispose]();
  const database = new DatabaseSync(storeFiles(directory).database);
  database.exec("BEGIN");
  const conversation = database.prepare("INSERT INTO conversations (id, key) VALUES (?, ?)");
  const event = database.prepare("INSERT INTO events VALUES (?, ?, ?)");
  const turn = database.prepare(
    "INSERT INTO turns (conversation, turn, who, start_seq, end_seq, ended_at, outcome) VALUES (?, ?, 'ana', 2, 4, 1, 'completed')",
  );
  const body = JSON.stringify({ kind: "text", text: "word ".repeat(30), at: 1, turn: "t" });
  for (let id = 1; id <= conversations; id++) {
    conversation.run(id, `conversation ${id}`);
    for (let seq = 1; seq <= 4; seq++) event.run(id, seq, body);
    turn.run(id, `turn ${id}`);
  }
  database.exec("COMMIT");
  database.close();
  return openSqliteStore({ directory });
}

/** What happens when somebody comes back to a conversation: it is claimed, read, and let go. */
async function openConversation(store: SqliteStore, conversation: string): Promise<void> {
  const lease = await store.claim(conversation);
  if (!lease) throw new Error(`${conversation} is taken`);
  await store.take(lease);
  await store.checkpoint(conversation, "reader");
  await store.read(conversation, 0, 256);
  await store.release(lease);
}

/** Time of opening one conversation in µs, among few and among many. The runs alternate. */
export async function benchOpen() {
  return inDirectory((few) =>
    inDirectory(async (many) => {
      const stores = [
        { count: 100, store: await fill(few, 100), times: [] as number[] },
        { count: 100_000, store: await fill(many, 100_000), times: [] as number[] },
      ];
      for (let n = 0; n < OPENED; n++) {
        for (const { count, store, times } of stores) {
          const conversation = `conversation ${1 + ((n * 7_919) % count)}`;
          const start = performance.now();
          await openConversation(store, conversation);
          times.push((performance.now() - start) * 1_000);
        }
      }
      for (const { store } of stores) await store[Symbol.asyncDispose]();
      const [among100 = 0, among100k = 0] = stores.map(({ times }) => median(times));
      return {
        limit: 2,
        among100Micros: round(among100),
        among100000Micros: round(among100k),
        ratio: round(among100k / among100),
      };
    }),
  );
}
