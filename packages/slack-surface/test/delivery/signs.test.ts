import fc from "fast-check";
import { expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";

const LIMIT = { kind: "rate-limit", retryAfterS: 90 } as const;

test.each([
  ["the sign of the last message", "reactions.remove"],
  ["the session of the thread", "agents.sessions.setStatus"],
])("a limit that keeps %s as it is holds up no next answer", async (_, method) => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const first = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
  await rig.until(() => rig.ana.canStop("C0SHOP", thread));
  const before = rig.clock.now();
  rig.slack.fail(method, LIMIT, 100);
  first.say("First.");
  first.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("First."));
  // Long enough for all that follows.
  await rig.until(() => rig.clock.now() - before > 10_000);
  rig.ana.say("C0SHOP", "<@U0BOT> two", { thread });
  const second = await rig.prompted(2);
  second.say("Second.");
  second.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Second."));
  expect(rig.clock.now() - before).toBeLessThan(60_000);
  rig.slack.heal();
  await rig.until(() => !/:(?:eyes|hourglass_flowing_sand):/.test(rig.ana.see("C0SHOP")));
  await rig.until(() => !rig.ana.canStop("C0SHOP", thread));
});

test("a message that waits keeps its sign when it is changed, and is shown to be worked at", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const first = await rig.prompted(1);
  const waiting = rig.ana.say("C0SHOP", "<@U0BOT> tow", { thread });
  const signs = () => rig.ana.see("C0SHOP").match(/two? .*:(\w+):|two? *$/m)?.[1];
  const sees = (sign: string) => rig.until(() => rig.ana.see("C0SHOP").includes(sign));
  await sees(":hourglass_flowing_sand:");
  rig.ana.edit("C0SHOP", waiting, "<@U0BOT> two");
  await sees("(edited)");
  await rig.move(5_000);
  expect(signs()).toBe("hourglass_flowing_sand");
  first.end();
  const second = await rig.prompted(2);
  await rig.until(() => signs() === "eyes");
  second.say("Done.");
  second.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Done."));
  await rig.until(() => !/:(?:eyes|hourglass_flowing_sand):/.test(rig.ana.see("C0SHOP")));
});

test.each([
  { features: ["reactions" as const, "signs" as const], said: 0 },
  { features: ["reactions" as const], said: 1 },
])(
  "of a message that is stopped while it waits the sign is taken away, and only without signs ($features) it is said",
  async ({ features, said }) => {
    const rig = await SurfaceRig.start({ features });
    await rig.open();
    const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
    const first = await rig.prompted(1);
    const waiting = rig.ana.say("C0SHOP", "<@U0BOT> two", { thread });
    const isSigned = () => rig.ana.see("C0SHOP").includes(":hourglass_flowing_sand:");
    await rig.until(() => rig.inbound.length === 4 && isSigned() === (said === 0));
    rig.ana.react("C0SHOP", waiting, "x");
    await rig.until(() => rig.inbound.some(({ reason }) => reason === "reaction"));
    first.say("First.");
    first.end();
    await rig.until(() => rig.bodies("C0SHOP", thread).includes("First."));
    rig.ana.say("C0SHOP", "<@U0BOT> three", { thread });
    const third = await rig.prompted(2);
    third.say("Third.");
    third.end();
    await rig.until(() => rig.bodies("C0SHOP", thread).at(-1) === "Third.");
    expect(isSigned()).toBe(false);
    expect(rig.bodies("C0SHOP", thread)).toHaveLength(2 + said);
  },
);

test("without the feature no sign is asked for", async () => {
  const rig = await SurfaceRig.start({ features: [] });
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const prompt = await rig.prompted(1);
  prompt.say("First.");
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("First."));
  expect(rig.slack.calls.map(({ method }) => method)).not.toContain("reactions.add");
});

test("a sign and a session that a limit has kept until the relay was killed are gone after the next start", async () => {
  const rig = await SurfaceRig.start({ isMortal: true });
  const killed = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const first = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
  await rig.until(() => rig.ana.canStop("C0SHOP", thread));
  rig.slack.fail("reactions.remove", LIMIT, 100);
  rig.slack.fail("agents.sessions.setStatus", LIMIT, 100);
  rig.ana.say("C0SHOP", "<@U0BOT> two", { thread });
  first.end();
  const second = await rig.prompted(2);
  second.say("Second.");
  second.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Second."));
  await rig.move(10_000);
  await killed.crash();
  rig.slack.heal();
  expect(rig.ana.see("C0SHOP")).toMatch(/:(?:eyes|hourglass_flowing_sand):/);
  const next = await rig.open();
  await rig.until(() => next.isQuiet());
  expect(rig.ana.see("C0SHOP")).not.toMatch(/:(?:eyes|hourglass_flowing_sand):/);
  expect(rig.ana.canStop("C0SHOP", thread)).toBe(false);
});

