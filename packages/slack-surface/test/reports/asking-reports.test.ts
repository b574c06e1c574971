import type { LiveButton } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { SurfaceRig, type SurfaceRigOptions } from "../surface-rig.ts";

const channel = "C0SHOP";
const ASK = "<@U0BOT> hello";

const buttonsIn = (rig: SurfaceRig) => rig.ana.buttons(channel).map(({ text }) => text);

/** A turn that asks whether it may. */
async function startAsking(options: SurfaceRigOptions = {}) {
  const rig = await SurfaceRig.start(options);
  const process = await rig.open();
  const thread = rig.ana.say(channel, ASK);
  const prompt = await rig.prompted(1);
  const answer = prompt.ask("rm -rf dist");
  await rig.until(() => buttonsIn(rig).includes("Allow once"));
  const allow = rig.ana.buttons(channel).find(({ text }) => text === "Allow once") as LiveButton;
  return { rig, process, thread, prompt, answer, allow };
}

test.each(["D0ANA", channel])(
  "in %s the platform's own Stop ends the turn at the agent, and the thread shows none that runs",
  async (place) => {
    const rig = await SurfaceRig.start();
    await rig.open();
    const thread = rig.ana.say(place, ASK);
    const prompt = await rig.prompted(1);
    prompt.say("Burning tokens. ");
    await rig.until(() => rig.bodies(place, thread).join("").includes("tokens"));
    await rig.until(() => rig.ana.canStop(place, thread));
    rig.ana.stop(place, thread);
    expect(await rig.during(prompt.result)).toEqual({ stopReason: "cancelled" });
    await rig.until(() => rig.slack.session(place, thread)?.status === "active");
    await rig.move(10_000);
    expect(rig.bodies(place, thread)).toHaveLength(1);
    expect(rig.ana.canStop(place, thread)).toBe(false);
    expect(rig.slack.messages(place).some(({ stream }) => stream?.state === "in_progress")).toBe(
      false,
    );
  },
);

test("the buttons of a question are gone with the first click, while its tool still runs", async () => {
  const { rig, thread, answer, allow, prompt } = await startAsking();
  prompt.startTool("t1", "rm -rf dist");
  await rig.during(rig.ana.click(channel, allow));
  expect(await rig.during(answer)).toMatchObject({ outcome: "selected", optionId: "once" });
  await rig.until(() => !buttonsIn(rig).includes("Allow once"));
  expect(rig.bob.see(channel)).toContain("✓ allowed once by <@U0ANA>");
  // From a screen that still shows it.
  await rig.during(rig.ana.click(channel, allow));
  await rig.until(() => rig.ana.see(channel).includes("That is over"));
  expect(rig.bob.see(channel)).not.toContain("That is over");
  prompt.end();
  await rig.until(() => rig.slack.session(channel, thread)?.status === "active");
  expect(buttonsIn(rig)).toEqual([]);
});

test("a click is always answered: a stranger's, and the first one after a restart", async () => {
  const { rig, process, thread, allow } = await startAsking();
  await rig.during(rig.bob.click(channel, allow));
  await rig.until(() => rig.bob.see(channel).includes("an approver, can do this"));
  expect(rig.ana.see(channel)).not.toContain("can do this");
  expect(buttonsIn(rig)).toContain("Allow once");
  await process.end();
  await rig.open();
  await rig.until(() => !buttonsIn(rig).includes("Allow once"));
  expect(rig.bodies(channel, thread).join("\n")).toContain("the question was withdrawn");
  await rig.during(rig.ana.click(channel, allow));
  await rig.until(() => rig.ana.see(channel).includes("That is over"));
  // Of a question that was erased since, or is of a database from before a restore.
  await rig.during(rig.bob.click(channel, { ...allow, value: "forgotten" }));
  await rig.until(() => rig.bob.see(channel).includes("That is over"));
});

test("what a killed process has left is gone once another is there: status, signs, placeholder and buttons", async () => {
  const { rig, process, thread, allow } = await startAsking({ isMortal: true });
  await rig.until(() => rig.slack.session(channel, thread)?.status === "suspended");
  const other = rig.bob.say(channel, ASK);
  await rig.prompted(2);
  await rig.until(() => rig.slack.session(channel, other)?.status === "processing");
  await rig.until(() => rig.bob.see(channel).includes("~"));
  expect(rig.bob.see(channel)).toContain(":eyes:");
  await process.crash();
  await rig.move(60_000, 1_000);
  expect(buttonsIn(rig)).toContain("Allow once");
  await rig.open();
  const statusOf = (root: string) => rig.slack.session(channel, root)?.status;
  await rig.until(() => statusOf(thread) === "active" && statusOf(other) === "active");
  await rig.until(() => !/~|:eyes:|:hourglass/.test(rig.bob.see(channel)));
  expect(buttonsIn(rig)).toEqual([]);
  expect(rig.bodies(channel, thread).join("\n")).toContain("can no longer be answered");
  await rig.during(rig.ana.click(channel, allow));
  await rig.until(() => rig.ana.see(channel).includes("That is over"));
});

test("an edit that changes no word changes nothing", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say(channel, ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Working. ");
  rig.slack.touch(channel, thread);
  rig.ana.edit(channel, thread, ASK);
  await rig.move(5_000);
  rig.slack.touch(channel, thread);
  prompt.say("Done.");
  prompt.end();
  await rig.until(() => rig.bodies(channel, thread)[0] === "Working. Done.");
  rig.slack.touch(channel, thread);
  rig.ana.edit(channel, thread, ASK);
  await rig.move(5_000);
  expect(rig.agent.prompts).toHaveLength(1);
  expect(rig.ana.see(channel)).not.toContain("(only you)");
});
