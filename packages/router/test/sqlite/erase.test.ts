import { writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { grantsKey } from "../../src/grants.ts";
import type { NewEvent, PermissionAsk } from "../../src/index.ts";
import { openSqliteStore, type SqliteStore } from "../../src/sqlite/index.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { promptItem } from "../store-contract.ts";
import { claim, findWords, temporaryDirectories, text, turnEvents } from "./temporary.ts";

const directory = temporaryDirectories("sqlite-erase");

const at = 86_400_000;
const rules = { olderThanMs: 0, maxEvents: 0, viewsOlderThanMs: 1_000 * at };

const askOf = (requester: string, id: string, secret: string): PermissionAsk => ({
  id,
  requester,
  title: secret,
  toolKind: "execute",
  subject: secret,
  subjectFrom: "input",
  subjectCut: false,
  options: [],
  expiresAt: 9,
});

/** Plants a word in every place where a conversation keeps what was said. */
async function plant(store: SqliteStore, conversation: string, user: string, word: string) {
  const lease = await claim(store, conversation);
  const query = [{ role: "user" as const, content: word, messageId: word, attachments: [] }];
  const item = promptItem({ key: `${word}-key`, user, query, request: `${word}-request` });
  const { turn } = await store.post(conversation, item);
  const turnOf = (events: NewEvent[]) => events.map((event) => ({ ...event, turn }));
  await store.append(lease, [
    { kind: "turn-queued", who: user, text: word, key: word, attempt: 1, at, turn },
    { kind: "turn-start", who: user, at, turn },
    ...Array.from({ length: 300 }, (_, index) => text(`${word} ${index}`, turn, at)),
    { kind: "permission-ask", ask: askOf(user, `${word}-ask`, word), at, turn },
    ...turnOf(turnEvents("", at, [word])).slice(-1),
  ]);
  await store.retain(rules, at);
  await store.append(lease, turnOf(turnEvents("", at, [word, word])).slice(2, 4));
  // Waits in the inbox, with an open question in the log.
  await store.post(conversation, { ...item, key: `${word}-later`, request: `${word}-again` });
  await store.append(lease, [
    { kind: "permission-ask", ask: askOf(user, `${word}-open`, word), at, turn },
  ]);
  await store.writeRecord(lease, `session:${conversation}`, { session: word });
  await store.confirm(conversation, "reader", 0, { seq: 1, state: word });
}

test("a conversation that another process erased is written again by the owner that claims it anew", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await using other = await openSqliteStore({ directory: home });
  const before = await claim(store, "c");
  const last = await store.append(before, turnEvents("t", at, ["gone"]));
  // From before the erasure: a store that looks at the other's changes may see it at once.
  const told: string[] = [];
  using _ = store.onChange((conversation, part) => told.push(`${conversation} ${part}`));
  await other.erase({ conversation: "c" });
  await expect(store.take(before)).rejects.toMatchObject({ code: "fenced" });
  await expect(store.append(before, [text("late", "t", at)])).rejects.toMatchObject({
    code: "fenced",
  });
  expect(told).toContain("c log");
  const lease = await claim(store, "c");
  expect(await store.append(lease, turnEvents("u", at, ["new"]))).toBeGreaterThan(last);
  const events = await store.read("c", last, 100);
  expect(JSON.stringify(events)).not.toContain("gone");
  expect(events.at(0)?.seq).toBe(last + 1);
});

test("after a conversation was erased no file holds a word of it, and the others are as they were", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await plant(store, "conversation-of-planted-id", "ana", "planted-word");
  await plant(store, "other", "ana", "kept-word");
  const before = [...store.exportConversation("other")];
  const words = ["planted-word", "planted-id"];
  expect(findWords(home, words)).toEqual(words);
  expect(await store.erase({ conversation: "conversation-of-planted-id" }, true)).toMatchObject({
    conversations: ["conversation-of-planted-id"],
  });
  expect(findWords(home, words)).toEqual(words);
  await store.erase({ conversation: "conversation-of-planted-id" });
  expect(findWords(home, [...words, "kept-word"])).toEqual(["kept-word"]);
  expect([...store.exportConversation("other")]).toEqual(before);
  expect(await store.listConversations()).toMatchObject([{ conversation: "other" }]);
});

test("after a message was taken back no file holds its text, and what was answered stays", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await using other = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  const query = [{ role: "user" as const, content: "planted", messageId: "m", attachments: [] }];
  const { turn } = await store.post("c", promptItem({ key: "m", query }));
  const [queued, ...rest] = turnEvents(turn, at, ["answered"]);
  await store.append(lease, [{ ...queued, text: "planted", key: "m" } as NewEvent, ...rest]);
  await other.read("c", 0, 9);
  expect(findWords(home, ["planted", "answered"])).toEqual(["planted", "answered"]);
  await store.redact(lease, "m");
  expect(findWords(home, ["planted", "answered"])).toEqual(["answered"]);
  expect(JSON.stringify(await other.read("c", 0, 9))).not.toContain("planted");
  expect((await store.post("c", promptItem({ key: "m", query, repeat: "attach" }))).how).toBe(
    "repeat",
  );
});

test("the owner of an erased conversation is fenced, and no seq of it is ever used again", async () => {
  await using store = await openSqliteStore({ directory: directory() });
  const lease = await claim(store);
  await store.append(lease, [text("a"), text("b")]);
  await store.erase({ conversation: "c" });
  await expect(store.append(lease, [text("c")])).rejects.toMatchObject({ code: "fenced" });
  await expect(store.read("c", 2, 9)).rejects.toMatchObject({ code: "ahead", last: 0 });
  const next = await claim(store);
  expect(await store.append(next, [text("new")])).toBe(3);
  await expect(store.read("c", 1, 9)).rejects.toMatchObject({ code: "expired", first: 3 });
});

