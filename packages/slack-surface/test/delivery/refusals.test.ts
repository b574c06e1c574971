import { expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";
import { plainRenderer } from "./plain-renderer.ts";

const ASK = "<@U0BOT> hello";

/** A whole turn that says one thing. @returns The thread. */
async function turn(rig: SurfaceRig, channel: string, nth: number, text: string) {
  const thread = rig.ana.say(channel, channel.startsWith("D") ? "hello" : ASK);
  const prompt = await rig.prompted(nth);
  prompt.say(text);
  prompt.end();
  return thread;
}

test("a place that takes no message is told to its requester directly, once, and not tried for ever", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  rig.slack.fail("chat.postMessage", { kind: "error", error: "not_in_channel" });
  await turn(rig, "C0SHOP", 1, "Lost.");
  await rig.until(() => rig.ana.see("D0ANA").includes("`not_in_channel`"));
  const tried = rig.calls("chat.postMessage");
  await rig.move(120_000, 1_000);
  expect(rig.calls("chat.postMessage")).toBe(tried);
  rig.slack.fail("chat.postMessage", { kind: "error", error: "not_in_channel" });
  await turn(rig, "C0SHOP", 2, "Lost as well.");
  await rig.until(() => rig.complaints.filter((line) => line.includes("takes no")).length === 2);
  expect(rig.ana.notices.filter(({ text }) => text.includes("not_in_channel"))).toHaveLength(1);
  const thread = await turn(rig, "C0SHOP", 3, "Here again.");
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Here again.");
});

test("a part that Slack refuses by a word that nobody knows is said to be missing, and what comes behind it is shown", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  rig.slack.fail("chat.postMessage", { kind: "error", error: "a_new_word" }, 2);
  const thread = await turn(rig, "C0SHOP", 1, "Lost.");
  const missing = /^A part of the answer can't be shown: Slack says `a_new_word` \(ref (\w+)\)\.$/;
  await rig.until(() => missing.test(rig.bodies("C0SHOP", thread)[0] ?? ""));
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"));
  rig.slack.fail("chat.postMessage", { kind: "error", error: "a_new_word" }, 3);
  await turn(rig, "C0SHOP", 2, "Lost as well.");
  await rig.until(() => rig.ana.see("D0ANA").includes("`a_new_word`"));
  const next = await turn(rig, "C0SHOP", 3, "Here again.");
  await rig.until(() => rig.bodies("C0SHOP", next)[0] === "Here again.");
});

test.each(["C0SHOP", "D0ANA"])(
  "where no `markdown` block is taken in %s, nor a stream, a text stands there in the older markup",
  async (channel) => {
    const mrkdwn = (markdown: string) => [markdown.replaceAll("**", "*")];
    const rig = await SurfaceRig.start({ renderer: { ...plainRenderer, mrkdwn } });
    await rig.open();
    rig.slack.fail("chat.startStream", { kind: "error", error: "channel_type_not_supported" });
    rig.slack.fail("chat.postMessage", { kind: "error", error: "invalid_blocks" });
    const thread = await turn(rig, channel, 1, "In **bold**.");
    await rig.until(() => rig.bodies(channel, thread)[0] === "In *bold*.");
  },
);

test("an app whose token was revoked tells the operator once, and calls no more", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  rig.slack.fail("*", { kind: "error", error: "token_revoked" }, 1_000);
  prompt.say("Kept.");
  await rig.until(() => rig.notices.some((text) => text.includes("token_revoked")));
  await rig.move(1_000);
  const tried = rig.slack.calls.length;
  await rig.move(120_000, 1_000);
  const mine = rig.slack.calls.slice(tried).filter(({ method }) => !method.startsWith("apps."));
  expect(mine).toEqual([]);
});

test("an answer that could not be shown for a revoked token is shown by the next process", async () => {
  const rig = await SurfaceRig.start();
  const one = await rig.open();
  rig.slack.fail("chat.postMessage", { kind: "error", error: "token_revoked" });
  const thread = await turn(rig, "C0SHOP", 1, "Kept.");
  await rig.until(() => rig.notices.length > 0);
  await one.end();
  await rig.open();
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Kept.");
});

