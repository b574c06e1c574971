import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { openSqliteStore } from "../../src/sqlite/index.ts";
import { OwnerLock } from "../../src/sqlite/owner-lock.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { promptItem } from "../store-contract.ts";
import { claim, temporaryDirectories, text } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-owners");

test("an owner lives while it holds its lock, whoever asks and however many at once", () => {
  const home = directory();
  const first = OwnerLock.take(home);
  const second = OwnerLock.take(home);
  expect([first.isAlive(first.id), first.isAlive(second.id), second.isAlive(first.id)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(OwnerLock.someoneLives(home)).toBe(true);
  first[Symbol.dispose]();
  expect([second.isAlive(first.id), second.isAlive(second.id)]).toEqual([false, true]);
  second[Symbol.dispose]();
  expect(OwnerLock.someoneLives(home)).toBe(false);
  expect(readdirSync(home)).toEqual([]);
});

test("only the dead are buried", () => {
  const home = directory();
  const lock = OwnerLock.take(home);
  const other = OwnerLock.take(home);
  const dead = path.join(home, "dead.lock");
  writeFileSync(dead, "");
  expect(lock.isAlive("dead")).toBe(false);
  expect([
    lock.bury("dead"),
    lock.bury("never was"),
    lock.bury(other.id),
    lock.bury(lock.id),
  ]).toEqual([true, true, false, false]);
  expect(existsSync(dead)).toBe(false);
  expect(lock.isAlive(other.id)).toBe(true);
  lock[Symbol.dispose]();
  other[Symbol.dispose]();
});

test("what dead owners left behind goes when a store is opened, or when their conversations are taken", async () => {
  const home = directory();
  const { owners } = storeFiles(home);
  await using store = await openSqliteStore({ directory: home });
  const own = readdirSync(owners);
  // As if two processes had been killed, one of them as the owner of a conversation.
  for (const name of ["owner.lock", "idle.lock", "unregistered.lock"]) {
    writeFileSync(path.join(owners, name), "");
  }
  const database = new DatabaseSync(storeFiles(home).database, { timeout: 5_000 });
  database.exec("INSERT INTO owners VALUES ('owner', 1), ('idle', 2)");
  database.exec("INSERT INTO conversations (id, key, owner) VALUES (1, 'c', 'owner')");
  database.exec("INSERT INTO turns (conversation, turn, start_seq) VALUES (1, 't', 1)");
  await using again = await openSqliteStore({ directory: home });
  expect(await again.orphans()).toEqual(["c"]);
  await vi.waitFor(() => expect(readdirSync(owners)).toHaveLength(3));
  await claim(store);
  expect(await again.orphans()).toEqual([]);
  expect(readdirSync(owners)).toEqual(expect.arrayContaining(own));
  expect(readdirSync(owners)).toHaveLength(2);
  expect(database.prepare("SELECT count(*) AS owners FROM owners").get()).toEqual({ owners: 2 });
  database.close();
});

test("conversations in which a dead owner has left nothing to do are free when a store is opened", async () => {
  const home = directory();
  const store = await openSqliteStore({ directory: home });
  for (let n = 0; n < 1_200; n++) await store.append(await claim(store, `c${n}`), [text("a")]);
  await store.post("c7", promptItem());
  await store[Symbol.asyncDispose]();
  const database = new DatabaseSync(storeFiles(home).database, { timeout: 5_000 });
  database.exec("UPDATE conversations SET owner = 'dead'");
  await using again = await openSqliteStore({ directory: home });
  const left = () =>
    database.prepare("SELECT key FROM conversations WHERE owner IS NOT NULL").all();
  await vi.waitFor(() => expect(left()).toEqual([{ key: "c7" }]));
  expect(await again.orphans()).toEqual(["c7"]);
  database.close();
});

test("an item that was posted is left to its poster's process and to the owner; what an owner leaves, to everybody", async () => {
  const home = directory();
  await using poster = await openSqliteStore({ directory: home });
  await using other = await openSqliteStore({ directory: home });
  const heard: string[] = [];
  using _ = other.onChange((conversation, part) => heard.push(`${conversation} ${part}`));
  const lease = await claim(poster);
  await poster.post("c", promptItem());
  await poster.append(lease, [text("a")]);
  await vi.waitFor(() => expect(heard).toEqual(["c log"]));
  await poster.release(lease);
  await vi.waitFor(() => expect(heard).toContain("c inbox"));
  const mine = await claim(other, "mine");
  await poster.post("mine", promptItem());
  await vi.waitFor(() => expect(heard).toContain("mine inbox"));
  await other.release(mine);
});

test("what waits in an inbox that nobody owns is offered again while others live", async () => {
  const home = directory();
  // It has no router, so it claims nothing.
  await using poster = await openSqliteStore({ directory: home });
  await using other = await openSqliteStore({ directory: home });
  const heard: string[] = [];
  using _ = other.onChange((conversation, part) => heard.push(`${conversation} ${part}`));
  await poster.post("c", promptItem());
  await vi.waitFor(() => expect(heard).toContain("c inbox"));
});

test("a process that was stopped for long looks at everything that may have moved", async () => {
  const home = directory();
  await using busy = await openSqliteStore({ directory: home });
  await using other = await openSqliteStore({ directory: home });
  const heard = new Set<string>();
  using _ = other.onChange((conversation, part) => heard.add(`${conversation} ${part}`));
  await claim(other, "mine");
  await busy.post("mine", promptItem());
  const leases = await Promise.all(
    Array.from({ length: 100 }, (_, index) => claim(busy, `c${index}`)),
  );
  // More moves than are kept, in one tick of this process: the other's poll sees only the last of them.
  for (let n = 0; n < 60; n++) {
    const appends = leases.map((lease) => busy.append(lease, [text(`${n}`)]));
    await Promise.all(appends);
  }
  await vi.waitFor(() => expect(heard.size).toBe(102));
});

afterEach(() => vi.restoreAllMocks());

test("nothing is polled while a process is alone, and only until it is alone again", async () => {
  const began = vi.spyOn(globalThis, "setInterval");
  const ended = vi.spyOn(globalThis, "clearInterval");
  const polls = () =>
    began.mock.results.length - ended.mock.calls.filter(([timer]) => timer).length;
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await store.append(await claim(store), [text("a")]);
  expect(began).not.toHaveBeenCalled();
  const other = await openSqliteStore({ directory: home });
  await vi.waitFor(() => expect(polls()).toBe(2));
  await other[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(polls()).toBe(0), { timeout: 5_000 });
});
