import { createLog, LogWatch } from "../src/cursor.ts";
import type { Cursor, Lease, NewEvent } from "../src/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { heapBytes, inDirectory, round } from "./measure.ts";

const CONVERSATIONS = 10_000;
const EVENTS = 8;

/** Heap of conversations that are owned here, have said something, and are each followed by a reader that waits. */
export async function benchFollowers() {
  return inDirectory(async (directory) => {
    const store = await openSqliteStore({ directory });
    const watch = new LogWatch(store);
    const before = await heapBytes();
    let leases: Lease[] = [];
    let cursors: Cursor[] = [];
    let waiting: Promise<unknown>[] = [];
    for (let n = 0; n < CONVERSATIONS; n++) {
      const conversation = `conversation ${n}`;
      const lease = await store.claim(conversation);
      if (!lease) throw new Error(`${conversation} is taken`);
      const cursor = createLog(store, watch, conversation).follow({ after: 0 });
      const events = Array.from(
        { length: EVENTS },
        (_, index): NewEvent => ({ kind: "text", text: `word ${index} `.repeat(20), at: 1 }),
      );
      await store.append(lease, events);
      await cursor.next();
      waiting.push(cursor.next());
      leases.push(lease);
      cursors.push(cursor);
    }
    const held = await heapBytes();
    await Promise.all(cursors.map((cursor) => cursor[Symbol.asyncDispose]()));
    await Promise.all(waiting);
    for (const lease of leases) await store.release(lease);
    leases = [];
    cursors = [];
    waiting = [];
    const after = await heapBytes();
    watch[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
    return {
      limitKilobytesEach: 8,
      kilobytesEach: round((held - before) / CONVERSATIONS / 1_000),
      limitMegabytesLeft: 5,
      megabytesLeft: round((after - before) / 1_000_000),
    };
  });
}
