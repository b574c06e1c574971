import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eraseReactions } from "../src/index.ts";
import { writeReaction } from "../src/reaction-ledger.ts";

function open() {
  const directory = mkdtempSync(path.join(tmpdir(), "ledger-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, "reactions.jsonl");
  const write = (conversation: string, user: string) =>
    writeReaction(directory, conversation, {
      ...{ kind: "reaction", key: "k", user, message: "m", reaction: "👍", action: "added", at: 0 },
    } as const);
  const whose = () =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).user_id);
  return { directory, file, write, whose };
}

test("reactions of a person, and those in some conversations, leave the ledger, and a dry run only counts them", async () => {
  const { directory, write, whose } = open();
  for (const [conversation, user] of [
    ["a", "ana"],
    ["b", "ana"],
    ["b", "bob"],
    ["c", "eve"],
  ] as const) {
    await write(conversation, user);
  }
  const what = { user: "ana", conversations: ["c"] };
  expect(await eraseReactions(directory, what, true)).toBe(3);
  expect(whose()).toEqual(["ana", "ana", "bob", "eve"]);
  expect(await eraseReactions(directory, what)).toBe(3);
  expect(whose()).toEqual(["bob"]);
  expect(await eraseReactions(directory, { conversations: ["x"] })).toBe(0);
  expect(whose()).toEqual(["bob"]);
});

test("what is added to the ledger while lines are taken out stays", async () => {
  const { directory, write, whose } = open();
  for (let n = 0; n < 2_000; n++) await write("a", n % 2 === 0 ? "ana" : "bob");
  const erased = eraseReactions(directory, { user: "ana", conversations: [] });
  for (let n = 0; n < 50; n++) await write("a", "eve");
  expect(await erased).toBe(1_000);
  const left = whose();
  expect(left.filter((user) => user === "bob")).toHaveLength(1_000);
  expect(left.filter((user) => user === "eve")).toHaveLength(50);
  expect(left).toHaveLength(1_050);
});

test("the next run finishes what one that was killed has left, and drops lines that a full disk has cut", async () => {
  const { directory, file, write, whose } = open();
  const aside = path.join(directory, "reactions.erasing.jsonl");
  await write("a", "ana");
  await write("a", "bob");
  writeFileSync(aside, `${readFileSync(file, "utf8")}{"user_id":"an`);
  writeFileSync(file, "");
  await write("a", "eve");
  expect(await eraseReactions(directory, { user: "ana", conversations: [] })).toBe(2);
  expect(whose().sort()).toEqual(["bob", "eve"]);
  expect(existsSync(aside)).toBe(false);
});

test("nobody's reactions are in a directory without a ledger, and none is made there", async () => {
  const { directory, file } = open();
  expect(await eraseReactions(directory, { user: "ana", conversations: [] })).toBe(0);
  expect(existsSync(file)).toBe(false);
});
