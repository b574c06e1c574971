import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type LogEvent,
  type NewEvent,
  type PromptItem,
  reduceTurnView,
  type TurnView,
} from "../../src/index.ts";

import { findLastTurn } from "../../src/last-turn.ts";
import { MAX_VIEW_CHARS } from "../../src/sqlite/final-view.ts";
import { openSqliteStore, type SqliteStore } from "../../src/sqlite/index.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { anyBody } from "../any-event.ts";
import { promptItem } from "../store-contract.ts";
import { claim, temporaryDirectories, text, turnEvents } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-retention");
const open = () => openSqliteStore({ directory: directory() });

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const OLD = NOW - 31 * DAY;
const rules = { olderThanMs: 30 * DAY, maxEvents: 1_000_000, viewsOlderThanMs: 180 * DAY };

const seqs = async (store: SqliteStore, after: number) =>
  (await store.read("c", after, 1000)).map(({ seq }) => seq);

test("turns older than the limit leave from the front; a reader below is told the first seq, one above the last", async () => {
  await using store = await open();
  const lease = await claim(store);
  await store.append(lease, turnEvents("old", OLD));
  await store.append(lease, turnEvents("young", NOW - 29 * DAY));
  expect(await store.retain(rules, NOW)).toEqual({ events: 4, turns: 1, views: 0 });
  await expect(store.read("c", 0, 9)).rejects.toMatchObject({ code: "expired", first: 5 });
  await expect(store.read("c", 3, 9)).rejects.toMatchObject({ code: "expired", first: 5 });
  expect(await seqs(store, 4)).toEqual([5, 6, 7, 8]);
  await expect(store.read("c", 9, 9)).rejects.toMatchObject({ code: "ahead", last: 8 });
  expect(await store.retain(rules, NOW)).toEqual({ events: 0, turns: 0, views: 0 });
});

test("the last turn is found where everything before it has left the log", async () => {
  await using store = await open();
  const lease = await claim(store);
  await store.append(lease, turnEvents("old", OLD));
  await store.append(lease, turnEvents("young", NOW));
  expect(await store.retain(rules, NOW)).toMatchObject({ turns: 1 });
  expect(await findLastTurn(store, "c")).toMatchObject({ turn: "young", after: 4 });
  await store.retain(rules, NOW + 40 * DAY);
  expect(await findLastTurn(store, "c")).toBeUndefined();
});

