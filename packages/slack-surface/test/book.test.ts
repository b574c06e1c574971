import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openRelayDb, type RelayDb } from "@acp-kit/relay";
import { expect, onTestFinished, test } from "vitest";
import {
  Demotions,
  HeardBook,
  OpenConversations,
  QuestionBook,
  SignBook,
  slackTables,
} from "../src/index.ts";

const CONVERSATION = "slack/shop/T0ACME/C0SHOP/1.000100";

/** Two processes of a relay. */
async function openTwice(): Promise<readonly [RelayDb, RelayDb]> {
  const directory = mkdtempSync(path.join(tmpdir(), "slack-book-"));
  const one = await openRelayDb(directory, [slackTables]);
  const other = await openRelayDb(directory, [slackTables]);
  onTestFinished(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });
  return [one, other];
}

test("what came after a conversation was looked at keeps it open", async () => {
  const [one, other] = await openTwice();
  const delivering = new OpenConversations(one, "shop");
  const hearing = new OpenConversations(other, "shop");
  hearing.mark(CONVERSATION);
  const [open] = delivering.all();
  if (!open) throw new Error("Nothing is open.");
  hearing.mark(CONVERSATION);
  expect(delivering.clear(open)).toBe(false);
  const mark = delivering.markOf(CONVERSATION) ?? 0;
  expect(delivering.clear({ conversation: CONVERSATION, mark })).toBe(true);
  expect(delivering.all()).toEqual([]);
});

test("a process learns that another has marked something, and asks no more than once", async () => {
  const [one, other] = await openTwice();
  const delivering = new OpenConversations(one, "shop");
  delivering.hasNews();
  expect(delivering.hasNews()).toBe(false);
  new OpenConversations(other, "shop").mark(CONVERSATION);
  expect(delivering.hasNews()).toBe(true);
  expect(delivering.hasNews()).toBe(false);
});

test("a bot's open conversations are its own", async () => {
  const [db] = await openTwice();
  new OpenConversations(db, "shop").mark(CONVERSATION);
  expect(new OpenConversations(db, "docs").all()).toEqual([]);
});

test("a question has one reference for ever, and of it what was kept first counts", async () => {
  const [one, other] = await openTwice();
  const asked = { conversation: CONVERSATION, turn: "t1", permission: "p1", channel: "C0SHOP" };
  const { reference } = new QuestionBook(one).add({ ...asked, requester: "U0ANA" });
  new QuestionBook(one).posted(reference, "2.000200");
  const again = new QuestionBook(other).add({ ...asked, requester: "U0BOB" });
  expect(again).toMatchObject({ reference, ts: "2.000200", requester: "U0ANA", state: "open" });
  expect(new QuestionBook(other).find("0".repeat(32))).toBeUndefined();
});

test("nothing is left of a person or a conversation that is erased", async () => {
  const [db] = await openTwice();
  const asked = { conversation: CONVERSATION, turn: "t1", permission: "p1", channel: "C0SHOP" };
  new QuestionBook(db).add({ ...asked, requester: "U0ANA" });
  new OpenConversations(db, "shop").mark(CONVERSATION);
  new SignBook(db).add(CONVERSATION, "1.000100", "eyes");
  expect(slackTables.erasePerson(db, "U0ANA")).toBe(1);
  expect(slackTables.eraseConversation?.(db, CONVERSATION)).toBe(2);
  expect(new QuestionBook(db).of(CONVERSATION)).toEqual([]);
  expect(new SignBook(db).of(CONVERSATION)).toEqual(new Map());
});

test("a channel without streams is tried again after a day", async () => {
  const [one, other] = await openTwice();
  new Demotions(one, "shop").add("D0ANA", 1_000);
  const kept = new Demotions(other, "shop");
  expect(kept.has("D0ANA", 1_000 + 24 * 3_600_000 - 1)).toBe(true);
  expect(kept.has("D0ANA", 1_000 + 24 * 3_600_000)).toBe(false);
  expect(kept.has("D0BOB", 1_000)).toBe(false);
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("a message is dealt with once, by whichever process, and may be again when that failed", async () => {
  const [one, other] = await openTwice();
  const hers = { conversation: CONVERSATION, user: "U0ANA" };
  expect(new HeardBook(one, "shop").claim("k", hers, 1)).toBe(true);
  expect(new HeardBook(other, "shop").claim("k", hers, 1)).toBe(false);
  expect(new HeardBook(other, "docs").claim("k", hers, 1)).toBe(true);
  new HeardBook(other, "shop").release("k");
  expect(new HeardBook(one, "shop").claim("k", hers, 1)).toBe(true);
  new HeardBook(one, "shop").keep("k", { ...hers, turn: "t" }, 1);
  new HeardBook(one, "shop").release("k");
  expect(new HeardBook(other, "shop").message("k")).toEqual({ ...hers, turn: "t" });
});

test("a refusal is told once an hour, and a mark of what was heard only grows", async () => {
  const [one, other] = await openTwice();
  expect(new HeardBook(one, "shop").mayRefuse("U0GUEST", HOUR_MS)).toBe(true);
  expect(new HeardBook(other, "shop").mayRefuse("U0GUEST", 2 * HOUR_MS - 1)).toBe(false);
  expect(new HeardBook(other, "shop").mayRefuse("U0GUEST", 2 * HOUR_MS)).toBe(true);
  new HeardBook(one, "shop").see("C0SHOP", "1700000002.000100");
  new HeardBook(other, "shop").see("C0SHOP", "1700000001.000100");
  expect(new HeardBook(one, "shop").seen()).toEqual([
    { channel: "C0SHOP", ts: "1700000002.000100" },
  ]);
});

test("of people and messages nothing is kept that nobody asks for, or that was erased", async () => {
  const [db] = await openTwice();
  const book = new HeardBook(db, "shop");
  const fill = () => {
    book.follow(CONVERSATION, "U0ANA", 1);
    book.follow(CONVERSATION, "U0BOB", 1);
    book.keep("k", { conversation: CONVERSATION, user: "U0ANA", turn: "t" }, 1);
    book.mayRefuse("U0ANA", 1);
  };
  fill();
  expect(slackTables.erasePerson(db, "U0ANA")).toBe(3);
  expect(book.followed(CONVERSATION)?.addressedBy).toEqual(new Set(["U0BOB"]));
  fill();
  expect(slackTables.eraseConversation?.(db, CONVERSATION)).toBe(4);
  expect(book.followed(CONVERSATION)).toBeUndefined();
  expect(book.message("k")).toBeUndefined();
  fill();
  book.prune(9 * DAY_MS);
  expect(book.message("k")).toBeUndefined();
  expect(book.followed(CONVERSATION)).toBeDefined();
  book.prune(200 * DAY_MS);
  expect(book.followed(CONVERSATION)).toBeUndefined();
});
