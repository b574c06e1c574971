import { DEFAULT_OPTIONS } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import type { SlackRenderer } from "../../src/index.ts";
import { SurfaceRig } from "../surface-rig.ts";
import { plainRenderer } from "./plain-renderer.ts";

const ASK = "<@U0BOT> hello";

test("an answer in a channel grows in one message of the thread, and loses its status", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes("~waiting~"));
  prompt.say("Hello ");
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Hello ");
  prompt.say("Ana.");
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Hello Ana.");
  await rig.until(() => !rig.ana.see("C0SHOP").includes("~"));
  expect(rig.bodies("C0SHOP", thread)).toEqual(["Hello Ana."]);
});

test("an answer in a direct conversation is a native stream", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("D0ANA", "hello");
  const prompt = await rig.prompted(1);
  prompt.say("Hello. ");
  await rig.until(() => rig.ana.see("D0ANA").includes("Hello."));
  expect(rig.slack.messages("D0ANA").at(-1)?.stream?.state).toBe("in_progress");
  prompt.startTool("t1", "npm test");
  await rig.until(() => rig.ana.see("D0ANA").includes("npm test"));
  prompt.endTool("t1");
  prompt.say("All is well.");
  prompt.end();
  await rig.until(() => rig.slack.messages("D0ANA").at(-1)?.stream?.state === "completed");
  expect(rig.bodies("D0ANA", thread)).toEqual(["Hello. All is well."]);
  expect(rig.calls("chat.postMessage")).toBe(0);
});

test.each(["chat.appendStream", "chat.stopStream"])(
  "a stream that the platform has ended before %s leaves no thread that seems to run",
  async (method) => {
    const rig = await SurfaceRig.start();
    await rig.open();
    const thread = rig.ana.say("D0ANA", "hello");
    const prompt = await rig.prompted(1);
    prompt.say("Hello.");
    await rig.until(() => rig.bodies("D0ANA", thread)[0] === "Hello.");
    rig.slack.fail(method, { kind: "error", error: "message_not_in_streaming_state" });
    prompt.say("\n");
    prompt.end();
    await rig.until(() => rig.slack.session("D0ANA", thread)?.status === "active");
  },
);

describe("in a stream emphasis that has not ended is held back", () => {
  const renderer: SlackRenderer = {
    ...plainRenderer,
    render({ segments }, { show }) {
      const shown = Array.from(segments).flatMap((each) =>
        each.kind === "text" || (each.kind === "thought" && show.thoughts) ? [each.text] : [],
      );
      return { parts: [{ kind: "text", markdown: shown.join("") }] };
    },
    findEmphasis: (markdown) => {
      const at = markdown.indexOf("**");
      return at < 0 ? [] : [{ from: at, to: undefined, mark: "**" }];
    },
  };
  const think = (text: string) => ({
    sessionUpdate: "agent_thought_chunk" as const,
    content: { type: "text" as const, text },
  });

  test("also in a thought", async () => {
    const rig = await SurfaceRig.start({ renderer });
    await rig.open();
    const thread = rig.ana.say("D0ANA", "hello");
    const prompt = await rig.prompted(1);
    prompt.update(think("Hm. **Or"));
    await rig.move(5_000);
    expect(rig.bodies("D0ANA", thread)).toEqual(["Hm. "]);
  });

  test.each(["a tool", "a thought that is not shown"])("until %s begins", async (what) => {
    const defaults = { ...DEFAULT_OPTIONS, hideThinking: true };
    const rig = await SurfaceRig.start({ renderer, defaults });
    await rig.open();
    const thread = rig.ana.say("D0ANA", "hello");
    const prompt = await rig.prompted(1);
    prompt.say("Well, **src");
    await rig.move(5_000);
    expect(rig.bodies("D0ANA", thread)).toEqual(["Well, "]);
    if (what === "a tool") prompt.startTool("t1", "npm test");
    else prompt.update(think("Hm."));
    await rig.until(() => rig.bodies("D0ANA", thread)[0] === "Well, **src");
  });
});

test("without agent view a direct conversation is answered where it is, and is one conversation", async () => {
  const rig = await SurfaceRig.start({ agentView: false });
  await rig.open();
  rig.ana.say("D0ANA", "one");
  const first = await rig.prompted(1);
  first.say("First.");
  first.end();
  await rig.until(() => rig.bodies("D0ANA", undefined).includes("First."));
  rig.ana.say("D0ANA", "two");
  const second = await rig.prompted(2);
  second.say("Second.");
  second.end();
  await rig.until(() => rig.bodies("D0ANA", undefined).includes("Second."));
  await rig.until(() => !rig.ana.see("D0ANA").includes("~"));
  expect(rig.bodies("D0ANA", undefined)).toEqual(["First.", "Second."]);
});

test("a turn without a word leaves nothing behind", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.bodies("C0SHOP", thread).length === 1);
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).length === 0);
});

