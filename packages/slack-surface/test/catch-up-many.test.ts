import type { SlackBot } from "@acp-kit/relay";
import { expect, test } from "vitest";
import { SurfaceRig } from "./surface-rig.ts";

const MINUTE_MS = 60_000;
const features = ["channels", "direct-messages", "catch-up"] as SlackBot["features"];
const MANY = 130;

test("however many conversations there are, all are looked into, as fast as Slack allows, and the operator is told", async () => {
  const members = ["U0ANA", "U0BOT"];
  const channels = Array.from({ length: MANY }, (_, at) => ({
    ...{ id: `C${1_000 + at}`, name: `c${at}`, kind: "public" as const, members },
  }));
  const rig = await SurfaceRig.start({ features, slack: { channels } });
  const first = await rig.open();
  await rig.move(5_000);
  await rig.during(first.end());
  await rig.until(() => rig.slack.socketMode.ready === 0);
  await rig.move(5 * MINUTE_MS, 1_000);
  const last = `C${1_000 + MANY - 1}`;
  rig.ana.say(last, "<@U0BOT> missed");
  rig.ana.say("C1000", "<@U0BOT> missed as well");
  await rig.move(10 * MINUTE_MS, 1_000);
  const before = rig.calls("conversations.history");
  const second = await rig.open();
  const one = await rig.prompted(1);
  expect(one.text).toContain("missed as well");
  one.end();
  await rig.until(() => rig.agent.prompts.length === 2, 10 * MINUTE_MS, 250);
  const other = await rig.prompted(2);
  other.end();
  await rig.until(second.isQuiet);
  expect(rig.calls("conversations.history") - before).toBe(MANY);
  expect(rig.limited).toBe(0);
  expect(rig.told.filter((line) => line.includes(`"conversations":${MANY}`))).toHaveLength(1);
});
