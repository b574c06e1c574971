import { existsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createLog, LogWatch } from "../../src/cursor.ts";
import { openSqliteStore, restoreSqliteStore } from "../../src/sqlite/index.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { claim, findFiles, temporaryDirectories, text, turnEvents } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-backup");

test("a backup is one file of mode 600 that holds what was committed before it, while writes go on", async () => {
  await using store = await openSqliteStore({ directory: directory() });
  const lease = await claim(store);
  await store.append(lease, turnEvents("t", 1));
  const target = directory();
  const file = path.join(target, "backup.db");
  const made = store.backup(file);
  let during = 0;
  for (let done = false; !done; during++) {
    await store.append(lease, [text(`${during}`)]);
    done = await Promise.race([
      made.then(() => true),
      new Promise<false>((r) => setImmediate(r, false)),
    ]);
  }
  expect(findFiles(target)).toEqual([file]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const copy = new DatabaseSync(file, { readOnly: true });
  const { seqs } = copy.prepare("SELECT json_group_array(seq) AS seqs FROM events").get() ?? {};
  copy.close();
  const found = JSON.parse(String(seqs)) as number[];
  expect(found.length).toBeGreaterThanOrEqual(4);
  expect(found).toEqual(Array.from(found, (_, index) => index + 1));
});

test("a backup replaces no file, and leaves nothing behind when it fails", async () => {
  await using store = await openSqliteStore({ directory: directory() });
  const target = directory();
  const file = path.join(target, "backup.db");
  writeFileSync(file, "mine");
  await expect(store.backup(file)).rejects.toMatchObject({ code: "exists" });
  await expect(store.backup(path.join(target, "no", "such.db"))).rejects.toThrow("ENOENT");
  expect(findFiles(target)).toEqual([file]);
});

test("a restored store has its events, a new epoch, and no seq for a cursor from before", async () => {
  const home = directory();
  const file = path.join(directory(), "backup.db");
  const store = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  await store.append(lease, turnEvents("t", 1));
  await store.confirm("c", "reader", 0, { seq: 2, state: "{}" });
  await store.backup(file);
  await store.append(lease, [text("lost with the restore"), text("this too")]);
  const reader = { after: 5, epoch: store.epoch };
  await store[Symbol.asyncDispose]();

  await restoreSqliteStore({ directory: home, from: file });
  await using again = await openSqliteStore({ directory: home });
  expect(again.epoch).not.toBe(store.epoch);
  expect(await again.read("c", 0, 99)).toHaveLength(4);
  expect(await again.checkpoint("c", "reader")).toEqual({ seq: 2, state: "{}" });
  const next = await claim(again);
  expect(next.fence).toBeGreaterThan(lease.fence);
  await again.append(next, [text("seq 5 again"), text("seq 6 again")]);
  using watch = new LogWatch(again);
  const log = createLog(again, watch, "c");
  await expect(log.follow(reader).next()).rejects.toMatchObject({ code: "expired", first: 1 });
  const fresh = await log.follow({ after: 5, epoch: log.epoch }).next();
  expect(fresh?.map(({ seq }) => seq)).toEqual([6]);
});

test("what a backup is told about things elsewhere comes back once, with its restore", async () => {
  const home = directory();
  const file = path.join(directory(), "backup.db");
  const second = path.join(directory(), "second.db");
  const store = await openSqliteStore({ directory: home });
  await store.backup(file, { files: ["a", "b"] });
  await store[Symbol.asyncDispose]();
  const restored = await restoreSqliteStore({ directory: home, from: file });
  expect(restored).toEqual({ manifest: { files: ["a", "b"] } });
  const again = await openSqliteStore({ directory: home });
  await again.backup(second);
  await again[Symbol.asyncDispose]();
  expect(await restoreSqliteStore({ directory: home, from: second })).toEqual({});
});

test("what was running when the backup was made is taken over after the restore", async () => {
  const home = directory();
  const file = path.join(directory(), "backup.db");
  const store = await openSqliteStore({ directory: home });
  await store.append(await claim(store), turnEvents("t", 1).slice(0, -1));
  await store.backup(file);
  await store[Symbol.asyncDispose]();
  await restoreSqliteStore({ directory: home, from: file });
  await using again = await openSqliteStore({ directory: home });
  expect(await again.orphans()).toEqual(["c"]);
  await claim(again);
  expect(await again.read("c", 3, 9)).toMatchObject([
    { kind: "turn-end", outcome: { kind: "interrupted" }, turn: "t" },
  ]);
});

test("a restore keeps what it replaces, its write-ahead log included", async () => {
  const home = directory();
  const file = path.join(directory(), "backup.db");
  const store = await openSqliteStore({ directory: home });
  await store.backup(file);
  await store[Symbol.asyncDispose]();
  // A process that was killed leaves a log beside the database.
  const { database } = storeFiles(home);
  const killed = new DatabaseSync(database);
  killed.exec("INSERT INTO meta VALUES ('left in', 'the log')");
  const wal = `${database}-wal`;
  expect(existsSync(wal)).toBe(true);
  await restoreSqliteStore({ directory: home, from: file });
  expect(existsSync(wal)).toBe(false);
  const replaced = new DatabaseSync(database.replace(".db", "-replaced.db"));
  expect(replaced.prepare("SELECT value FROM meta WHERE key = 'left in'").get()).toMatchObject({
    value: "the log",
  });
  replaced.close();
  killed.close();
});

test("nothing is restored over a store that a process uses, or from what is no backup", async () => {
  const home = directory();
  const file = path.join(directory(), "backup.db");
  const store = await openSqliteStore({ directory: home });
  await store.backup(file);
  const restored = restoreSqliteStore({ directory: home, from: file });
  await expect(restored).rejects.toMatchObject({ code: "in-use" });
  await store[Symbol.asyncDispose]();
  const garbage = path.join(directory(), "garbage.db");
  writeFileSync(garbage, "This is not a database. ".repeat(400));
  const empty = path.join(directory(), "empty.db");
  new DatabaseSync(empty).exec("CREATE TABLE t (a)");
  const newer = path.join(directory(), "newer.db");
  new DatabaseSync(newer).exec("PRAGMA user_version = 99");
  for (const [from, code] of [
    [path.join(home, "nothing.db"), "unusable"],
    [garbage, "corrupt"],
    [empty, "unusable"],
    [newer, "too-new"],
  ] as const) {
    await expect(restoreSqliteStore({ directory: home, from })).rejects.toMatchObject({ code });
  }
  expect(findFiles(home)).toEqual([storeFiles(home).database]);
});

test("conversations are listed in pages, and each is exported as it was said", async () => {
  await using store = await openSqliteStore({ directory: directory() });
  for (const conversation of ["b", "a", "c"]) {
    const lease = await claim(store, conversation);
    await store.append(lease, turnEvents("old", 100));
    await store.append(lease, turnEvents("new", 200).slice(0, 3));
    if (conversation !== "b") await store.release(lease);
  }
  await store.confirm("a", "reader", 0, { seq: 5, state: "{}" });
  await store.retain({ olderThanMs: 0, maxEvents: 100, viewsOlderThanMs: 1_000 }, 150);
  const summary = { first: 5, last: 7, lastAt: 200, openTurns: 1 };
  expect(await store.listConversations("", 2)).toEqual([
    { conversation: "a", ...summary, isOwned: false },
    { conversation: "b", ...summary, isOwned: true },
  ]);
  expect(await store.listConversations("b", 2)).toEqual([
    { conversation: "c", ...summary, isOwned: false },
  ]);
  expect([...store.exportConversation("a")]).toMatchObject([
    { kind: "conversation", conversation: "a", first: 5, last: 7 },
    { kind: "view", view: { turn: "old", outcome: { kind: "completed" } } },
    { kind: "event", event: { seq: 5, kind: "turn-queued" } },
    { kind: "event", event: { seq: 6, kind: "turn-start" } },
    { kind: "event", event: { seq: 7, kind: "text", text: "hello" } },
    { kind: "checkpoint", consumer: "reader", seq: 5, state: "{}" },
  ]);
  expect([...store.exportConversation("nobody's")]).toEqual([]);
});