test("a waiting message has an hourglass, a running one eyes, and an ended one neither", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const first = await rig.prompted(1);
  const second = rig.ana.say("C0SHOP", "<@U0BOT> and then", { thread });
  await rig.until(() => rig.ana.see("C0SHOP").includes("hello  :eyes:1"));
  await rig.until(() => rig.ana.see("C0SHOP").includes("and then  :hourglass_flowing_sand:1"));
  first.end();
  const next = await rig.prompted(2);
  await rig.until(() => rig.ana.see("C0SHOP").includes("and then  :eyes:1"));
  next.end();
  await rig.until(() => !/:(?:eyes|hourglass_flowing_sand):/.test(rig.ana.see("C0SHOP")));
  expect(rig.slack.messages("C0SHOP").map(({ ts }) => ts)).toContain(second);
});

test("an answer that took less than a minute ends without one", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Short.");
  await rig.move(58_000, 1_000);
  prompt.end();
  await rig.until(() => !/[~]|:eyes:/.test(rig.ana.see("C0SHOP")));
  await rig.move(10_000, 1_000);
  expect(rig.bodies("C0SHOP", thread)).toEqual(["Short."]);
});

test("an answer that took longer than a minute ends with a message that mentions its requester", async () => {
  const rig = await SurfaceRig.start();
  await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Long.");
  await rig.move(62_000, 1_000);
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread).length === 2);
  expect(rig.bodies("C0SHOP", thread)).toEqual(["Long.", "<@U0ANA> done · 1 min"]);
  await rig.until(() => rig.ana.notices.some(({ text }) => text.includes("done")));
});

test("where the app is an agent the platform's own Stop is there while a turn runs, and else a button", async () => {
  for (const isAgent of [true, false]) {
    const rig = await SurfaceRig.start({ slack: { app: { isAgent } } });
    await rig.open();
    const thread = rig.ana.say("C0SHOP", ASK);
    const prompt = await rig.prompted(1);
    prompt.say("Working.");
    const hasButton = () => rig.ana.buttons("C0SHOP").some(({ text }) => text === "Stop");
    await rig.until(() => (isAgent ? rig.ana.canStop("C0SHOP", thread) : hasButton()));
    expect(hasButton()).toBe(!isAgent);
    prompt.end();
    await rig.until(() => !rig.ana.canStop("C0SHOP", thread) && !hasButton());
    expect(rig.bodies("C0SHOP", thread)).toEqual(["Working."]);
  }
});

test("an answer that another process left half shown is gone on with in the same message", async () => {
  const rig = await SurfaceRig.start();
  const one = await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  prompt.say("Before. ");
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Before. ");
  await one.end();
  expect(rig.ana.see("C0SHOP")).not.toContain("~");
  await rig.open();
  await rig.until(() => rig.bodies("C0SHOP", thread)[0]?.includes("(cancelled)") === true);
  expect(rig.bodies("C0SHOP", thread)).toEqual(["Before. \n(cancelled)"]);
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"));
});

test("a sign that was there when a process was killed goes, also where the answer was shown whole by then", async () => {
  const rig = await SurfaceRig.start({ isMortal: true });
  const one = await rig.open();
  const thread = rig.ana.say("C0SHOP", ASK);
  const prompt = await rig.prompted(1);
  await rig.until(() => rig.ana.see("C0SHOP").includes(":eyes:1"));
  rig.slack.fail("reactions.remove", { kind: "hang" });
  prompt.say("Whole.");
  prompt.end();
  await rig.until(() => rig.bodies("C0SHOP", thread)[0] === "Whole.");
  await rig.until(() =>
    rig.slack.calls.some(({ method }) => method === "agents.sessions.setStatus"),
  );
  await rig.move(3_000, 100);
  await one.crash();
  rig.slack.heal();
  await rig.open();
  await rig.until(() => !rig.ana.see("C0SHOP").includes(":eyes:"), 300_000);
  expect(rig.bodies("C0SHOP", thread)).toEqual(["Whole."]);
});

test("a partner's stream is for somebody of the partner's workspace", async () => {
  const channels = [
    { id: "D0PAT", name: "pat", kind: "im", members: ["U0PARTNER", "U0BOT"] },
  ] as const;
  const rig = await SurfaceRig.start({
    slack: { channels },
    access: [{ users: ["U0PARTNER"], role: "user" }],
  });
  await rig.open();
  const thread = rig.slack.person("U0PARTNER").say("D0PAT", "hello");
  const prompt = await rig.prompted(1);
  prompt.say("Hello, Pat.");
  prompt.end();
  await rig.until(() => rig.bodies("D0PAT", thread)[0] === "Hello, Pat.");
  const start = rig.slack.calls.find(({ method }) => method === "chat.startStream");
  expect(start).toMatchObject({ outcome: "ok", args: { recipient_team_id: "T0PARTNER" } });
  expect(rig.calls("chat.postMessage")).toBe(0);
});

test("an app that is no agent says in words that it works, where its answer is a stream", async () => {
  const rig = await SurfaceRig.start({ slack: { app: { isAgent: false } } });
  await rig.open();
  const thread = rig.ana.say("D0ANA", "hello");
  const prompt = await rig.prompted(1);
  const says = () => rig.ana.see("D0ANA").includes("(agent is working…)");
  await rig.until(says);
  // Slack forgets it after two minutes.
  await rig.move(300_000, 1_000);
  expect(says()).toBe(true);
  prompt.say("Hello.");
  prompt.end();
  await rig.until(() => rig.bodies("D0ANA", thread)[0] === "Hello." && !says());
});