test("where streams are refused an answer is posts, and for a day no stream is tried, by no process", async () => {
  const channels = [
    { id: "D0ANA", name: "ana", kind: "im", members: ["U0ANA", "U0BOT"], refusesStreams: true },
  ] as const;
  const rig = await SurfaceRig.start({ slack: { channels } });
  const one = await rig.open();
  const first = await turn(rig, "D0ANA", 1, "By posts.");
  await rig.until(() => rig.bodies("D0ANA", first)[0] === "By posts.");
  await one.end();
  await rig.open();
  const second = await turn(rig, "D0ANA", 2, "Again.");
  await rig.until(() => rig.bodies("D0ANA", second)[0] === "Again.");
  expect(rig.calls("chat.startStream")).toBe(1);
  await rig.move(24 * 3_600_000, 600_000);
  const third = await turn(rig, "D0ANA", 3, "A day later.");
  await rig.until(() => rig.bodies("D0ANA", third)[0] === "A day later.");
  expect(rig.calls("chat.startStream")).toBe(2);
});

test("an answer is whole and there once when Slack was gone for minutes", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Before. ");
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Before. ");
  rig.slack.fail("*", { kind: "break" }, 10_000);
  prompt.say("Meanwhile. ");
  await rig.move(200_000, 500);
  prompt.say("After.");
  prompt.end();
  await rig.move(200_000, 500);
  rig.slack.heal();
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Before. Meanwhile. After.", 300_000);
  await rig.until(() => !/[~]|:eyes:/.test(rig.ana.see("C0SHOP")), 300_000);
  await rig.until(() => rig.bodies("C0SHOP", thread).length === 2, 300_000);
  expect(rig.bodies("C0SHOP", thread)[1]).toMatch(/^<@U0ANA> done · \d+ min$/);
});

test("a post whose answer was lost is found, and not made again", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  for (const kind of ["lose-answer", "break"] as const) {
    rig.slack.fail("chat.postMessage", { kind });
    const nth = kind === "lose-answer" ? 1 : 2;
    const thread = await turn(rig, "C0SHOP", nth, "Once.");
    await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Once.");
    await rig.move(60_000, 500);
    expect(rig.bodies("C0SHOP", thread)).toEqual(["Once."]);
  }
});

test("an answer that began as a stream keeps its words when streams are refused in its middle", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("D0ANA", "hello");
  const prompt = await rig.prompted(1);
  prompt.startTool("t1", "npm test");
  prompt.say("Before. ");
  await rig.until(() => rig.bodies("D0ANA", thread).join("") === "Before. ");
  // Nothing but a tool runs: the stream is ended.
  await rig.move(70_000, 500);
  rig.slack.fail("chat.startStream", { kind: "error", error: "channel_type_not_supported" });
  prompt.say("After. ");
  await rig.until(() => rig.bodies("D0ANA", thread).length === 2);
  prompt.say("The end.");
  prompt.end();
  await rig.until(() => rig.bodies("D0ANA", thread).join("").endsWith("The end."));
  await rig.until(() => !rig.ana.see("D0ANA").includes("~"));
  expect(rig.bodies("D0ANA", thread)).toEqual(["Before. ", "After. The end."]);
});

test("a turn that the renderer cannot show says so with a reference, and holds up none behind it", async () => {
  const rig = await SurfaceRig.start({
    renderer: {
      ...plainRenderer,
      render(view, context) {
        const rendered = plainRenderer.render(view, context);
        if (JSON.stringify(rendered).includes("poison")) throw new Error("cannot");
        return rendered;
      },
    },
  });
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Good. ");
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Good. ");
  prompt.say("poison");
  await rig.until(() => rig.bodies("C0SHOP", thread).length === 2);
  expect(rig.bodies("C0SHOP", thread)[1]).toMatch(/^This answer can't be shown \(ref \w+\)\.$/);
  expect(rig.ana.see("C0SHOP")).not.toContain("~");
  prompt.end();
  rig.ana.say("C0SHOP", "<@U0BOT> again", { thread });
  const next = await rig.prompted(2);
  next.say("Better.");
  next.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).at(-1) === "Better.");
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"));
});
