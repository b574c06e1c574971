import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { parseStorageFailure } from "../../src/sqlite/storage-failure.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { AgentRig, message, outcomeOf, textOf } from "../agent-rig.ts";
import { RelayRig } from "./relay-rig.ts";
import { readStarvedMs } from "./starved-ms.ts";
import { claim, temporaryDirectories, text } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-failure");

/** Makes SQLite fail for real; gives its error. */
const failures: Record<string, (file: string) => void> = {
  "a full disk": (file) => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE t (a); PRAGMA max_page_count = 2");
    for (let n = 0; n < 100; n++) database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(999));
  },
  "a database that may only be read": (file) => {
    new DatabaseSync(file).exec("CREATE TABLE t (a)");
    new DatabaseSync(file, { readOnly: true }).exec("INSERT INTO t VALUES (1)");
  },
  "a lock of another process": (file) => {
    const holder = new DatabaseSync(file);
    holder.exec("CREATE TABLE t (a); BEGIN EXCLUSIVE");
    new DatabaseSync(file).exec("INSERT INTO t VALUES (1)");
  },
  "a directory that is not there": (file) => new DatabaseSync(path.join(file, "x")),
  "a file that is no database": (file) => {
    writeFileSync(file, "This is not a database. ".repeat(400));
    new DatabaseSync(file).exec("CREATE TABLE t (a)");
  },
  "a statement that is wrong": (file) => new DatabaseSync(file).exec("SELECT nonsense"),
};

test.each([
  ["a full disk", "unwritable"],
  ["a database that may only be read", "unwritable"],
  ["a lock of another process", "unwritable"],
  ["a directory that is not there", "unwritable"],
  ["a file that is no database", "corrupt"],
  ["a statement that is wrong", "ERR_SQLITE_ERROR"],
])("%s is told as %s", (name, code) => {
  const file = path.join(directory(), "x.db");
  let failure: unknown;
  try {
    failures[name]?.(file);
  } catch (error) {
    failure = parseStorageFailure(error);
  }
  expect(failure).toMatchObject({ code });
});

test("a write that another process keeps out waits without holding this process up", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  using other = new DatabaseSync(storeFiles(home).database);
  other.exec("BEGIN IMMEDIATE");
  const appends = [store.append(lease, [text("a")]), store.append(lease, [text("b")])];
  let longest = 0;
  // What other programs of a busy machine take is not the store's.
  const ownTime = () => performance.now() - readStarvedMs();
  for (let n = 0, last = ownTime(); n < 50; n++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    longest = Math.max(longest, ownTime() - last);
    last = ownTime();
  }
  expect(longest).toBeLessThan(200);
  expect(await store.last("c")).toBe(0);
  other.exec("COMMIT");
  expect(await Promise.all(appends)).toEqual([1, 2]);
});

test("a write that refuses is refused alone; the others of its tick are committed", async () => {
  await using store = await openSqliteStore({ directory: directory() });
  const lease = await claim(store);
  const results = await Promise.allSettled([
    store.append(lease, [text("a")]),
    store.append({ ...lease, fence: 99 }, [text("fenced")]),
    store.confirm("c", "reader", 0, { seq: 5 }),
    store.append(lease, [text("b")]),
  ]);
  expect(results).toMatchObject([
    { value: 1 },
    { reason: { code: "fenced" } },
    { reason: { code: "ahead" } },
    { value: 2 },
  ]);
});

describe("while the disk takes no more", () => {
  const script = {
    prompt: [{ kind: "text", text: "x".repeat(300), pace: { size: 1, everyMs: 5 } }],
  };

  /** Nothing that a process writes may reach beyond this, as if its disk were full. */
  const limitFiles = (pid: number, bytes: number | "unlimited") =>
    execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);

  test("a turn goes on in memory, new messages are refused, and the log says so afterwards", async () => {
    const home = directory();
    await using there = await RelayRig.start(home, "there", script);
    const files = path.join(home, "store");
    await using store = await openSqliteStore({ directory: files });
    await using here = new AgentRig(script, { store });
    const { turn } = await there.call("submit", "c", message("go"));
    await here.follow(turn, { until: "text" });
    limitFiles(there.pid, statSync(`${storeFiles(files).database}-wal`).size);
    await there.until((told) => told.kind === "failure" && told.code === "unwritable");
    await expect(there.call("submit", "d", message("new"))).rejects.toThrow("cannot be used now");
    const last = await store.last("c");
    limitFiles(there.pid, "unlimited");
    const events = await here.follow(turn);
    expect(textOf(events)).toBe("x".repeat(300));
    expect(outcomeOf(events)).toMatchObject({ kind: "completed" });
    const notices = events.filter(({ kind }) => kind === "notice");
    expect(notices).toMatchObject([
      { level: "warning", text: expect.stringMatching(/could not save anything for/) },
    ]);
    expect(notices[0]?.seq).toBe(last + 1);
  });
});
