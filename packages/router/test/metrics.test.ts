import { expect, test } from "vitest";
import { message } from "./agent-rig.ts";
import { PlainRig } from "./plain-agent.ts";

test("a turn is measured: its place in the queue, its first sign of life, its end, and how late it was asked for again", async () => {
  let now = 1_000;
  const answering = Promise.withResolvers<void>();
  await using rig = new PlainRig({ now: () => now });
  rig.agent.reply = async (text, session) => {
    rig.agent.say(session, `hm, ${text}`);
    await answering.promise;
    now += 50;
    return "ok";
  };
  const item = message("one", { key: "k1", at: now });
  const first = await rig.router.submit("c", item);
  await expect.poll(() => rig.agent.prompts.length, { interval: 5 }).toBe(1);
  now += 700;
  await rig.router.submit("c", { ...item, request: "again" });
  const second = await rig.router.submit("c", message("two", { key: "k2", at: now }));
  answering.resolve();
  const log = rig.router.log("c").follow({ after: 0, turn: second.turn });
  for await (const _ of log);
  const { turn } = first;
  const conversation = "c";
  expect(rig.metrics.filter((one) => !("turn" in one) || one.turn === turn)).toEqual([
    { kind: "queue-depth", conversation, depth: 1 },
    { kind: "first-event", conversation, turn, ms: 0 },
    { kind: "redrive", conversation, turn, delayMs: 700 },
    { kind: "queue-depth", conversation, depth: 2 },
    { kind: "spent", conversation, turn, agent: "", session: "s1" },
    { kind: "turn", conversation, turn, outcome: "completed", ms: 750 },
  ]);
  expect(rig.metrics.filter((one) => one.kind === "first-event")).toHaveLength(2);
  expect(JSON.stringify(rig.metrics)).not.toContain("one");
});
