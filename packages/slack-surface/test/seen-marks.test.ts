import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openRelayDb, RELAY_TABLES } from "@acp-kit/relay";
import { expect, onTestFinished, test } from "vitest";
import { SeenMarks } from "../src/catch-up/seen-marks.ts";
import { HeardBook, slackTables } from "../src/index.ts";

const T = 1_700_000_000;
const ts = (seconds: number) => (T + seconds).toFixed(6);
const ms = (seconds: number) => (T + seconds) * 1_000;

async function open() {
  const directory = mkdtempSync(path.join(tmpdir(), "slack-marks-"));
  const db = await openRelayDb(directory, [...RELAY_TABLES, slackTables]);
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });
  const book = new HeardBook(db, "shop");
  const start = (seconds: number) => {
    const marks = new SeenMarks(new HeardBook(db, "shop"));
    marks.owe(ms(seconds));
    return marks;
  };
  const marksOf = () => Object.fromEntries(book.seen().map(({ channel, ts }) => [channel, ts]));
  return { book, start, marksOf };
}

test("a bot that is new owes nothing, and is here from its first look on", async () => {
  const { book, start, marksOf } = await open();
  const marks = start(0);
  expect(marks.owed).toEqual([]);
  expect(marks.owesUnheard).toBe(false);
  marks.payUnheard(ms(1));
  expect(book.hereUntil()).toBe(ts(1));
  marks.see("C1", ts(500));
  expect(marksOf()).toEqual({ C1: ts(500) });
  expect(book.hereUntil()).toBe(ts(380));
});

test("a mark stays until its channel was looked into, and what came meanwhile counts from then on", async () => {
  const { book, start, marksOf } = await open();
  start(0).payUnheard(ms(0));
  const before = new SeenMarks(book);
  before.see("C1", ts(1_000));
  before.see("C2", ts(1_100));
  const marks = start(2_000);
  expect(marks.owed).toEqual([
    { channel: "C2", after: ts(980) },
    { channel: "C1", after: ts(880) },
  ]);
  marks.see("C1", ts(2_100));
  expect(marksOf()["C1"]).toBe(ts(1_000));
  marks.pay("C1", ms(2_000), ts(1_500));
  expect(marksOf()["C1"]).toBe(ts(2_100));
  marks.pay("C2", ms(2_000), undefined);
  expect(marksOf()["C2"]).toBe(ts(1_100));
  expect(marks.owed).toEqual([]);
});

test("behind a mark of long ago nothing is looked for again: what became of that is forgotten", async () => {
  const { book, start } = await open();
  start(0).payUnheard(ms(0));
  new SeenMarks(book).see("C1", ts(1_000));
  const days = (count: number) => 1_000 + count * 86_400;
  expect(start(days(6)).owed).toEqual([{ channel: "C1", after: ts(880) }]);
  expect(start(days(8)).owed).toEqual([{ channel: "C1", after: ts(1_000) }]);
});

test("a look that began before more was missed does not pay for that", async () => {
  const { start, marksOf } = await open();
  const first = start(0);
  first.payUnheard(ms(0));
  first.see("C1", ts(1_000));
  const away = start(2_000);
  away.oweUnheard(["C1", "C9"]);
  const owed = away.owed;
  expect(owed.map(({ channel }) => channel)).toEqual(["C1", "C9"]);
  // Away once more while the look goes on, in channels that are known and in those that are not.
  away.owe(ms(2_500));
  for (const channel of ["C1", "C9"]) away.pay(channel, ms(2_400), ts(2_450));
  away.payUnheard(ms(2_400));
  expect(away.owed).toEqual(owed);
  expect(away.owesUnheard).toBe(true);
  expect(marksOf()).toEqual({ C1: ts(1_000) });
  for (const channel of ["C1", "C9"]) away.pay(channel, ms(2_600), ts(2_450));
  away.payUnheard(ms(2_600));
  expect(away.owed).toEqual([]);
  expect(away.owesUnheard).toBe(false);
});

test("behind a message that could not be taken nothing counts as heard, wherever it is", async () => {
  const { book, start, marksOf } = await open();
  const marks = start(0);
  marks.payUnheard(ms(0));
  marks.see("C1", ts(1_000));
  const here = book.hereUntil();
  marks.miss("C1", ts(2_000), ms(2_001));
  marks.miss("C7", ts(2_050), ms(2_051));
  marks.see("C1", ts(3_000));
  marks.see("C7", ts(3_000));
  marks.see("C8", ts(3_000));
  expect(marksOf()).toEqual({ C1: ts(1_000), C8: ts(3_000) });
  expect(book.hereUntil()).toBe(here);
  expect(marks.owed).toEqual([
    { channel: "C1", after: ts(1_880) },
    { channel: "C7", after: ts(1_930) },
  ]);
  // Nor does a look that began before it came.
  marks.pay("C1", ms(2_000), ts(1_990));
  expect(marks.owed).toHaveLength(2);
  marks.payUnheard(ms(3_000));
  expect(book.hereUntil()).toBe(here);
  for (const channel of ["C1", "C7"]) marks.pay(channel, ms(3_100), ts(3_000));
  marks.see("C1", ts(4_000));
  expect(marksOf()).toEqual({ C1: ts(4_000), C7: ts(3_000), C8: ts(3_000) });
  expect(book.hereUntil()).toBe(ts(3_880));
});
