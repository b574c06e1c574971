import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AnswerItem, CancelItem, LogEvent } from "../../src/index.ts";
import { openSqliteStore, type SqliteStore } from "../../src/sqlite/index.ts";
import { storeFiles } from "../../src/sqlite/store-files.ts";
import { AgentRig, message, outcomeOf, textOf } from "../agent-rig.ts";
import { RelayRig, type Told } from "./relay-rig.ts";
import { temporaryDirectories } from "./temporary.ts";

const directory = temporaryDirectories("two-processes");
const say = (text: string) => ({ kind: "text", text });

const script = {
  prompt: [
    {
      kind: "when",
      says: "ask",
      steps: [
        {
          kind: "ask",
          toolCall: { toolCallId: "1", title: "Run", kind: "execute", rawInput: { command: "ls" } },
          options: [{ optionId: "once", name: "Allow", kind: "allow_once" }],
          on: { once: [say("allowed")], cancelled: [say("dropped")] },
        },
      ],
    },
    { kind: "when", says: "wait", steps: [say("begun"), { kind: "wait" }] },
    {
      kind: "when",
      says: "drip",
      steps: [{ kind: "text", text: "x".repeat(5_000), pace: { size: 1, everyMs: 5 } }],
    },
    say("heard {{prompt}}"),
  ],
};

/**
 * A relay in another process, and this process with a router of its own: whichever sees a message first owns its
 * conversation, so the one here begins once the other has it.
 */
let home: string;
let there: RelayRig;
let store: SqliteStore;
let here: AgentRig;
const rigs: AgentRig[] = [];

beforeEach(async () => {
  home = directory();
  there = await RelayRig.start(home, "there", script);
  store = await openSqliteStore({ directory: path.join(home, "store") });
});

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

function beginHere(): void {
  here = new AgentRig(script, {
    store,
    roleOf: (user) => (user === "boss" ? "approver" : "user"),
  });
  rigs.push(here);
}

/** Starts a turn there, and gives what this process sees of it up to the first event of a kind. */
async function begin(words: string, until: LogEvent["kind"]) {
  const item = message(words);
  const { turn, after } = await there.call("submit", "c", item);
  beginHere();
  return { item, turn, events: await here.follow(turn, { after, until }) };
}

describe("at the process that does not own the conversation", () => {
  test("a follower sees the events of the one that does, in order, to the turn's end", async () => {
    const { events } = await begin("hello", "turn-end");
    expect(textOf(events)).toBe("heard hello");
    expect(outcomeOf(events)).toMatchObject({ kind: "completed" });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test("a new message runs at the owner", async () => {
    await begin("first", "turn-end");
    const second = await here.run("second");
    expect(textOf(second)).toBe("heard second");
    expect(there.received("session/prompt")).toHaveLength(2);
  });

  test("a redrive attaches to the owner's turn, and prompts nobody", async () => {
    const { item, turn } = await begin("wait", "text");
    const again = await here.router.submit("c", { ...item, request: "again" });
    expect(again).toMatchObject({ turn, how: "repeat" });
    await here.router.cancelTurn("c", turn, "user", "ana");
    expect(there.received("session/prompt")).toHaveLength(1);
  });

  test("two redrives of one regenerate, one in each process, are one attempt", async () => {
    const { item, turn } = await begin("hello", "turn-end");
    const seq = (await store.turnEnd("c", turn)) ?? 0;
    expect(await store.confirm("c", "reader", 0, { seq, delivered: [item.key] })).toBe(true);
    const again = { ...item, request: "again" };
    const posted = await Promise.all([
      there.call("submit", "c", again),
      here.router.submit("c", again),
      there.call("submit", "c", again),
      here.router.submit("c", again),
    ]);
    const turns = new Set(posted.map((one) => one.turn));
    expect([...turns]).toHaveLength(1);
    expect(turns).not.toContain(turn);
    expect(posted.filter(({ how }) => how === "new")).toHaveLength(1);
    expect(textOf(await here.follow([...turns][0] ?? ""))).toBe("heard hello");
    expect(there.received("session/prompt")).toHaveLength(2);
  });

  test("a cancel ends the owner's turn", async () => {
    const { turn } = await begin("wait", "text");
    await here.router.cancel("c");
    expect(await store.turnEnd("c", turn)).toBeGreaterThan(0);
    expect(there.received("session/cancel")).toHaveLength(1);
    expect(outcomeOf(await here.follow(turn))).toEqual({ kind: "cancelled", cause: "user" });
  });

  test("an answer reaches the agent of the owner", async () => {
    const { turn, events } = await begin("ask", "permission-ask");
    const [open] = await here.router.openTurns("c");
    expect(open).toMatchObject({ turn, who: "ana", started: true, asks: [{ subject: "ls" }] });
    const answered = await here.router.submit("c", answer(events));
    expect(answered).toMatchObject({ turn, how: "new" });
    expect(textOf(await here.follow(turn))).toBe("allowedheard ask");
  });

  test("who may not decide is refused there and then, and by the owner if it is posted all the same", async () => {
    const { turn, events } = await begin("ask", "permission-ask");
    const cancel: CancelItem = {
      kind: "cancel",
      key: "x",
      user: "bob",
      turn,
      cause: "user",
      at: 1,
    };
    const bobs = { ...answer(events), user: "bob" };
    expect(await here.router.submit("c", cancel)).toMatchObject({ turn, how: "refused" });
    expect(await here.router.submit("c", bobs)).toMatchObject({ turn, how: "refused" });
    const heard = there.told.length;
    await store.post("c", cancel);
    await store.post("c", bobs);
    await there.until((told) => told.kind === "inbox" && there.told.indexOf(told) >= heard);
    // The owner has taken both by the time that it takes a third.
    expect(
      await here.router.submit("c", { ...answer(events), key: "b", user: "boss" }),
    ).toMatchObject({ how: "new" });
    const ended = await here.follow(turn);
    expect(ended.find(({ kind }) => kind === "permission-answer")).toMatchObject({ by: "boss" });
    expect(outcomeOf(ended)).toMatchObject({ kind: "completed" });
  });

  function answer(events: readonly LogEvent[]): AnswerItem {
    const asked = events.at(-1);
    const permission = asked?.kind === "permission-ask" ? asked.ask.id : "";
    return { kind: "answer", key: "a", user: "ana", permission, option: "once", at: 1 };
  }
});

/** The value below which 99 % of the samples lie. */
const p99 = (samples: readonly number[]) =>
  samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * 0.99) - 1] ?? Number.NaN;

