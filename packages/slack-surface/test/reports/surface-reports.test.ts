import { expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";

const channel = "C0SHOP";
const ASK = "<@U0BOT> hello";

test("in a channel everybody sees an answer grow, and in a direct conversation too", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  rig.ana.say(channel, ASK);
  const first = await rig.prompted(1);
  first.say("To all. ");
  await rig.until(() => rig.bob.see(channel).includes("To all."));
  first.say("More.");
  await rig.until(() => rig.bob.see(channel).includes("To all. More."));
  first.end();
  rig.ana.say("D0ANA", "hello");
  const second = await rig.prompted(2);
  second.say("To you.");
  await rig.until(() => rig.ana.see("D0ANA").includes("To you."));
  second.end();
});

test("each thread has its own status, and loses it when its turn is over", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const one = rig.ana.say(channel, ASK);
  const first = await rig.prompted(1);
  const other = rig.bob.say(channel, ASK);
  const second = await rig.prompted(2);
  const statusOf = (thread: string) => rig.slack.session(channel, thread)?.status;
  await rig.until(() => statusOf(one) === "processing" && statusOf(other) === "processing");
  first.end();
  await rig.until(() => statusOf(one) === "active");
  await rig.move(5_000);
  expect(statusOf(other)).toBe("processing");
  // Ends in an error.
  second.say("Half an ans");
  second.end("refusal");
  await rig.until(() => statusOf(other) === "active");
});

test("a place that takes no message is told to the requester once, and nothing runs again", async () => {
  const rig = await SurfaceRig.start();
  const process = await rig.open();
  const thread = rig.ana.say(channel, ASK);
  const first = await rig.prompted(1);
  rig.ana.say(channel, "<@U0BOT> and then", { thread });
  rig.slack.archive(channel);
  first.say("Nobody reads this.");
  first.end();
  const second = await rig.prompted(2);
  second.say("Nor this.");
  second.end();
  const told = () =>
    rig.bodies("D0ANA", undefined).filter((text) => text.includes("I can't answer"));
  await rig.until(() => told().length > 0);
  await rig.move(120_000, 1_000);
  expect(told()).toEqual(["I can't answer you in <#C0SHOP>: Slack says `is_archived`."]);
  expect(rig.bodies(channel, thread)).toEqual([]);
  await process.end();
  await rig.open();
  await rig.move(60_000, 1_000);
  expect(rig.agent.prompts).toHaveLength(2);
});

test("how a turn ended stands under it once, though its message takes no more edits", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say(channel, ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Half. ");
  await rig.until(() => rig.bodies(channel, thread)[0] === "Half. ");
  rig.slack.fail("chat.update", { kind: "error", error: "edit_window_closed" });
  rig.ana.say(channel, "!stop", { thread });
  await rig.until(() => rig.bodies(channel, thread).join("").includes("(cancelled)"));
  await rig.move(10_000);
  const all = rig.bodies(channel, thread).join("");
  expect(all.match(/Half\./g)).toHaveLength(1);
  expect(all.match(/\(cancelled\)/g)).toHaveLength(1);
  expect(rig.ana.see(channel)).not.toContain("~");
});

test("an approver who is named hears of a question by a message of their own, with a link", async () => {
  const rig = await SurfaceRig.start({
    access: [
      { users: ["U0ANA"], role: "user" },
      { users: ["U0BOB"], role: "approver" },
    ],
  });
  await rig.open();
  rig.ana.say(channel, ASK);
  const prompt = await rig.prompted(1);
  void prompt.ask("rm -rf dist");
  const direct = () => rig.bodies("D0BOB", undefined);
  await rig.until(() => direct().length > 0);
  expect(direct()).toEqual([
    expect.stringMatching(/^<@U0ANA>'s agent asks <https:[^|>]+\|a question> that needs you\.$/),
  ]);
  expect(rig.bob.notices.length).toBeGreaterThan(0);
  expect(rig.ana.notices.some(({ why }) => why === "mention")).toBe(true);
  expect(direct().join()).not.toContain("rm -rf");
});

test("a platform that does not say who the app is, is asked until it does, and never again", async () => {
  const rig = await SurfaceRig.start();
  rig.slack.fail("auth.test", { kind: "break" }, 3);
  rig.slack.fail("auth.test", { kind: "answer", status: 503, body: "" });
  await rig.open();
  rig.ana.say(channel, ASK);
  await rig.until(() => rig.agent.prompts.length === 1);
  for (let each = 0; each < 5; each += 1) rig.bob.say(channel, ASK);
  await rig.prompted(6);
  expect(rig.calls("auth.test")).toBe(1);
});
