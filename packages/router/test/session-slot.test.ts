import { expect, test } from "vitest";
import { message, outcomeOf, textOf } from "./agent-rig.ts";
import { PlainAgent, PlainRig } from "./plain-agent.ts";

test.each([
  ["resume s1", { loadSession: true, sessionCapabilities: { resume: {} } }],
  ["load s1", { loadSession: true }],
  ["new s2", {}],
] as const)(
  "whatever happens, every session that was opened is kept or closed: one of which the router closes in the course of %s",
  async (call, capabilities) => {
    const before = new PlainRig({ agent: new PlainAgent(capabilities) });
    await before.run("before");
    const { agent, store } = before;
    await before.router[Symbol.asyncDispose]();
    const rig = new PlainRig({ agent, store });
    const opening = Promise.withResolvers<void>();
    agent.hold = opening.promise;
    const turn = rig.run("a");
    await expect.poll(() => agent.calls.at(-1), { interval: 1 }).toBe(call);
    await Promise.all([turn, rig.router[Symbol.asyncDispose]()]);
    opening.resolve();
    await expect.poll(() => agent.calls.at(-1), { interval: 1 }).toMatch(/^close /);
    expect(agent.open.size).toBe(0);
  },
);

test("an attempt to open a session that was given up does not let a third one begin beside the second", async () => {
  await using rig = new PlainRig({ sessionTimeoutMs: 250 });
  const slow = Promise.withResolvers<void>();
  rig.agent.hold = slow.promise;
  expect(outcomeOf(await rig.run("a"))).toMatchObject({ code: "timeout" });
  const next = Promise.withResolvers<void>();
  rig.agent.hold = next.promise;
  const { turn } = await rig.router.submit("c", message("b"));
  await expect.poll(() => rig.agent.calls, { interval: 1 }).toEqual(["new s1", "new s2"]);
  slow.resolve();
  await expect.poll(() => rig.agent.calls.at(-1), { interval: 1 }).toBe("close s1");
  await rig.router.cancelTurn("c", turn, "user");
  const third = rig.run("c");
  await expect.poll(() => rig.router.openTurns("c"), { interval: 1 }).toHaveLength(1);
  next.resolve();
  expect(textOf(await third)).toBe("ok");
  expect([...rig.agent.open.keys()]).toEqual(["s2"]);
});

const reset = { kind: "reset", key: "r", user: "bob", at: 1 } as const;

test.each([
  ["opens its session again", true],
  ["opens a session", false],
])(
  "a message that was posted before a reset, while the agent %s, runs in the session behind the reset",
  async (_, hasSession) => {
    const before = new PlainRig();
    if (hasSession) await before.run("before");
    const { agent, store } = before;
    await before.router[Symbol.asyncDispose]();
    await using rig = new PlainRig({ agent, store });
    const opening = Promise.withResolvers<void>();
    agent.hold = opening.promise;
    const calls = agent.calls.length;
    const turn = rig.run("a");
    await expect.poll(() => agent.calls.length, { interval: 1 }).toBeGreaterThan(calls);
    await rig.router.submit("c", reset);
    opening.resolve();
    expect(textOf(await turn)).toBe("ok");
    expect(agent.calls.at(-1)).toBe("prompt s2: a");
    expect(agent.prompts.at(-1)).toEqual(["a"]);
    await expect.poll(() => [...agent.open.keys()], { interval: 1 }).toEqual(["s2"]);
  },
);

test("a reset that ends no turn leaves the one that runs its session, and the next one has another", async () => {
  await using rig = new PlainRig();
  const { agent } = rig;
  const answer = Promise.withResolvers<string>();
  agent.reply = () => answer.promise;
  const turn = rig.run("a");
  await expect.poll(() => agent.prompts.length, { interval: 1 }).toBe(1);
  await rig.router.submit("c", reset);
  expect(agent.calls).toEqual(["new s1", "prompt s1: a"]);
  answer.resolve("all of it");
  expect(textOf(await turn)).toBe("all of it");
  agent.reply = () => "ok";
  await rig.run("b");
  expect(agent.calls.slice(2)).toEqual(["close s1", "new s2", "prompt s2: b"]);
  expect(agent.prompts.at(-1)).toEqual(["b"]);
});
