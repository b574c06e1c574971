import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openRelayDb, type RelayDb } from "@acp-kit/relay";
import { expect, onTestFinished, test } from "vitest";
import {
  DEMOTION_MS,
  Demotions,
  OpenConversations,
  QuestionBook,
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
  expect(slackTables.erasePerson(db, "U0ANA")).toBe(1);
  expect(slackTables.eraseConversation?.(db, CONVERSATION)).toBe(1);
  expect(new QuestionBook(db).of(CONVERSATION)).toEqual([]);
});

test("a channel without streams is tried again after a day", async () => {
  const [one, other] = await openTwice();
  new Demotions(one, "shop").add("D0ANA", 1_000);
  const kept = new Demotions(other, "shop");
  expect(kept.has("D0ANA", 1_000 + DEMOTION_MS - 1)).toBe(true);
  expect(kept.has("D0ANA", 1_000 + DEMOTION_MS)).toBe(false);
  expect(kept.has("D0BOB", 1_000)).toBe(false);
});