test("events reach a follower in the other process, and items their owner, within 50 ms", async () => {
  await there.call("emit", "latency", 1, 0);
  beginHere();
  for (const sample of [eventLatencies, itemLatencies]) {
    const beyond: number[] = [];
    // A machine that is busy with other things may spoil a round, and lets every timer wait.
    while (beyond.length < 5 && !beyond.some((ms) => ms <= 0)) {
      const timers = monitorEventLoopDelay({ resolution: TIMER_MS });
      timers.enable();
      const reached = p99(await sample(100));
      timers.disable();
      const lateMs = Math.max(0, timers.percentile(99) / 1e6 - TIMER_MS);
      beyond.push(reached - 50 - lateMs);
    }
    expect(Math.min(...beyond), sample.name).toBeLessThanOrEqual(0);
  }
});

/** How often it is looked how late timers are, in milliseconds. */
const TIMER_MS = 10;

async function eventLatencies(count: number): Promise<number[]> {
  const samples: number[] = [];
  const cursor = here.router.log("latency").follow({ after: await store.last("latency") });
  const emitted = there.call("emit", "latency", count, 7);
  for await (const events of cursor) {
    const now = Date.now();
    samples.push(...events.map(({ at }) => now - at));
    if (samples.length >= count) break;
  }
  await emitted;
  return samples;
}

async function itemLatencies(count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < count; n++) {
    const before = there.told.length;
    const posted = Date.now();
    await store.post("latency", { kind: "reset", key: "", user: "ana", at: 1 });
    const heard = await there.until(
      (told) => told.kind === "inbox" && there.told.indexOf(told) >= before,
    );
    if (heard.kind === "inbox") samples.push(heard.at - posted);
  }
  return samples;
}

/** One that is stopped in the middle of a transaction keeps everybody else from writing: that is not what is tested. */
async function stopBetweenWrites(rig: RelayRig): Promise<void> {
  for (;;) {
    rig.signal("SIGSTOP");
    // Changes nothing, but in a transaction.
    const written = store.release({ conversation: "c", fence: 0 });
    if (await Promise.race([written.then(() => true), setTimeout(1_000, false)])) return;
    rig.signal("SIGCONT");
    await written;
  }
}

