import { expect, test } from "vitest";
import { createLog, LogWatch } from "../src/cursor.ts";
import { type Lease, MemoryStore, type NewEvent } from "../src/index.ts";

const text = (words: string, turn = "t"): NewEvent => ({ kind: "text", text: words, at: 1, turn });
const end = (turn: string): NewEvent => ({
  kind: "turn-end",
  at: 1,
  turn,
  outcome: { kind: "completed", stopReason: "end_turn" },
});

async function open(): Promise<{ store: MemoryStore; watch: LogWatch; lease: Lease }> {
  const store = new MemoryStore();
  const lease = await store.claim("c");
  if (!lease) throw new Error("no lease");
  return { store, watch: new LogWatch(store), lease };
}

test("a cursor gives what is there, then what comes, and never anything twice", async () => {
  const { store, watch, lease } = await open();
  await store.append(lease, [text("a"), text("b")]);
  const cursor = createLog(store, watch, "c").follow({ after: 1 });
  expect((await cursor.next())?.map((event) => event.seq)).toEqual([2]);
  const waiting = cursor.next();
  await store.append(lease, [text("c"), text("d")]);
  expect((await waiting)?.map((event) => event.seq)).toEqual([3, 4]);
  expect(cursor.seq).toBe(4);
});

test("an append between two reads is not missed", async () => {
  const { store, watch, lease } = await open();
  const cursor = createLog(store, watch, "c").follow({ after: 0 });
  const waiting = cursor.next();
  // The cursor has asked the store, and has no answer yet.
  await store.append(lease, [text("a")]);
  expect((await waiting)?.length).toBe(1);
});

test("a cursor that follows a turn ends behind its turn-end, and gives other turns' events on the way", async () => {
  const { store, watch, lease } = await open();
  await store.append(lease, [text("x", "u"), end("u"), text("a"), end("t"), text("after", "v")]);
  const seqs: number[] = [];
  for await (const events of createLog(store, watch, "c").follow({ after: 0, turn: "t" })) {
    seqs.push(...events.map((event) => event.seq));
  }
  expect(seqs).toEqual([1, 2, 3, 4]);
});

test("a cursor that starts behind the end of its turn is at its end", async () => {
  const { store, watch, lease } = await open();
  await store.append(lease, [end("t"), text("x", "u")]);
  const cursor = createLog(store, watch, "c").follow({ after: 1, turn: "t" });
  expect(await cursor.next()).toBeUndefined();
});

test("a waiting cursor ends when its signal aborts, and when it is disposed", async () => {
  const { store, watch } = await open();
  const log = createLog(store, watch, "c");
  const aborting = new AbortController();
  const aborted = log.follow({ after: 0 }, aborting.signal);
  const disposed = log.follow({ after: 0 });
  const ends = [aborted.next(), disposed.next()];
  await Promise.resolve();
  aborting.abort();
  await disposed[Symbol.asyncDispose]();
  expect(await Promise.all(ends)).toEqual([undefined, undefined]);
});

test("a cursor beyond the log is refused", async () => {
  const { store, watch } = await open();
  const cursor = createLog(store, watch, "c").follow({ after: 7 });
  await expect(cursor.next()).rejects.toMatchObject({ code: "ahead", last: 0 });
});

test("ten thousand waiting cursors are woken by one append", async () => {
  const { store, watch, lease } = await open();
  const log = createLog(store, watch, "c");
  const waiting = Array.from({ length: 10_000 }, () => log.follow({ after: 0 }).next());
  await store.append(lease, [text("a")]);
  expect((await Promise.all(waiting)).every((events) => events?.length === 1)).toBe(true);
});
