import { expect, test } from "vitest";
import { NativeStreamPublisher, StreamSlots } from "../../src/index.ts";
import { createQueue, startSlack } from "../rig.ts";

const TURNS = 50;
const text = "x".repeat(2_000);
const STEP_MS = 250;

/** Fifty threads in as many places, or in one. */
async function startStorm(places: "direct" | "one-channel") {
  const direct = Array.from({ length: TURNS }, (_, at) => ({
    id: `D${at}`,
    name: `d${at}`,
    kind: "im" as const,
    members: ["U0ANA", "U0BOT"],
  }));
  const rig = await startSlack(places === "direct" ? { channels: direct } : {});
  const turns = Array.from({ length: TURNS }, (_, at) => {
    const channel = places === "direct" ? `D${at}` : "C0SHOP";
    return { channel, thread: rig.slack.person("U0ANA").say(channel, `turn ${at}`) };
  });
  return { rig, turns, ...createQueue(rig) };
}

test.each(["direct", "one-channel"] as const)(
  "50 turns of 2,000 characters within a second (%s) meet no 429, start at most 15 streams a minute and are all told",
  async (places) => {
    const { rig, turns, queue, quiet } = await startStorm(places);
    const { clock, slack } = rig;
    const begunAt = clock.now();
    const questions: number[] = [];
    const finals: number[] = [];
    const slots = new StreamSlots(queue);
    const running = turns.map(async ({ channel, thread }, at) => {
      const shared = { queue, clock, botId: "B0BOT", channel, thread, marker: `turn-${at}` };
      const recipient = { user: "U0ANA", team: "T0ACME" };
      const publisher = new NativeStreamPublisher({ ...shared, slots, recipient });
      publisher.write({ text: text.slice(0, 1_000), tail: "writing…" });
      const asked = queue.run({
        method: "chat.postMessage",
        channel,
        priority: "question",
        args: () => ({ channel, thread_ts: thread, text: "Run it?" }),
      });
      void asked.then(() => questions.push(clock.now() - begunAt));
      // Still within the second.
      await new Promise<void>((resolve) => void clock.after(900, resolve));
      expect(await publisher.finish(text)).toEqual({ kind: "published" });
      finals.push(clock.now() - begunAt);
      expect((await asked).kind).toBe("ok");
    });
    let isOver = false;
    const all = Promise.all(running).then(() => {
      isOver = true;
    });
    for (let passed = 0; passed <= 200_000 && !isOver; passed += STEP_MS) {
      await new Promise(setImmediate);
      await quiet();
      await new Promise(setImmediate);
      clock.advance(STEP_MS);
    }
    await all;
    expect(slack.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    const starts = slack.calls.filter(({ method }) => method === "chat.startStream");
    for (const { at } of starts) {
      const inMinute = starts.filter((each) => each.at > at - 60_000 && each.at <= at);
      expect(inMinute.length).toBeLessThanOrEqual(15);
    }
    expect(starts.length).toBeGreaterThan(0);
    expect(finals).toHaveLength(TURNS);
    expect(Math.max(...finals)).toBeLessThanOrEqual(150_000);
    // One channel takes one post a second, whatever it is for.
    if (places === "direct") expect(Math.max(...questions)).toBeLessThanOrEqual(1_000);
    for (const { channel, thread } of turns) {
      const told = slack.messages(channel).flatMap(({ threadTs, stream, blocks }) => {
        if (threadTs !== thread) return [];
        const streamed = stream?.parts.map((part) => (part.kind === "text" ? part.text : ""));
        return streamed ?? blocks.map((block) => String(block["text"]));
      });
      expect(told.join("")).toBe(text);
    }
  },
);
