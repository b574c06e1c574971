import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../src/sqlite/index.ts";
import { AgentRig, message, textOf } from "../agent-rig.ts";
import { RelayRig, readRecord } from "./relay-rig.ts";
import { temporaryDirectories } from "./temporary.ts";

const directory = temporaryDirectories("retire");
const say = (text: string) => ({ kind: "text", text });
const script = {
  prompt: [
    {
      kind: "when",
      says: "drip",
      steps: [{ ...say("x".repeat(40)), pace: { size: 1, everyMs: 10 } }],
    },
    say("{{session}} heard {{prompt}}"),
  ],
};

/** A router here that is to retire, and one in another process that takes over. */
let store: SqliteStore;
let here: AgentRig;
let there: RelayRig;

beforeEach(async () => {
  const home = directory();
  there = await RelayRig.start(home, "there", script);
  store = await openSqliteStore({ directory: path.join(home, "store") });
  const stateDir = path.join(home, "store");
  here = new AgentRig(script, { store, stateDir }, path.join(home, "sessions"));
});

afterEach(async () => {
  await here[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

/** Prompts that reached the agents here and there. Any process may be the first to take a conversation. */
function prompts(): number {
  const record = [
    ...readRecord(path.join(here.directory, "record.jsonl")),
    ...readRecord(there.record),
  ];
  return record.filter(({ method }) => method === "session/prompt").length;
}

const sessionOf = (text: string) => text.split(" ")[0];

test("what is posted at a process that has retired runs at the other one, in the same session", async () => {
  const first = textOf(await here.run("one"));
  await here.router.retire();
  const second = textOf(await here.run("two"));
  expect(second).toContain("heard two");
  expect(sessionOf(second)).toBe(sessionOf(first));
  const other = textOf(await here.run("three", { conversation: "d" }));
  expect(other).toContain("heard three");
  expect(prompts()).toBe(3);
});

test("turns that wait behind the last one of a process that retires run at the other one, in order", async () => {
  await here.run("before");
  const running = await here.router.submit("c", message("drip"));
  await here.follow(running.turn, { until: "text" });
  const waiting = [
    await here.router.submit("c", message("first")),
    await there.call("submit", "c", message("second")),
  ];
  await here.router.retire();
  const third = await here.router.submit("c", message("third"));
  const texts = [];
  for (const { turn } of [...waiting, third]) texts.push(textOf(await here.follow(turn)));
  expect(texts.map((text) => text.split(" ").at(-1))).toEqual(["first", "second", "third"]);
  expect(prompts()).toBe(5);
});
