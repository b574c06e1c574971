import { expect, test } from "vitest";
import {
  type Lease,
  MemoryStore,
  type NewEvent,
  RouterError,
  type RouterErrorCode,
  type TakenItem,
} from "../src/index.ts";
import { AgentRig, message, outcomeOf, textOf } from "./agent-rig.ts";

/** A store whose log can be told to fail, and that can take leases away. */
class FailingStore extends MemoryStore {
  broken: RouterErrorCode | undefined;
  /** Leases with this fence or a lower one are lost. */
  lost = 0;

  override async take(lease: Lease): Promise<readonly TakenItem[]> {
    if (lease.fence > this.lost) return super.take(lease);
    // Whoever took it has left it.
    await this.release(lease);
    throw new RouterError("lost", { code: "fenced" });
  }

  override async append(lease: Lease, events: readonly NewEvent[]): Promise<number> {
    if (this.broken) throw new RouterError("broken", { code: this.broken });
    return super.append(lease, events);
  }
}

const script = {
  prompt: [
    { kind: "text", text: "heard {{prompt}}" },
    { kind: "when", says: "wait", steps: [{ kind: "wait" }] },
  ],
};

test("no agent is prompted before its turn could be recorded, and it is prompted once it is", async () => {
  const store = new FailingStore();
  await using rig = new AgentRig(script, { store });
  await rig.run("first");
  store.broken = "unwritable";
  const submitted = rig.router.submit("c", message("second"));
  await expect.poll(() => rig.reports).toContainEqual(expect.objectContaining({ what: "append" }));
  expect(rig.received("session/prompt")).toHaveLength(1);
  store.broken = undefined;
  const { turn, after } = await submitted;
  expect(textOf(await rig.follow(turn, { after }))).toBe("heard second");
  expect(rig.received("session/prompt")).toHaveLength(2);
});

test("a conversation that is fenced stops its agent and forgets what waited", async () => {
  const store = new FailingStore();
  await using rig = new AgentRig(script, { store });
  const { turn } = await rig.router.submit("c", message("wait"));
  await rig.follow(turn, { until: "text" });
  await rig.router.submit("c", message("waiting"));
  const last = await store.last("c");
  store.broken = "fenced";
  await rig.router.submit("c", message("the last straw"));
  await expect.poll(() => rig.received("session/cancel")).toHaveLength(1);
  await expect.poll(() => rig.router.running("c")).toBeUndefined();
  expect(await store.last("c")).toBe(last);
  expect(rig.received("session/prompt")).toHaveLength(1);
});

test("a conversation that was lost while nothing ran in it is claimed again for what is posted then", async () => {
  const store = new FailingStore();
  await using rig = new AgentRig(script, { store });
  await rig.run("first");
  store.lost = 1;
  expect(textOf(await rig.run("second"))).toBe("heard second");
  expect(rig.received("session/prompt")).toHaveLength(2);
});

test("a router closes while nothing can be saved", async () => {
  const store = new FailingStore();
  const rig = new AgentRig(script, { store });
  const { turn } = await rig.router.submit("c", message("wait"));
  await rig.follow(turn, { until: "text" });
  store.broken = "unwritable";
  const submitted = rig.router.submit("c", message("next"));
  await expect.poll(() => rig.reports).toContainEqual(expect.objectContaining({ what: "append" }));
  await rig[Symbol.asyncDispose]();
  await submitted;
});

test("a turn that could not be recorded for a damaged store ends, and the process goes on", async () => {
  const store = new FailingStore();
  await using rig = new AgentRig(script, { store });
  const { turn } = await rig.router.submit("c", message("wait"));
  await rig.follow(turn, { until: "text" });
  store.broken = "corrupt";
  await rig.router.submit("c", message("next"));
  await expect.poll(() => rig.router.running("c")).toBeUndefined();
  store.broken = undefined;
  expect(outcomeOf(await rig.run("hello", { conversation: "d" }))).toMatchObject({
    kind: "completed",
  });
});
