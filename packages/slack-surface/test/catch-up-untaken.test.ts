import type { SlackBot } from "@acp-kit/relay";
import { expect, test } from "vitest";
import { refuseWrites } from "./refuse-writes.ts";
import { SurfaceRig } from "./surface-rig.ts";

const MINUTE_MS = 60_000;
const features = ["channels", "direct-messages", "catch-up"] as SlackBot["features"];

/** Of a mention the platform may tell by another event as well. */
function lostMessages(rig: SurfaceRig): number {
  const isMessage = (event: unknown) =>
    (event as { type?: string } | undefined)?.type === "message";
  return rig.slack.deliveries.filter(
    ({ state, payload }) => state === "lost" && isMessage(payload["event"]),
  ).length;
}

async function answer(rig: SurfaceRig, count: number): Promise<string> {
  const prompt = await rig.prompted(count);
  prompt.say("Answered.");
  prompt.end();
  return prompt.text;
}

/** Two messages were lost, though the process was there; then the disk has room again, and one was heard. */
async function fillDisk() {
  const rig = await SurfaceRig.start({ features });
  const process = await rig.open();
  rig.ana.say("D0ANA", "before");
  await answer(rig, 1);
  await rig.until(process.isQuiet);
  await rig.move(5_000);
  const free = refuseWrites(rig.directory);
  rig.ana.say("D0ANA", "lost");
  rig.bob.say("C0SHOP", "<@U0BOT> lost too");
  // Until the platform does not try any more.
  await rig.until(() => lostMessages(rig) === 2, 10 * MINUTE_MS, 250);
  expect(rig.agent.prompts).toHaveLength(1);
  free();
  rig.ana.say("D0ANA", "after");
  expect(await answer(rig, 2)).toContain("after");
  return { rig, process };
}

test("what could not be written down until the platform gave up is found once the disk has room again", async () => {
  const { rig, process } = await fillDisk();
  await rig.until(() => rig.agent.prompts.length >= 3, 30 * MINUTE_MS, 250);
  const found = [await answer(rig, 3), await answer(rig, 4)];
  expect(found.sort()).toEqual([
    expect.stringContaining("lost"),
    expect.stringContaining("lost too"),
  ]);
  await rig.until(process.isQuiet);
  await rig.until(() => /Sent \d+ min ago, while I was away/.test(rig.ana.see("D0ANA")));
  expect(rig.agent.prompts).toHaveLength(4);
});

test("it is found by the next start too: nothing that came later has hidden it", async () => {
  const { rig, process } = await fillDisk();
  await rig.until(process.isQuiet);
  await rig.during(process.end());
  await rig.until(() => rig.slack.socketMode.ready === 0);
  const next = await rig.open();
  const found = [await answer(rig, 3), await answer(rig, 4)];
  expect(found.sort()).toEqual([
    expect.stringContaining("lost"),
    expect.stringContaining("lost too"),
  ]);
  await rig.until(next.isQuiet);
  expect(rig.agent.prompts).toHaveLength(4);
});

test("whoever was known to nobody until the platform gave up is answered once they are", async () => {
  const rig = await SurfaceRig.start({ features });
  const process = await rig.open();
  rig.slack.fail("users.info", { kind: "error", error: "internal_error" }, 100);
  rig.ana.say("D0ANA", "who am I?");
  await rig.until(() => lostMessages(rig) === 1, 10 * MINUTE_MS, 250);
  expect(rig.agent.prompts).toHaveLength(0);
  rig.slack.heal();
  await rig.until(() => rig.agent.prompts.length >= 1, 30 * MINUTE_MS, 250);
  expect(await answer(rig, 1)).toContain("who am I?");
  await rig.until(process.isQuiet);
});
