import { writeFileSync } from "node:fs";
import path from "node:path";
import type { GatedPrompt } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { SurfaceRig, type SurfaceRigOptions } from "../surface-rig.ts";

const COMPLETE = "files.completeUploadExternal";
const content = "a,b\n1,2\n";

/** The agent sends a file. */
function sendFile(prompt: GatedPrompt, name = "table.csv"): void {
  const blob = Buffer.from(content).toString("base64");
  const resource = { uri: `file:///tmp/${name}`, mimeType: "text/csv", blob };
  prompt.update({ sessionUpdate: "agent_message_chunk", content: { type: "resource", resource } });
}

/** What is to be read in a thread, top to bottom: texts, and names of files. */
function shownIn(rig: SurfaceRig, channel: string, thread: string): readonly string[] {
  return rig.slack
    .messages(channel)
    .filter(({ isFromApp, threadTs }) => isFromApp && threadTs === thread)
    .flatMap(({ files, stream, blocks, text }) => {
      if (files.length > 0) {
        return files.map((file) => `${file.name}=${Buffer.from(file.bytes).toString()}`);
      }
      const streamed = stream?.parts.map((part) => (part.kind === "text" ? part.text : ""));
      const markdown = blocks.find(({ type }) => type === "markdown");
      return [streamed ? streamed.join("") : String(markdown?.["text"] ?? text)];
    });
}

const whole = ["Here:", `table.csv=${content}`, "That was it."];

describe.each([
  ["a channel", "C0SHOP", "<@U0BOT> go"],
  ["a direct conversation", "D0ANA", "go"],
])("a file that the agent sends in %s", (_where, channel, ask) => {
  test("stands between what was said before and after it", async () => {
    const rig = await SurfaceRig.start({ slack: { fileShareMs: 3_000 } });
    await rig.open();
    const thread = rig.ana.say(channel, ask);
    const prompt = await rig.prompted(1);
    prompt.say("Here:");
    sendFile(prompt);
    await rig.until(() => rig.calls(COMPLETE) === 1);
    prompt.say("That was it.");
    await rig.move(1_000);
    expect(shownIn(rig, channel, thread)).toEqual(["Here:"]);
    prompt.end();
    await rig.until(() => shownIn(rig, channel, thread).at(-1) === "That was it.");
    expect(shownIn(rig, channel, thread)).toEqual(whole);
  });

  test("is there once when its process ends while Slack takes it, and the next one goes on", async () => {
    const rig = await SurfaceRig.start({ slack: { fileShareMs: 20_000 } });
    const first = await rig.open();
    const thread = rig.ana.say(channel, ask);
    const prompt = await rig.prompted(1);
    prompt.say("Here:");
    sendFile(prompt);
    await rig.until(() => rig.calls(COMPLETE) === 1);
    prompt.say("That was it.");
    prompt.end();
    const conversation = `slack/shop/T0ACME/${channel}/${thread}`;
    await rig.until(() => first.router.running(conversation) === undefined);
    await first.end();
    expect(shownIn(rig, channel, thread)).toEqual(["Here:"]);
    await rig.open();
    await rig.until(() => shownIn(rig, channel, thread).at(-1) === "That was it.");
    expect(shownIn(rig, channel, thread)).toEqual(whole);
    expect(rig.calls(COMPLETE)).toBe(1);
  });
});

test("why a file of the agent is not shown stands in its place", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  rig.slack.fail(COMPLETE, { kind: "error", error: "file_uploads_disabled" });
  const thread = rig.ana.say("C0SHOP", "<@U0BOT> go");
  const prompt = await rig.prompted(1);
  prompt.say("Here:");
  sendFile(prompt);
  await rig.until(() => /could not/.test(shownIn(rig, "C0SHOP", thread).join()));
  prompt.say("That was it.");
  prompt.end();
  await rig.until(() => shownIn(rig, "C0SHOP", thread).at(-1) === "That was it.");
  expect(shownIn(rig, "C0SHOP", thread)).toEqual([
    "Here:",
    expect.stringMatching(
      /^table\.csv could not be shown here: this workspace takes no files \(ref \w+\)\.$/,
    ),
    "That was it.",
  ]);
});

describe("C19: into a channel that people of other workspaces read", () => {
  test.each([
    ["nothing is uploaded", false, 0],
    ["files go where the operator has said so", true, 1],
  ])("%s", async (_what, filesToPartners, uploads) => {
    const rig = await SurfaceRig.start({ filesToPartners });
    await rig.open();
    const thread = rig.ana.say("C0SHARED", "<@U0BOT> go");
    const prompt = await rig.prompted(1);
    sendFile(prompt);
    await rig.until(() => /table|filesToPartners/.test(shownIn(rig, "C0SHARED", thread).join()));
    prompt.say("Done.");
    prompt.end();
    await rig.until(() => shownIn(rig, "C0SHARED", thread).at(-1) === "Done.");
    expect(rig.calls("files.getUploadURLExternal")).toBe(uploads);
    expect(shownIn(rig, "C0SHARED", thread)).toEqual([
      filesToPartners ? `table.csv=${content}` : expect.stringMatching(/filesToPartners/),
      "Done.",
    ]);
  });
});