test("a stopped owner is not taken over, and goes on when it is woken", async () => {
  const { turn } = await begin("wait", "text");
  await stopBetweenWrites(there);
  const last = await store.last("c");
  await here.router.recover();
  const stop = performance.now() + 1_500;
  while (performance.now() < stop) {
    expect(await store.claim("c")).toBeUndefined();
    await setTimeout(50);
  }
  expect(await store.orphans()).toEqual([]);
  expect(await store.last("c")).toBe(last);
  there.signal("SIGCONT");
  await here.router.cancelTurn("c", turn, "user", "ana");
  expect(outcomeOf(await here.follow(turn))).toEqual({ kind: "cancelled", cause: "user" });
});

test("a killed owner is taken over within a second by one that lives: what ran is interrupted, what waited runs", async () => {
  const { turn, events } = await begin("ask", "permission-ask");
  const waiting = await there.call("submit", "c", message("waiting"));
  await here.follow(waiting.turn, { until: "turn-queued" });
  const after = events.at(-1)?.seq ?? 0;
  await there.kill();
  const killedAt = performance.now();
  const ended = await here.follow(turn, { after });
  expect(performance.now() - killedAt).toBeLessThan(1_000);
  expect(ended.map(({ kind }) => kind)).toEqual(["permission-answer", "turn-end"]);
  expect(ended[0]).toMatchObject({ end: "expired" });
  expect(outcomeOf(ended)).toEqual({
    kind: "interrupted",
    ref: expect.stringMatching(/^\w{4}$/),
  });
  expect(textOf(await here.follow(waiting.turn))).toBe("heard waiting");
  expect(there.received("session/prompt")).toHaveLength(1);
  expect(here.received("session/prompt")).toHaveLength(1);
});

test("a question whose owner died is over: the log says expired, and an answer to it is late", async () => {
  const { turn, events } = await begin("ask", "permission-ask");
  const asked = events.at(-1);
  const permission = asked?.kind === "permission-ask" ? asked.ask.id : "";
  await there.kill();
  const ended = await here.follow(turn, { after: asked?.seq ?? 0 });
  expect(ended[0]).toMatchObject({ kind: "permission-answer", permission, end: "expired" });
  const answer = {
    kind: "answer",
    key: "a",
    user: "ana",
    permission,
    option: "once",
    at: 1,
  } as const;
  expect((await here.router.submit("c", answer)).how).toBe("late");
  expect(await here.router.openTurns("c")).toEqual([]);
});

test("a process that starts takes what dead owners had, and nothing else", async () => {
  const { turn } = await begin("wait", "text");
  // Only the starting one is to take over: this process has no router any more, and the owner stands still.
  await here[Symbol.asyncDispose]();
  await stopBetweenWrites(there);
  const other = await RelayRig.start(home, "other", script);
  const theirs = await other.call("submit", "theirs", message("wait"));
  await other.call("follow", "theirs", 0);
  await other.until(
    (told) => told.kind === "events" && told.events.some(({ kind }) => kind === "text"),
  );
  await other.kill();
  const starting = await RelayRig.start(home, "starting", script);
  await starting.call("recover");
  expect(await store.turnEnd("theirs", theirs.turn)).toBeGreaterThan(0);
  expect(await store.turnEnd("c", turn)).toBeUndefined();
  expect(await store.listConversations()).toMatchObject([
    { conversation: "c", isOwned: true },
    { conversation: "theirs", isOwned: false },
  ]);
  await starting[Symbol.asyncDispose]();
});

test("a fenced owner stops its agent and sends nothing more", async () => {
  const { turn } = await begin("drip", "text");
  const waiting = await there.call("submit", "c", message("waiting"));
  await here.follow(waiting.turn, { until: "turn-queued" });
  // What takes a conversation from an owner that lives: an erasure, or whoever meddles with its files.
  const meddler = new DatabaseSync(storeFiles(path.join(home, "store")).database, {
    timeout: 5_000,
  });
  meddler.exec("UPDATE conversations SET fence = fence + 1, owner = 'somebody'");
  meddler.close();
  const last = await store.last("c");
  await there.until((told: Told) => told.kind === "failure" && told.code === "fenced");
  while (there.received("session/cancel").length === 0) await new Promise(setImmediate);
  expect(await there.call("openTurns", "c")).toHaveLength(2);
  expect(await store.last("c")).toBe(last);
  expect(there.received("session/prompt")).toHaveLength(1);
  // Somebody is nobody, so whoever comes next takes over.
  await here.router.recover();
  expect(outcomeOf(await here.follow(turn, { after: last }))).toEqual({
    kind: "interrupted",
    ref: expect.stringMatching(/^\w{4}$/),
  });
  expect(textOf(await here.follow(waiting.turn))).toBe("heard waiting");
});