test("only a sign that may be there is taken away by the next process", async () => {
  const rig = await SurfaceRig.start({ isMortal: true });
  const killed = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
  const before = rig.calls("reactions.remove");
  await killed.crash();
  await rig.open();
  prompt.end();
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"));
  await rig.until(() => !rig.ana.canStop("C0SHOP", thread));
  expect(rig.calls("reactions.remove") - before).toBe(1);
});

test("while signs wait to be taken away none is given, and then again", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  const first = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
  const [given, taken] = [rig.calls("reactions.add"), rig.calls("reactions.remove")];
  rig.slack.fail("reactions.remove", LIMIT, 1);
  first.end();
  await rig.until(() => rig.calls("reactions.remove") > taken);
  rig.ana.say("C0SHOP", "<@U0BOT> two", { thread });
  const second = await rig.prompted(2);
  second.say("Second.");
  second.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Second."));
  expect(rig.calls("reactions.add")).toBe(given);
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"));
  rig.ana.say("C0SHOP", "<@U0BOT> three", { thread });
  await rig.prompted(3);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
});

const step = fc.oneof(
  fc.record({ do: fc.constant("say" as const) }),
  fc.record({ do: fc.constant("end" as const) }),
  fc.record({ do: fc.constant("kill" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 50, max: 8_000 }) }),
  fc.record({
    do: fc.constant("fail" as const),
    method: fc.constantFrom("reactions.add", "reactions.remove", "agents.sessions.setStatus"),
    fault: fc.constantFrom(
      { kind: "rate-limit" as const, retryAfterS: 20 },
      { kind: "break" as const },
      { kind: "lose-answer" as const },
    ),
    times: fc.integer({ min: 1, max: 5 }),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function expectNoneLeft(steps: readonly Step[]): Promise<void> {
  await using rig = await SurfaceRig.start({ isMortal: true });
  let relay = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> one");
  await rig.prompted(1);
  for (const each of steps) {
    if (each.do === "say") rig.ana.say("C0SHOP", "<@U0BOT> more", { thread });
    else if (each.do === "end") rig.agent.prompts.at(-1)?.end();
    else if (each.do === "wait") await rig.move(each.ms);
    else if (each.do === "fail") rig.slack.fail(each.method, each.fault, each.times);
    else {
      await relay.crash();
      relay = await rig.open();
    }
  }
  await rig.until(
    () => {
      for (const prompt of rig.agent.prompts) prompt.end();
      return relay.isQuiet();
    },
    900_000,
    250,
  );
  expect(rig.ana.see("C0SHOP")).not.toMatch(/:(?:eyes|hourglass_flowing_sand):/);
  expect(rig.ana.canStop("C0SHOP", thread)).toBe(false);
}

test(
  "whenever the relay is killed and whatever fails, no sign and no session is left when nothing waits",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), expectNoneLeft),
      { numRuns: isSoak ? 200 : 5 },
    );
  },
  isSoak ? 1_800_000 : 60_000,
);

test("a process that is told to stop is done within the ten seconds that the relay gives it, whatever limits hold up", async () => {
  const rig = await SurfaceRig.start();
  const { end } = await rig.open();
  rig.ana.say("C0SHOP", "<@U0BOT> one");
  (await rig.prompted(1)).end();
  await rig.until(() => !/:eyes:|\[Stop\]/.test(rig.ana.see("C0SHOP")));
  await end();
  rig.slack.fail("conversations.history", LIMIT, 100);
  const stopped = await rig.open();
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> two");
  const second = await rig.prompted(2);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:"));
  for (const method of ["reactions.remove", "agents.sessions.setStatus"]) {
    rig.slack.fail(method, LIMIT, 100);
  }
  second.say("Second.");
  second.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).includes("Second."));
  const before = rig.clock.now();
  await stopped.end();
  expect(rig.clock.now() - before).toBeLessThan(10_000);
});
