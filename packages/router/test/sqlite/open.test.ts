import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { migrate, readVersion } from "../../src/sqlite/migrate.ts";
import { OwnerLock } from "../../src/sqlite/owner-lock.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { claim, findFiles, temporaryDirectories, text } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-open");

test.each([
  ["NFS", 0x6969],
  ["SMB", 0x517b],
  ["SMB (CIFS)", 0xff534d42],
  ["SMB (CIFS), as a signed number", 0xff534d42 | 0],
  ["SMB 2", 0xfe534d42],
  ["9p", 0x01021997],
])("a directory on %s is refused with the cure", async (_, type) => {
  const opened = openSqliteStore({ directory: directory(), fileSystemType: async () => type });
  await expect(opened).rejects.toMatchObject({
    code: "network-file-system",
    message: expect.stringContaining("choose a local directory"),
  });
});

test.each([
  ["overlayfs", 0x794c7630],
  ["ext4", 0xef53],
  ["tmpfs", 0x01021994],
])("a directory on %s is accepted", async (_, type) => {
  await using store = await openSqliteStore({
    directory: directory(),
    fileSystemType: async () => type,
  });
  expect(await store.last("c")).toBe(0);
});

test("every file of an open store can be read by its owner only, and so can its directories", async () => {
  const at = path.join(directory(), "made");
  await using store = await openSqliteStore({ directory: at });
  await store.append(await claim(store), [text("a")]);
  const files = findFiles(at);
  expect(files.length).toBeGreaterThanOrEqual(4);
  for (const file of files) {
    expect([file, (statSync(file).mode & 0o777).toString(8)]).toEqual([file, "600"]);
  }
  for (const one of [at, path.join(at, "owners")]) {
    expect((statSync(one).mode & 0o777).toString(8)).toBe("700");
  }
});

test("a closed store leaves one file, and opens again with its epoch and its events", async () => {
  const at = directory();
  const first = await openSqliteStore({ directory: at, durability: "power" });
  await first.append(await claim(first), [text("a")]);
  await first[Symbol.asyncDispose]();
  expect(findFiles(at)).toEqual([storeFiles(at).database]);
  await using second = await openSqliteStore({ directory: at });
  expect(second.epoch).toBe(first.epoch);
  expect(await second.read("c", 0, 9)).toMatchObject([{ seq: 1, text: "a" }]);
});

test("two stores have different epochs", async () => {
  await using one = await openSqliteStore({ directory: directory() });
  await using other = await openSqliteStore({ directory: directory() });
  expect(one.epoch).not.toBe(other.epoch);
});

test("a closed store refuses every call as closed", async () => {
  const store = await openSqliteStore({ directory: directory() });
  const lease = await claim(store);
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await expect(store.append(lease, [text("a")])).rejects.toMatchObject({ code: "closed" });
  await expect(store.read("c", 0, 1)).rejects.toMatchObject({ code: "closed" });
});

test("a file that is no database is refused as damaged, and left as it is", async () => {
  const at = directory();
  const { database } = storeFiles(at);
  writeFileSync(database, "This is not a database. ".repeat(400));
  await expect(openSqliteStore({ directory: at })).rejects.toMatchObject({
    code: "corrupt",
    message: expect.stringContaining("restore a backup"),
  });
  expect(readFileSync(database, "utf8")).toBe("This is not a database. ".repeat(400));
});

test("a damaged page is found when the store is opened", async () => {
  const at = directory();
  const { database } = storeFiles(at);
  const store = await openSqliteStore({ directory: at });
  const lease = await claim(store);
  for (let n = 0; n < 50; n++) await store.append(lease, [text("x".repeat(500))]);
  await store[Symbol.asyncDispose]();
  const bytes = readFileSync(database);
  bytes.fill(0xff, bytes.length - 3 * 4096);
  writeFileSync(database, bytes);
  await expect(openSqliteStore({ directory: at })).rejects.toMatchObject({ code: "corrupt" });
});

test("damage that is met while the store is open is an error of its own, not a missing event", async () => {
  const at = directory();
  const store = await openSqliteStore({ directory: at });
  const lease = await claim(store);
  const batch = Array.from({ length: 100 }, () => text("x".repeat(900)));
  // More than SQLite keeps in memory.
  for (let n = 0; n < 50; n++) await store.append(lease, batch);
  await store[Symbol.asyncDispose]();
  await using again = await openSqliteStore({ directory: at });
  const { database } = storeFiles(at);
  execFileSync(
    "dd",
    ["if=/dev/zero", `of=${database}`, "conv=notrunc", "bs=4096", "seek=100", "count=800"],
    {
      stdio: "ignore",
    },
  );
  const readAll = async () => {
    for (let after = 0; after < 5000; after += 100) await again.read("c", after, 100);
  };
  await expect(readAll()).rejects.toMatchObject({ code: "corrupt" });
});

/** A schema of long ago, and two steps that lead on from it. */
const migrations = [
  "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)",
  "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
  "UPDATE things SET size = length(name)",
];

async function oldStore(steps: readonly string[]) {
  const files = storeFiles(directory());
  const database = new DatabaseSync(files.database);
  database.exec("PRAGMA journal_mode = WAL");
  await migrate(database, files, steps);
  return { files, database };
}

test("a database of an older schema is brought to the newest, with a copy before each step", async () => {
  const { files, database } = await oldStore(migrations.slice(0, 1));
  database.exec("INSERT INTO things (name) VALUES ('lamp')");
  await migrate(database, files, migrations);
  expect(database.prepare("SELECT name, size FROM things").all()).toMatchObject([
    { name: "lamp", size: 4 },
  ]);
  expect(readVersion(database)).toBe(3);
  database.close();
  for (const [version, row] of [
    [1, { name: "lamp" }],
    [2, { name: "lamp", size: 0 }],
  ] as const) {
    const name = files.database.replace(".db", `-v${version}.db`);
    expect(statSync(name).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(name, { readOnly: true });
    expect(readVersion(copy)).toBe(version);
    expect(copy.prepare("SELECT * FROM things").get()).toMatchObject(row);
    copy.close();
  }
});

test("a step that fails leaves the database as it was", async () => {
  const { files, database } = await oldStore(migrations.slice(0, 1));
  const steps = [...migrations.slice(0, 1), "CREATE TABLE more (id INTEGER); SELECT nonsense"];
  await expect(migrate(database, files, steps)).rejects.toThrow("nonsense");
  expect(readVersion(database)).toBe(1);
  expect(database.prepare("SELECT name FROM sqlite_schema").all()).toMatchObject([
    { name: "things" },
  ]);
  database.close();
});

test("a database is not brought to a newer schema under a process that lives", async () => {
  const { files, database } = await oldStore(migrations.slice(0, 1));
  const lock = OwnerLock.take(files.owners);
  await expect(migrate(database, files, migrations)).rejects.toMatchObject({ code: "in-use" });
  expect(readVersion(database)).toBe(1);
  lock[Symbol.dispose]();
  await migrate(database, files, migrations);
  database.close();
});

test("a database of a newer schema is refused, and the copy to go back to is named", async () => {
  const at = directory();
  await (await openSqliteStore({ directory: at }))[Symbol.asyncDispose]();
  const { database: file } = storeFiles(at);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
  await expect(openSqliteStore({ directory: at })).rejects.toMatchObject({
    code: "too-new",
    message: expect.stringMatching(/schema 99.*store-v\d+\.db/),
  });
  expect(existsSync(file)).toBe(true);
});