test("turns that lie wholly behind the newest events that a log may have leave", async () => {
  await using store = await open();
  const lease = await claim(store);
  for (const turn of ["a", "b", "c"]) await store.append(lease, turnEvents(turn, NOW));
  await store.retain({ ...rules, maxEvents: 5 }, NOW);
  expect(await seqs(store, 4)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  await store.retain({ ...rules, maxEvents: 4 }, NOW);
  expect(await seqs(store, 8)).toEqual([9, 10, 11, 12]);
  expect(await store.finalViews("c")).toMatchObject([{ turn: "b" }, { turn: "a" }]);
});

test("a log that was emptied goes on behind its last seq", async () => {
  await using store = await open();
  const lease = await claim(store);
  await store.append(lease, turnEvents("a", OLD));
  await store.retain(rules, NOW);
  expect(await store.last("c")).toBe(4);
  expect(await seqs(store, 4)).toEqual([]);
  expect(await store.append(lease, [text("next")])).toBe(5);
  expect(await seqs(store, 4)).toEqual([5]);
});

test("nothing leaves that a consumer with a checkpoint has not confirmed", async () => {
  await using store = await open();
  const lease = await claim(store);
  await store.append(lease, [...turnEvents("a", OLD), ...turnEvents("b", OLD)]);
  await store.confirm("c", "quick", 0, { seq: 8 });
  await store.confirm("c", "slow", 0, { seq: 3 });
  expect(await store.retain(rules, NOW)).toMatchObject({ events: 0 });
  await store.confirm("c", "slow", 3, { seq: 5 });
  expect(await store.retain(rules, NOW)).toMatchObject({ events: 4 });
  await store.confirm("c", "slow", 5, { seq: 8 });
  expect(await store.retain(rules, NOW)).toMatchObject({ events: 4 });
});

test("a turn that runs stays whole, also when another one was cancelled while it waited behind it", async () => {
  await using store = await open();
  const lease = await claim(store);
  const at = OLD;
  await store.append(lease, [
    ...turnEvents("first", at),
    { kind: "turn-queued", who: "ana", text: "", key: "k", attempt: 1, at, turn: "runs" },
    { kind: "turn-start", who: "ana", at, turn: "runs" },
    text("begins", "runs"),
    { kind: "turn-queued", who: "ana", text: "", key: "l", attempt: 1, at, turn: "waits" },
    { kind: "turn-end", outcome: { kind: "cancelled", cause: "user" }, at, turn: "waits" },
    text("goes on", "runs"),
  ]);
  await store.retain(rules, NOW);
  expect(await seqs(store, 4)).toEqual([5, 6, 7, 8, 9, 10]);
  const end: NewEvent = { kind: "turn-end", outcome: { kind: "interrupted" }, at, turn: "runs" };
  await store.append(lease, [end]);
  await store.retain(rules, NOW);
  expect(await seqs(store, 11)).toEqual([]);
  const views = await store.finalViews("c");
  expect(views.map(({ turn }) => turn)).toEqual(["runs", "waits", "first"]);
  expect(views[0]?.segments).toEqual([{ kind: "text", text: "beginsgoes on" }]);
});

test("of a turn that is too long the beginning stays, with a note, and how it ended", async () => {
  await using store = await open();
  const lease = await claim(store);
  const piece = "x".repeat(10_000);
  await store.append(lease, turnEvents("long", OLD, Array<string>(40).fill(piece)));
  await store.retain(rules, NOW);
  const [view] = await store.finalViews("c");
  expect(view?.segments.at(-1)).toMatchObject({
    kind: "notice",
    text: expect.stringMatching(/was not kept/),
  });
  expect(view?.segments.at(0)).toEqual({ kind: "text", text: piece.repeat(26) });
  expect(view?.outcome).toEqual({ kind: "completed", stopReason: "end_turn" });
  expect(JSON.stringify(view).length).toBeLessThan(MAX_VIEW_CHARS + 5_000);
});

test("an answer behind a tool that says too much stays in the view of its turn", async () => {
  await using store = await open();
  const lease = await claim(store);
  const [queued, start, , end] = turnEvents("chatty", OLD) as [
    NewEvent,
    NewEvent,
    NewEvent,
    NewEvent,
  ];
  const content = [{ kind: "text" as const, text: "x".repeat(30_000) }];
  const update: NewEvent = { kind: "tool-update", id: "1", content, at: OLD, turn: "chatty" };
  const updates = Array<NewEvent>(20).fill(update);
  await store.append(lease, [queued, start, ...updates, text("the answer", "chatty"), end]);
  await store.retain(rules, NOW);
  const [view] = await store.finalViews("c");
  expect(view?.segments).toMatchObject([
    { kind: "notice", text: expect.stringMatching(/only the answer/) },
    { kind: "text", text: "the answer" },
  ]);
});

test("a view that an earlier version kept has the members that this one added", async () => {
  const home = directory();
  const store = await openSqliteStore({ directory: home });
  await store.append(await claim(store), turnEvents("t", OLD));
  await store.retain(rules, NOW);
  const [whole] = await store.finalViews("c");
  const database = new DatabaseSync(storeFiles(home).database);
  database.exec("UPDATE views SET view = json_remove(view, '$.asks', '$.plan')");
  database.close();
  expect(await store.finalViews("c")).toEqual([whole]);
  await store[Symbol.asyncDispose]();
});

test("views leave when they are older than their own limit, and the keys of their messages with them", async () => {
  await using store = await open();
  const lease = await claim(store);
  const item: PromptItem = promptItem({ repeat: "attach", key: "m1", request: "r1" });
  const { turn } = await store.post("c", item);
  await store.append(lease, turnEvents(turn, NOW));
  const later = NOW + 179 * DAY;
  expect(await store.retain(rules, later)).toEqual({ events: 4, turns: 1, views: 0 });
  expect(await store.post("c", item)).toMatchObject({ turn, how: "repeat" });
  expect(await store.retain(rules, NOW + 180 * DAY)).toEqual({ events: 0, turns: 0, views: 1 });
  expect(await store.finalViews("c")).toEqual([]);
  expect(await store.post("c", item)).toMatchObject({ how: "new" });
});

test("retention stops when it is told to, and goes on later as if it had never stopped", async () => {
  await using store = await open();
  const lease = await claim(store);
  const words = Array.from({ length: 2_000 }, (_, index) => `${index} `);
  // Retention gives way after a millisecond: to remove so many turns takes a fast machine several.
  const turns = Array.from({ length: 10 }, (_, index) => `long ${index}`);
  for (const turn of turns) await store.append(lease, turnEvents(turn, OLD, words));
  const stop = new AbortController();
  const retained = store.retain(rules, NOW, stop.signal);
  // Views are saved with the first slice that leaves.
  while ((await store.finalViews("c")).length === 0) await new Promise(setImmediate);
  stop.abort();
  const { events } = await retained;
  expect(events).toBeGreaterThan(0);
  expect(events).toBeLessThan(turns.length * 2_003);
  expect((await store.retain(rules, NOW)).events).toBe(turns.length * 2_003 - events);
  const views = await store.finalViews("c");
  expect(views.map(({ segments }) => segments)).toEqual(
    turns.map(() => [{ kind: "text", text: words.join("") }]),
  );
});

test("closing the store ends a retention that is under way", async () => {
  const store = await open();
  const lease = await claim(store);
  for (let n = 0; n < 20; n++) await store.append(lease, turnEvents(`t${n}`, OLD));
  const retained = store.retain(rules, NOW).catch((error: unknown) => error);
  await store[Symbol.asyncDispose]();
  const result = await retained;
  if (result instanceof Error) expect(result).toMatchObject({ code: "closed" });
});

/** A log of turns one after another, some cancelled while another one runs, with words between them. */
const anyLog = fc
  .array(
    fc.record({
      days: fc.nat({ max: 60 }),
      bodies: fc.array(anyBody, { maxLength: 6 }),
      cancelledWithin: fc.boolean(),
      between: fc.boolean(),
      ends: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((turns) =>
    turns.flatMap(({ days, bodies, cancelledWithin, between, ends }, index): NewEvent[] => {
      const turn = `t${index}`;
      const at = NOW - days * DAY;
      const other = `${turn}-waits`;
      const isLast = index === turns.length - 1;
      const cancelled: NewEvent[] = [
        { kind: "turn-queued", who: "bob", text: "", key: "", attempt: 1, at, turn: other },
        { kind: "turn-end", outcome: { kind: "cancelled", cause: "user" }, at, turn: other },
      ];
      const whole = turnEvents(turn, at, []);
      return [
        ...whole.slice(0, 2),
        ...bodies.map((body): NewEvent => ({ ...body, at, turn })),
        ...(cancelledWithin ? cancelled : []),
        ...(ends || !isLast ? whole.slice(2) : []),
        ...(between ? [{ kind: "text", text: "between", at } as const] : []),
      ];
    }),
  );

const fold = (events: readonly LogEvent[], turn: string) =>
  events
    .filter((event) => event.turn === turn)
    .reduce<TurnView | undefined>(reduceTurnView, undefined);

test("whatever is removed is a prefix of whole, confirmed turns, and their views are what the log had said", async () => {
  await using store = await open();
  let conversations = 0;
  await fc.assert(
    fc.asyncProperty(
      anyLog,
      fc.array(fc.nat({ max: 60 }), { maxLength: 2 }),
      fc.nat({ max: 60 }),
      async (log, confirmed, maxEvents) => {
        const c = `c${++conversations}`;
        const last = await store.append(await claim(store, c), log);
        const all = await store.read(c, 0, 1000);
        const checkpoints = confirmed.map((seq) => Math.min(seq, last));
        for (const [index, seq] of checkpoints.entries()) {
          await store.confirm(c, `consumer ${index}`, 0, { seq });
        }
        await store.retain({ ...rules, maxEvents }, NOW);
        const summaries = await store.listConversations("", 1000);
        const first = summaries.find(({ conversation }) => conversation === c)?.first ?? 0;
        expect(await store.read(c, first - 1, 1000)).toEqual(all.slice(first - 1));
        for (const seq of checkpoints) expect(first - 1).toBeLessThanOrEqual(seq);
        const removed = all.slice(0, first - 1);
        const ended = removed.filter(({ kind }) => kind === "turn-end");
        for (const event of removed) {
          if (event.kind === "turn-start") {
            expect(ended.map(({ turn }) => turn)).toContain(event.turn);
          }
        }
        const views = await store.finalViews(c);
        expect(views.toReversed()).toEqual(
          ended.map(({ turn }) => JSON.parse(JSON.stringify(fold(all, turn ?? "")))),
        );
      },
    ),
    { numRuns: 60 },
  );
});
