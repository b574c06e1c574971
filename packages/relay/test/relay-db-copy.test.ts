import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { beforeEach, expect, test } from "vitest";
import { backup, restore } from "../src/cli/commands/backup.ts";
import { erase } from "../src/cli/commands/erase.ts";
import { KeptPeople } from "../src/people/kept-people.ts";
import { PauseSwitch } from "../src/people/pause-switch.ts";
import { Policies } from "../src/people/policies.ts";
import { Usage } from "../src/people/usage.ts";
import { openRelayDb, type RelayDb } from "../src/relay-db.ts";
import { eraseFromRelayDb, writeRelayDb } from "../src/relay-db-copy.ts";
import { RELAY_TABLES } from "../src/relay-tables.ts";
import { relayRoot } from "./relay-run.ts";
import { rejection } from "./support.ts";

/** Ids that nothing else holds. */
const ANA = "u-planted-ana-7c31";
const BOB = "u-planted-bob-99ab";

let stateDir: string;
let file: string;

/** Fills every table with something of both. */
beforeEach(async () => {
  const root = relayRoot();
  stateDir = join(root, "state");
  file = join(root, "backup.db");
  await using store = await openSqliteStore({ directory: stateDir });
  void store;
  await using db = await openRelayDb(stateDir, RELAY_TABLES);
  const people = new KeptPeople(db);
  people.allow({ user: ANA, bot: "", role: "operator", by: "", at: 1 });
  people.allow({ user: BOB, bot: "shop", role: "user", by: ANA, at: 1 });
  new PauseSwitch(db).set({ by: ANA, reason: "", at: 1 });
  new Policies(db).set("shop", "deny", ANA);
  await using usage = new Usage(db, { turnsPerUserPerHour: 1 }, Date.now);
  for (const user of [ANA, BOB]) {
    usage.start({ turn: `t-${user}`, user, conversation: `poe/shop/c-${user}`, workspace: "shop" });
    usage.end(`t-${user}`);
  }
});

function filesWith(text: string): string[] {
  return readdirSync(stateDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

async function rows(): Promise<number> {
  await using db = await openRelayDb(stateDir, RELAY_TABLES);
  const tables = ["people", "people_pause", "people_policies", "usage_turns", "usage_warnings"];
  const counts = tables.map((name) => db.all(`SELECT 1 FROM ${name}`).length);
  return counts.reduce((sum, count) => sum + count, 0);
}

test("after a person is erased no file holds their id, and others' rows are there", async () => {
  expect(filesWith(ANA)).not.toEqual([]);
  const before = await rows();
  expect(await erase(stateDir, { user: ANA }, true)).toContain("3 rows");
  expect(await rows()).toBe(before);
  expect(await erase(stateDir, { user: ANA }, false)).toContain("3 rows");
  expect(filesWith(ANA)).toEqual([]);
  expect(filesWith(BOB)).not.toEqual([]);
  expect(await rows()).toBe(before - 3);
});

test("a person is erased while another process has the database open", async () => {
  await using db = await openRelayDb(stateDir, RELAY_TABLES);
  expect(new KeptPeople(db).list()).toHaveLength(2);
  await erase(stateDir, { user: ANA }, false);
  expect(filesWith(ANA)).toEqual([]);
  expect(new KeptPeople(db).list()).toMatchObject([{ user: BOB, by: "" }]);
});

test("a backup has what the relay itself keeps, and a restore brings it back", async () => {
  await backup(stateDir, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await erase(stateDir, { user: ANA }, false);
  const told = await restore(stateDir, file);
  expect(told).toContain("relay-replaced.db");
  expect(await rows()).toBe(8);
  expect(statSync(join(stateDir, "relay.db")).mode & 0o777).toBe(0o600);
  expect(readdirSync(stateDir).filter((name) => name.includes("copy"))).toEqual([]);
});

test("after a restore a person can be erased from every file again", async () => {
  await backup(stateDir, file);
  await restore(stateDir, file);
  expect(filesWith(ANA)).not.toEqual([]);
  await erase(stateDir, { user: ANA }, false);
  expect(filesWith(ANA)).toEqual([]);
});

test("what is no database takes no place of one", async () => {
  const before = await rows();
  const text = Buffer.from("no database ".repeat(100)).toString("base64");
  expect(await rejection(writeRelayDb(stateDir, text, RELAY_TABLES))).toMatchObject({
    code: "store",
  });
  expect(await rows()).toBe(before);
});

test("a person and a conversation are erased from the tables of an app's surface too", async () => {
  const tables = [
    ...RELAY_TABLES,
    {
      name: "chat",
      migrations: ["CREATE TABLE chat (user TEXT, conversation TEXT)"],
      erasePerson: (db: RelayDb, user: string) => db.run("DELETE FROM chat WHERE user = ?", user),
      eraseConversation: (db: RelayDb, conversation: string) =>
        db.run("DELETE FROM chat WHERE conversation = ?", conversation),
    },
  ];
  await using db = await openRelayDb(stateDir, tables);
  const left = () => db.all("SELECT * FROM chat").length;
  db.run("INSERT INTO chat VALUES (?, 'slack/shop/t/c'), (?, 'slack/shop/t/d')", ANA, BOB);
  const what = { user: ANA, conversations: ["slack/shop/t/d"] };
  expect(await eraseFromRelayDb(stateDir, what, tables, true)).toBeGreaterThan(2);
  expect(left()).toBe(2);
  await eraseFromRelayDb(stateDir, what, tables, false);
  expect(left()).toBe(0);
});