test("a person's own conversations go as a whole; in shared ones their turns are emptied, others' stay", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await plant(store, "alone", "user-ana", "word-of-ana-alone");
  await plant(store, "bobs", "user-bob", "word-of-bob-alone");
  await plant(store, "shared", "user-ana", "word-of-ana-shared");
  const lease = await shareWithBob(store);
  const last = await store.last("shared");
  const report = await store.erase({ user: "user-ana" });
  expect(report).toMatchObject({ conversations: ["alone"], shared: ["shared"] });
  const gone = ["word-of-ana-alone", "word-of-ana-shared", "user-ana"];
  expect(findWords(home, [...gone, "word-of-bob-alone", "word-of-bob-shared"])).toEqual([
    "word-of-bob-alone",
    "word-of-bob-shared",
  ]);
  expect(await store.readRecord("session:shared")).toEqual({ session: "s1" });
  // The log has kept its shape, and its owner.
  expect(await store.last("shared")).toBe(last);
  expect(await store.append(lease, [text("on")])).toBe(last + 1);
  const [, summary] = await store.listConversations();
  const kinds = (await store.read("shared", (summary?.first ?? 0) - 1, 999)).map(
    ({ kind }) => kind,
  );
  expect(kinds).toContain("turn-end");
  expect(kinds.filter((kind) => kind === "text")).toHaveLength(2);
});

/** Bob's turn in the conversation that ana has begun, with an answer of hers to his question. */
async function shareWithBob(store: SqliteStore) {
  const lease = { conversation: "shared", fence: 1 };
  // What a surface and the agent keep for all who are there.
  await store.confirm("shared", "reader", 1, { seq: 1, state: "{}" });
  await store.writeRecord(lease, "session:shared", { session: "s1" });
  await store.writeRecord(lease, "allowed:shared", [{ person: "user-ana", rule: "ls" }]);
  await store.writeRecord(lease, grantsKey("user-ana"), [{ by: "user-ana", rule: "ls" }]);
  await store.writeRecord(lease, grantsKey("user-bob"), [{ by: "user-ana", rule: "ls" }]);
  const [summary] = (await store.listConversations()).filter(
    ({ conversation }) => conversation === "shared",
  );
  expect(summary).toMatchObject({ isOwned: true, openTurns: 1 });
  const turn = "bobs";
  await store.append(lease, [
    { kind: "turn-queued", who: "user-bob", text: "", key: "", attempt: 1, at, turn },
    { kind: "turn-start", who: "user-bob", at, turn },
    text("word-of-bob-shared", turn, at),
    { kind: "permission-ask", ask: askOf("user-bob", "q", "ls"), at, turn },
    { kind: "permission-answer", permission: "q", end: "selected", by: "user-ana", at, turn },
    ...turnEvents(turn, at, []).slice(-1),
  ]);
  return lease;
}

test("a person who only answered others' questions is named no more", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  await store.append(lease, [
    ...turnEvents("t", at),
    { kind: "permission-answer", permission: "q", end: "cancelled", by: "user-eve", at, turn: "t" },
  ]);
  expect(await store.erase({ user: "user-eve" })).toMatchObject({ shared: ["c"] });
  expect(findWords(home, ["user-eve"])).toEqual([]);
  expect(await store.last("c")).toBe(5);
});

test("copies of the database that lie beside it are erased too", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await store.append(await claim(store), [text("planted-word")]);
  const copies = ["store-v1.db", "store-replaced.db", "store-replaced.db-wal"].map((name) =>
    path.join(home, name),
  );
  for (const copy of copies) writeFileSync(copy, "planted-word");
  const report = await store.erase({ conversation: "c" });
  expect([...report.copies].sort()).toEqual([...copies].sort());
  expect(findWords(home, ["planted-word"])).toEqual([]);
});

test("an erasure that was cut short is finished by the next one", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  await store.append(
    lease,
    Array.from({ length: 3_000 }, () => text("planted-word")),
  );
  const erased = store.erase({ conversation: "c" }).catch((error: unknown) => error);
  // The process ends in the middle: what is done in SQL by then is done.
  while ((await store.last("c")) > 0) await new Promise(setImmediate);
  await store[Symbol.asyncDispose]();
  await erased;
  await using again = await openSqliteStore({ directory: home });
  expect(await again.erase({ conversation: "c" })).toMatchObject({ conversations: [] });
  expect(findWords(home, ["planted-word"])).toEqual([]);
});

test("an erasure says so when another process keeps reading what was removed", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  await store.append(await claim(store), [text("planted-word")]);
  const reader = new DatabaseSync(storeFiles(home).database, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM events").get();
  const erased = store.erase({ conversation: "c" }).catch((error: unknown) => error);
  expect(await erased).toMatchObject({ code: "in-use" });
  reader.close();
  await store.erase({ conversation: "c" });
  expect(findWords(home, ["planted-word"])).toEqual([]);
});

test("what an erased person said in the middle of another's turn, and their reactions, are erased", async () => {
  const home = directory();
  await using store = await openSqliteStore({ directory: home });
  const lease = await claim(store);
  await store.append(lease, [
    ...turnEvents("t", at, ["kept-word"]).slice(0, 3),
    { kind: "steered", who: "bob", text: "planted-word", at, turn: "t" },
    { kind: "steered", who: "ana", text: "kept-steer", at, turn: "t" },
    { kind: "reaction", who: "bob", message: "m", reaction: "planted-icon", action: "added", at },
  ]);
  await store.erase({ user: "bob" });
  const words = ["kept-steer", "kept-word", "planted-icon", "planted-word"];
  expect(findWords(home, words)).toEqual(["kept-steer", "kept-word"]);
});
