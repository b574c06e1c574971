import { describe, expect, test } from "vitest";
import { type CallRequest, MAX_WAITING_CALLS, type Priority } from "../../src/index.ts";
import { createQueue, startSlack } from "../rig.ts";

const post = (text: string, priority: Priority = "text", part: Partial<CallRequest> = {}) => ({
  method: "chat.postMessage",
  channel: "C0SHOP",
  priority,
  args: () => ({ channel: "C0SHOP", text }),
  ...part,
});

async function start() {
  const rig = await startSlack();
  const { queue, quiet } = createQueue(rig);
  const texts = () => rig.slack.messages("C0SHOP").map(({ text }) => text);
  /** Moves on in steps, and lets what falls due be answered. */
  const pass = async (ms: number, stepMs = 100) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      rig.clock.advance(stepMs);
      await quiet();
    }
  };
  return { ...rig, queue, quiet, texts, pass };
}

test("what waits goes out by what it is for, then in its order", async () => {
  const { queue, quiet, texts, pass } = await start();
  for (const each of ["one", "two"]) void queue.run(post(each));
  void queue.run(post("three", "question"));
  for (const priority of ["status", "tools", "text", "question", "final"] as const) {
    void queue.run(post(priority, priority));
  }
  await quiet();
  await pass(8_000);
  expect(texts().slice(3)).toEqual(["final", "question", "text", "tools", "status"]);
  expect(queue.length).toBe(0);
});

test("a newer call of the same key takes the place of the one that waits, and its turn", async () => {
  const { queue, quiet, texts, pass } = await start();
  for (const each of ["one", "two"]) void queue.run(post(each));
  const old = queue.run(post("old", "text", { key: "k" }));
  void queue.run(post("other"));
  void queue.run(post("new", "text", { key: "k" }));
  expect(await old).toEqual({ kind: "superseded" });
  await quiet();
  await pass(5_000);
  expect(texts()).toEqual(["one", "two", "new", "other"]);
});

test("calls of one key never overtake each other", async () => {
  const { slack, queue, quiet, texts } = await start();
  const gate = Promise.withResolvers<void>();
  slack.fail("chat.postMessage", { kind: "hold", until: gate.promise });
  const first = queue.run(post("first", "text", { key: "k" }));
  const second = queue.run(post("second", "text", { key: "k" }));
  expect(queue.length).toBe(1);
  gate.resolve();
  expect([(await first).kind, (await second).kind]).toEqual(["ok", "ok"]);
  await quiet();
  expect(texts()).toEqual(["first", "second"]);
});

test("what is limited all the same waits as long as the platform says, and is made once", async () => {
  const { slack, queue, quiet, texts, pass } = await start();
  slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 30 });
  const done = queue.run(post("x", "final"));
  await quiet();
  await pass(29_900);
  expect(texts()).toEqual([]);
  await pass(200);
  expect((await done).kind).toBe("ok");
  expect(texts()).toEqual(["x"]);
});

test("a limit that comes with status 200 is one as well", async () => {
  const { slack, queue, quiet, texts, pass } = await start();
  slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 30, status: 200 });
  const done = queue.run(post("x", "final"));
  await quiet();
  expect(texts()).toEqual([]);
  await pass(30_000);
  expect((await done).kind).toBe("ok");
  expect(slack.calls.map(({ outcome }) => outcome)).toEqual(["ratelimited", "ok"]);
});

test("the limit of one method holds up no other", async () => {
  const { slack, queue, quiet, texts } = await start();
  slack.fail("reactions.add", { kind: "rate-limit", retryAfterS: 3_600 });
  void queue.run({ method: "reactions.add", channel: "", priority: "status", args: () => ({}) });
  await quiet();
  await queue.run(post("x"));
  expect(texts()).toEqual(["x"]);
});

describe("a call is never made", () => {
  test("after its deadline", async () => {
    const { clock, queue, quiet, texts, pass } = await start();
    for (const each of ["one", "two"]) void queue.run(post(each));
    const late = queue.run(post("late", "text", { deadline: clock.now() + 1_000 }));
    await quiet();
    await pass(5_000);
    expect(await late).toEqual({ kind: "late" });
    expect(texts()).toEqual(["one", "two"]);
  });

  test("by a queue that was closed", async () => {
    const { queue, quiet, texts, pass } = await start();
    for (const each of ["one", "two"]) void queue.run(post(each));
    const waiting = queue.run(post("three"));
    queue[Symbol.dispose]();
    expect(await waiting).toEqual({ kind: "late" });
    expect(await queue.run(post("four"))).toEqual({ kind: "late" });
    await quiet();
    await pass(5_000);
    expect(texts()).toEqual(["one", "two"]);
  });

  test("when 2,000 that matter more wait already", async () => {
    const { queue } = await start();
    const status = queue.run(post("s", "status"));
    const waiting = Array.from({ length: MAX_WAITING_CALLS + 3 }, () => queue.run(post("x")));
    const last = queue.run(post("t", "status"));
    expect(await last).toEqual({ kind: "late" });
    expect(queue.length).toBe(2_000);
    queue[Symbol.dispose]();
    await Promise.all([status, ...waiting]);
  });
});
