import type { SlackBot } from "@acp-kit/relay";
import { expect, test } from "vitest";
import { AWAY_MS } from "../src/catch-up/presence.ts";
import { SurfaceRig } from "./surface-rig.ts";

const MINUTE_MS = 60_000;
const features = ["channels", "direct-messages", "catch-up"] as SlackBot["features"];

/** What was read to find what was missed. */
const looks = (rig: SurfaceRig) => rig.calls("conversations.history");

/** Nothing gets through to the platform's sockets for so long. */
async function cutOff(rig: SurfaceRig, ms: number): Promise<void> {
  rig.slack.socketMode.failNext("refuse", 1_000);
  rig.slack.socketMode.cut();
  await rig.until(() => rig.slack.socketMode.ready === 0);
  await rig.move(ms, 1_000);
}

async function reconnect(rig: SurfaceRig): Promise<void> {
  rig.slack.socketMode.healNext();
  await rig.until(() => rig.slack.socketMode.ready === 2);
}

async function answer(rig: SurfaceRig, count: number, text: string): Promise<void> {
  const prompt = await rig.prompted(count);
  prompt.say(text);
  prompt.end();
}

test("what was said while no connection stood for longer than the platform tries is found when one stands again, once", async () => {
  const rig = await SurfaceRig.start({ features });
  const process = await rig.open();
  rig.ana.say("D0ANA", "before");
  await answer(rig, 1, "Heard.");
  await rig.until(process.isQuiet);
  const before = looks(rig);
  await cutOff(rig, MINUTE_MS);
  rig.ana.say("D0ANA", "missed");
  rig.bob.say("C0SHOP", "<@U0BOT> missed too");
  await rig.move(10 * MINUTE_MS, 1_000);
  await rig.slack.settled();
  const lost = rig.slack.deliveries.filter(({ state }) => state === "lost");
  expect(lost.filter(({ payload }) => JSON.stringify(payload).includes("missed"))).toHaveLength(3);
  await reconnect(rig);
  await answer(rig, 2, "Late.");
  await answer(rig, 3, "Late.");
  await rig.until(() => /Sent 1\d min ago, while I was away/.test(rig.ana.see("D0ANA")));
  await rig.until(() => /Sent 1\d min ago, while I was away/.test(rig.bob.see("C0SHOP")));
  await rig.until(process.isQuiet);
  expect(rig.agent.prompts).toHaveLength(3);
  // Two connections have come back, and one look is for both.
  const channels = rig.slack.calls
    .filter(({ method }) => method === "conversations.history")
    .slice(before)
    .map(({ args }) => args["channel"]);
  expect(channels).toEqual([...new Set(channels)]);
  expect(rig.complaints.filter((line) => line.includes("looks for what was missed"))).toHaveLength(
    1,
  );
});

test("a short time without a connection is the platform's to bridge, and costs no look", async () => {
  const rig = await SurfaceRig.start({ features });
  await rig.open();
  const before = looks(rig);
  await cutOff(rig, MINUTE_MS);
  const saidAt = rig.clock.now();
  rig.ana.say("D0ANA", "in between");
  await rig.move(AWAY_MS - 2 * MINUTE_MS, 1_000);
  await reconnect(rig);
  // Up to the last attempt.
  while (rig.clock.now() < saidAt + 355_000) await rig.move(5_000, 250);
  await rig.until(() => rig.slack.socketMode.ready === 2);
  await answer(rig, 1, "Heard.");
  expect(looks(rig)).toBe(before);
});

test("a connection that has fallen silent is none", async () => {
  const rig = await SurfaceRig.start({ features });
  const process = await rig.open();
  rig.slack.socketMode.stall();
  rig.ana.say("D0ANA", "missed");
  rig.slack.socketMode.failNext("refuse", 1_000);
  await rig.move(10 * MINUTE_MS, 1_000);
  await reconnect(rig);
  await answer(rig, 1, "Late.");
  await rig.until(process.isQuiet);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("after a sleep of the machine it is looked for what was missed, also where the connections have survived it", async () => {
  const rig = await SurfaceRig.start({ features });
  const process = await rig.open();
  await rig.move(10_000);
  expect(looks(rig)).toBe(0);
  const sleeping = process.sleep(10 * MINUTE_MS);
  rig.ana.say("D0ANA", "missed");
  await sleeping;
  await answer(rig, 1, "Late.");
  await rig.until(() => /Sent 1\d min ago, while I was away/.test(rig.ana.see("D0ANA")));
  await rig.until(process.isQuiet);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a bot that hears over HTTP notices a sleep of the machine too", async () => {
  const rig = await SurfaceRig.start({ features, transport: "http" });
  const process = await rig.open();
  await rig.move(10 * MINUTE_MS, 10_000);
  expect(looks(rig)).toBe(0);
  const sleeping = process.sleep(10 * MINUTE_MS);
  rig.ana.say("D0ANA", "missed");
  await sleeping;
  await answer(rig, 1, "Late.");
  await rig.until(process.isQuiet);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("however often connections come and go, one look goes on at a time, and one more follows", async () => {
  const rig = await SurfaceRig.start({ features });
  await rig.open();
  await rig.move(10_000);
  const before = looks(rig);
  const { promise: until, resolve: free } = Promise.withResolvers<void>();
  rig.slack.fail("conversations.history", { kind: "hold", until });
  for (let time = 0; time < 3; time += 1) {
    await cutOff(rig, AWAY_MS + MINUTE_MS);
    await reconnect(rig);
  }
  expect(looks(rig)).toBe(before);
  free();
  // What was asked for in the meantime is asked for once more.
  const expected = 2 * ["C0SHOP", "C0SHARED", "D0ANA", "D0BOB"].length;
  await rig.until(() => looks(rig) - before >= expected);
  await rig.move(10_000);
  expect(looks(rig) - before).toBe(expected);
});
