import { waitFor } from "@acp-kit/testkit";
import { expect, onTestFinished, test } from "vitest";
import {
  createSlackSocketOpener,
  type SocketEnd,
  SocketSupervisor,
  type SupervisorOptions,
} from "../../src/index.ts";
import { createQueue, type Rig, startSlack } from "../rig.ts";

function connect({ callAsApp, clock }: Rig, options: Partial<SupervisorOptions> = {}) {
  const ends: SocketEnd[] = [];
  const supervisor = new SocketSupervisor({
    open: createSlackSocketOpener({ call: callAsApp, clock }),
    clock,
    onEnvelope: ({ ack }) => ack(),
    onEnd: (end) => ends.push(end),
    random: () => 0.999,
    ...options,
  });
  onTestFinished(() => supervisor[Symbol.dispose]());
  return { supervisor, ends };
}

/** Moves on, in steps that leave nobody without a ping. */
async function pass(rig: Rig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    rig.clock.advance(5_000);
    rig.slack.socketMode.ping();
    // What was sent before an answer to this has arrived before it.
    await rig.callAsApp("auth.test", {});
  }
}

test("a second process of the same app is told of once it stays, by those that are connected after it", async () => {
  const rig = await startSlack();
  const told: number[] = [];
  const first = connect(rig, { onOthers: (count) => told.push(count) }).supervisor;
  await waitFor("the first", () => first.health.ready === 2);
  const second = connect(rig, { onOthers: (count) => told.push(count) }).supervisor;
  await waitFor("the second", () => second.health.ready === 2);
  expect(second.health.others).toBe(0);
  await pass(rig, 60_000);
  await waitFor("the second to notice", () => second.health.others === 2);
  expect(told).toEqual([2]);
  rig.slack.socketMode.refresh("warning");
  await pass(rig, 80_000);
  await waitFor("the first to notice", () => first.health.others > 0);
  expect(told).toHaveLength(2);
});

test("a process that another takes the place of is nobody to tell of", async () => {
  const rig = await startSlack();
  const old = connect(rig).supervisor;
  await waitFor("the old one", () => old.health.ready === 2);
  const told: number[] = [];
  const next = connect(rig, { onOthers: (count) => told.push(count) }).supervisor;
  await waitFor("the next one", () => next.health.ready === 2);
  old[Symbol.dispose]();
  await waitFor("the old one to go", () => rig.slack.socketMode.ready === 2);
  await pass(rig, 120_000);
  await waitFor("another look", () => rig.slack.socketMode.greeted === 5);
  await waitFor("no more than there should be", () => rig.slack.socketMode.ready === 2);
  expect(next.health).toMatchObject({ ready: 2, others: 0 });
  expect(told).toEqual([]);
});

test("too many connections are no stampede: ten attempts take a minute and a half, and then one is there", async () => {
  const rig = await startSlack();
  const first = connect(rig, { connections: 10 }).supervisor;
  await waitFor("the first", () => first.health.ready === 10);
  const before = rig.slack.calls.length;
  const second = connect(rig, { connections: 1 });
  const begunAt = rig.clock.now();
  await waitFor("ten attempts", () => {
    rig.clock.advance(2_000);
    rig.slack.socketMode.ping();
    return second.ends.length === 10;
  });
  expect(second.ends.every(({ kind }) => kind === "too-many")).toBe(true);
  expect(rig.slack.calls.length - before).toBeLessThanOrEqual(11);
  expect(rig.clock.now() - begunAt).toBeGreaterThan(90_000);
  expect(first.health.ready).toBe(10);
  first[Symbol.dispose]();
  await waitFor("a place", () => {
    rig.clock.advance(1_000);
    return second.supervisor.health.ready === 1;
  });
});

test("a call that is limited for longer than it is worth ends at its deadline", async () => {
  const rig = await startSlack();
  const { queue, quiet } = createQueue(rig);
  rig.slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 86_400 });
  const deadline = rig.clock.now() + 60_000;
  const args = () => ({ channel: "C0SHOP", text: "x" });
  const request = { method: "chat.postMessage", channel: "C0SHOP", priority: "final", args };
  const result = queue.run({ ...request, priority: "final", deadline });
  await quiet();
  rig.clock.advance(59_999);
  expect(queue.length).toBe(1);
  rig.clock.advance(1);
  expect(await waitFor("the end", result)).toEqual({ kind: "late" });
  expect(rig.slack.messages("C0SHOP")).toEqual([]);
});
