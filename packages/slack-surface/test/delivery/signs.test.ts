import { expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";

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