describe("what is sent or said outside of a turn", () => {
  /** A thread in which the agent has answered. */
  async function answered(fileShareMs = 0) {
    const rig = await SurfaceRig.start({ slack: { fileShareMs } });
    const { router, end } = await rig.open();
    const thread = rig.ana.say("C0SHOP", "<@U0BOT> go");
    const prompt = await rig.prompted(1);
    prompt.say("Fine.");
    prompt.end();
    await rig.until(() => shownIn(rig, "C0SHOP", thread).join() === "Fine.");
    const [{ cwd } = { cwd: "" }] = await router.debug();
    return { rig, thread, cwd, prompt, end };
  }

  test("is shown: a file that somebody gets, and why another one is not sent", async () => {
    const { rig, thread, cwd } = await answered();
    writeFileSync(path.join(cwd, "report.csv"), content);
    rig.ana.say("C0SHOP", "<@U0BOT> !get report.csv", { thread });
    await rig.until(() => shownIn(rig, "C0SHOP", thread).length === 2);
    rig.ana.say("C0SHOP", "<@U0BOT> !get .env", { thread });
    await rig.until(() => shownIn(rig, "C0SHOP", thread).length === 3);
    expect(shownIn(rig, "C0SHOP", thread)).toEqual([
      "Fine.",
      `report.csv=${content}`,
      expect.stringMatching(/\.env was not sent/),
    ]);
    expect(rig.complaints).toEqual([]);
  });

  test("is shown once, as one message, with the next turn behind it", async () => {
    const { rig, thread, prompt } = await answered();
    for (const word of ["By ", "the ", "way."]) {
      prompt.say(word);
      await rig.move(500);
    }
    rig.ana.say("C0SHOP", "<@U0BOT> again", { thread });
    const second = await rig.prompted(2);
    second.say("Yes.");
    second.end();
    await rig.until(() => shownIn(rig, "C0SHOP", thread).at(-1) === "Yes.");
    expect(shownIn(rig, "C0SHOP", thread)).toEqual(["Fine.", "By the way.", "Yes."]);
  });

  test("is shown whole by the next process", async () => {
    const { rig, thread, cwd, end } = await answered(20_000);
    writeFileSync(path.join(cwd, "report.csv"), content);
    rig.ana.say("C0SHOP", "<@U0BOT> !get report.csv", { thread });
    await rig.until(() => rig.calls(COMPLETE) === 1);
    await end();
    await rig.open();
    await rig.until(() => shownIn(rig, "C0SHOP", thread).length === 2);
    expect(shownIn(rig, "C0SHOP", thread)).toEqual(["Fine.", `report.csv=${content}`]);
    expect(rig.calls(COMPLETE)).toBe(1);
  });
});

describe.each([
  ["a channel", "C0SHOP"],
  ["a direct conversation", "D0ANA"],
])("what somebody gets while a turn runs in %s", (_where, channel) => {
  /** A thread in which the agent works on a second message, of which something is shown. */
  async function working(options: SurfaceRigOptions = {}) {
    const rig = await SurfaceRig.start(options);
    const process = await rig.open();
    const thread = rig.ana.say(channel, "<@U0BOT> go");
    const first = await rig.prompted(1);
    first.say("Fine.");
    first.end();
    await rig.until(() => shownIn(rig, channel, thread).join() === "Fine.");
    const [{ cwd } = { cwd: "" }] = await process.router.debug();
    writeFileSync(path.join(cwd, "report.csv"), content);
    rig.ana.say(channel, "<@U0BOT> more", { thread });
    const second = await rig.prompted(2);
    second.say("Some words.");
    await rig.until(() => shownIn(rig, channel, thread).join().includes("Some words."));
    return { rig, thread, second, process };
  }

  test("comes at once, and the turn goes on as one message", async () => {
    const { rig, thread, second } = await working();
    rig.ana.say(channel, "<@U0BOT> !get report.csv", { thread });
    const asked = rig.clock.now();
    await rig.until(() => shownIn(rig, channel, thread).length === 3);
    rig.ana.say(channel, "<@U0BOT> !get .env", { thread });
    await rig.until(() => shownIn(rig, channel, thread).length === 4);
    expect(rig.clock.now() - asked).toBeLessThan(10_000);
    second.say(" And more.");
    second.end();
    await rig.until(() => shownIn(rig, channel, thread).includes("Some words. And more."));
    await rig.move(5_000);
    expect(shownIn(rig, channel, thread)).toEqual([
      "Fine.",
      "Some words. And more.",
      `report.csv=${content}`,
      expect.stringMatching(/\.env was not sent/),
    ]);
    expect(rig.complaints).toEqual([]);
  });

  test("is there once, and the turn too, when the relay ends before it is to be seen", async () => {
    const { rig, thread, second, process } = await working({ slack: { fileShareMs: 20_000 } });
    rig.ana.say(channel, "<@U0BOT> !get report.csv", { thread });
    await rig.until(() => rig.calls(COMPLETE) === 1);
    second.say(" And more.");
    await rig.until(() => shownIn(rig, channel, thread).join().includes("And more."));
    await process.end();
    const next = await rig.open();
    await rig.until(() => next.isQuiet());
    const shown = shownIn(rig, channel, thread);
    expect(shown.filter((text) => text.includes("Some words."))).toHaveLength(1);
    expect(shown.filter((text) => text === `report.csv=${content}`)).toHaveLength(1);
    expect(rig.calls(COMPLETE)).toBe(1);
  });
});
