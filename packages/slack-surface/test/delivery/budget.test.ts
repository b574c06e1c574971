import type { FakeSlackOptions, GatedPrompt } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { SurfaceRig } from "../surface-rig.ts";

const CHUNKS = 2_000;
const LINE = "Every one of these words is said once.\n\n";

describe("33,000 characters in 2,000 chunks within 11 s", () => {
  test.each([
    ["natively", "D0ANA", 30],
    ["with posts that are edited", "C0SHOP", 16],
  ] as const)(
    "cost %s in %s at most %i calls, and all of them are there",
    async (_, channel, max) => {
      const rig = await SurfaceRig.start();
      await rig.open();
      const thread = rig.ana.say(channel, "<@U0BOT> tell me");
      const prompt = await rig.prompted(1);
      const said = LINE.repeat(33_000 / LINE.length + 1).slice(0, 33_000);
      const size = said.length / CHUNKS;
      for (let at = 0; at < CHUNKS; at += 1) {
        prompt.say(said.slice(Math.round(at * size), Math.round((at + 1) * size)));
        if (at % 9 === 8) await rig.pass(50);
      }
      prompt.end();
      await rig.until(() => rig.bodies(channel, thread).join("") === said);
      await rig.until(() => !rig.ana.see(channel).includes("~"));
      const calls = rig.slack.calls.filter(({ method }) => method.startsWith("chat."));
      expect(calls.length).toBeLessThanOrEqual(max);
      expect(rig.limited).toBe(0);
    },
  );
});

describe("50 turns of 2,000 characters within a second", () => {
  const people = Array.from({ length: 50 }, (_, at) => `U0P${at}`);
  const crowd: FakeSlackOptions = {
    users: ["U0ANA", "U0BOB", ...people].map((id) => ({
      id,
      name: id.toLowerCase(),
      team: "T0ACME",
    })),
    channels: [
      { id: "C0SHOP", name: "shop", kind: "public", members: [...people, "U0BOT"] },
      ...people.map((id, at) => ({
        ...{ id: `D0P${at}`, name: id, kind: "im" as const, members: [id, "U0BOT"] },
      })),
    ],
  };

  test.each([
    ["one shared channel", () => "C0SHOP"],
    ["direct conversations", (at: number) => `D0P${at}`],
  ] as const)(
    "in %s meet no limit, a question among them is there within a second, and all are told within 150 s",
    async (_, channelOf) => {
      const rig = await SurfaceRig.start({ slack: crowd });
      await rig.open();
      const threads = people.map((id, at) => ({
        channel: channelOf(at),
        thread: rig.slack.person(id).say(channelOf(at), `<@U0BOT> number ${at}`),
      }));
      await rig.until(() => rig.agent.prompts.length === people.length);
      const from = rig.clock.now();
      const saidBy = (prompt: GatedPrompt) => `${prompt.text} `.repeat(200).slice(0, 2_000);
      for (let tenth = 0; tenth < 10; tenth += 1) {
        for (const prompt of rig.agent.prompts) {
          prompt.say(saidBy(prompt).slice(tenth * 200, (tenth + 1) * 200));
        }
        await rig.pass(100);
      }
      const [first, ...others] = rig.agent.prompts;
      const asked = rig.clock.now();
      void first?.ask("rm -rf dist");
      const asker = rig.slack.person(people[Number(/\d+/.exec(first?.text ?? "")?.[0])] ?? "");
      const hasQuestion = () =>
        threads.some(({ channel }) =>
          rig.slack
            .messages(channel)
            .some(({ blocks }) => JSON.stringify(blocks).includes("rm -rf")),
        );
      await rig.until(hasQuestion);
      expect(rig.clock.now() - asked).toBeLessThanOrEqual(1_000);
      expect(asker.notices.length).toBeGreaterThan(0);
      for (const prompt of others) prompt.end();
      const isTold = (prompt: GatedPrompt) => {
        const at = Number(/\d+/.exec(prompt.text)?.[0]);
        const { channel = "", thread } = threads[at] ?? {};
        return rig.bodies(channel, thread).join("") === saidBy(prompt);
      };
      await rig.until(() => others.every(isTold), 200_000);
      expect(rig.clock.now() - from).toBeLessThanOrEqual(150_000);
      const starts = rig.slack.calls.filter(({ method }) => method === "chat.startStream");
      for (const { at } of starts) {
        const within = starts.filter((each) => each.at >= at && each.at < at + 60_000);
        expect(within.length).toBeLessThanOrEqual(15);
      }
      expect(rig.limited).toBe(0);
    },
  );
});

test.each(["C0SHOP", "D0ANA"])(
  "300 silent minutes of one tool in %s are at most three messages",
  async (channel) => {
    const rig = await SurfaceRig.start();
    await rig.open();
    const thread = rig.ana.say(channel, "<@U0BOT> build");
    const prompt = await rig.prompted(1);
    prompt.say("I build. ");
    prompt.startTool("t1", "make world");
    for (let minutes = 0; minutes < 300; minutes += 5) {
      await rig.move(5 * 60_000, 15_000);
      expect(rig.ana.canStop(channel, thread), `after ${minutes + 5} min`).toBe(true);
    }
    prompt.endTool("t1");
    prompt.say("Built.");
    prompt.end();
    await rig.until(() => rig.bodies(channel, thread).join("").includes("Built."));
    await rig.until(() => !rig.ana.canStop(channel, thread));
    await rig.move(10_000, 100);
    expect(rig.bodies(channel, thread).length).toBeLessThanOrEqual(3);
    expect(rig.limited).toBe(0);
  },
);
