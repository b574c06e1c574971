import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRelayDb, type RelayTables } from "../src/relay-db.ts";
import { rejection, temporaryDirectory } from "./support.ts";

const notes: RelayTables = {
  name: "notes",
  migrations: ["CREATE TABLE notes (user TEXT, text TEXT)"],
  erasePerson: (db, user) => db.run("DELETE FROM notes WHERE user = ?", user),
};

async function open(stateDir: string, tables: readonly RelayTables[] = [notes]) {
  const db = await openRelayDb(stateDir, tables);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await db[Symbol.asyncDispose]();
    isOpen = false;
  };
  onTestFinished(close);
  return { db, close };
}

test("the database is made with mode 0600, and so is what SQLite keeps beside it", async () => {
  const stateDir = temporaryDirectory();
  const { db } = await open(stateDir);
  db.run("INSERT INTO notes VALUES ('u-ana', 'x')");
  const files = readdirSync(stateDir).filter((name) => name.startsWith("relay.db"));
  expect(files.sort()).toEqual(["relay.db", "relay.db-shm", "relay.db-wal"]);
  for (const file of files) expect(statSync(join(stateDir, file)).mode & 0o777).toBe(0o600);
});

test("a newer version brings its tables up to date beside one that runs, and the older one is refused afterwards", async () => {
  const stateDir = temporaryDirectory();
  const { db: older } = await open(stateDir);
  older.run("INSERT INTO notes VALUES ('u-ana', 'x')");
  const newer = {
    ...notes,
    migrations: [...notes.migrations, "ALTER TABLE notes ADD COLUMN at INTEGER NOT NULL DEFAULT 0"],
  };
  const { db } = await open(stateDir, [newer]);
  expect(db.all("SELECT * FROM notes")).toEqual([{ user: "u-ana", text: "x", at: 0 }]);
  older.run("INSERT INTO notes (user, text) VALUES ('u-bob', 'y')");
  expect(db.all("SELECT user FROM notes")).toHaveLength(2);
  expect(await rejection(openRelayDb(stateDir, [notes]))).toMatchObject({
    code: "store",
    message: expect.stringMatching(/newer version \(notes 2, this one knows 1\)/),
  });
});

test("tables of a part that this version does not know stay as they are", async () => {
  const stateDir = temporaryDirectory();
  const { db, close } = await open(stateDir);
  db.run("INSERT INTO notes VALUES ('u-ana', 'x')");
  await close();
  const { close: closeOther } = await open(stateDir, []);
  await closeOther();
  const { db: again } = await open(stateDir);
  expect(again.all("SELECT * FROM notes")).toHaveLength(1);
});

test("a step that fails leaves nothing of itself, and the error names the place", async () => {
  const stateDir = temporaryDirectory();
  const broken = { ...notes, migrations: ["CREATE TABLE notes (user TEXT); CREATE TABEL x"] };
  const error = await rejection(openRelayDb(stateDir, [broken]));
  expect(error).toMatchObject({ code: "store", message: expect.stringContaining(stateDir) });
  const { db } = await open(stateDir);
  expect(db.all("SELECT * FROM notes")).toEqual([]);
});

test("a file that is no database is said to be one", async () => {
  const stateDir = temporaryDirectory();
  writeFileSync(join(stateDir, "relay.db"), "this is no database at all, ".repeat(200));
  expect(await rejection(openRelayDb(stateDir, [notes]))).toMatchObject({
    code: "store",
    message: expect.stringContaining("cannot be used"),
  });
});

test("a transaction that throws changes nothing", async () => {
  const { db } = await open(temporaryDirectory());
  const work = () => {
    db.run("INSERT INTO notes VALUES ('u-ana', 'x')");
    throw new RangeError("no");
  };
  expect(() => db.transaction(work)).toThrow(RangeError);
  expect(db.all("SELECT * FROM notes")).toEqual([]);
  db.transaction(() => db.run("INSERT INTO notes VALUES ('u-ana', 'x')"));
  expect(db.all("SELECT * FROM notes")).toHaveLength(1);
});

test("what is deleted is in no file any more once the log is emptied", async () => {
  const stateDir = temporaryDirectory();
  const { db } = await open(stateDir);
  const planted = "planted-4f1c9e";
  const isThere = () =>
    readdirSync(stateDir).some((name) => readFileSync(join(stateDir, name)).includes(planted));
  db.run("INSERT INTO notes VALUES (?, 'x')", planted);
  expect(isThere()).toBe(true);
  notes.erasePerson(db, planted);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(existsSync(join(stateDir, "relay.db"))).toBe(true);
  expect(isThere()).toBe(false);
});
