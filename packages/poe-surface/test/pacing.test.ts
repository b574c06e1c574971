import { describe, expect, test } from "vitest";
import { finished, Rig, within } from "./rig.ts";
import { Stage } from "./stage.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const EVERY_MS = 1_000 / 33;

describe("2,000 chunks of 20 bytes without a blank line, 33 a second", () => {
  test.each([0, 1, 1_499, 2_999])(
    "need at most 54 frames of text, and arrive as they were, %d ms behind the grid",
    async (offset) => {
      await using stage = await Stage.open(NOON + offset);
      const chunks = Array.from({ length: 2_000 }, (_, at) => `${at}`.padStart(19, "ab cdef "));
      for (const [at, chunk] of chunks.entries()) {
        await stage.passTo(NOON + offset + at * EVERY_MS);
        await stage.add({ kind: "text", text: `${chunk} ` });
      }
      await stage.finish();
      expect(stage.reader.violations).toEqual([]);
      expect(stage.reader.body()).toBe(chunks.map((chunk) => `${chunk} `).join(""));
      expect(stage.texts("text").length).toBeLessThanOrEqual(54);
      expect(stage.texts("replace_response").length).toBeLessThanOrEqual(2);
    },
  );
});

test("an answer of 5,000 characters without a space is never more than 3 s behind", async () => {
  await using stage = await Stage.open(NOON);
  const answer = "漢字仮名交".repeat(1_000);
  for (let at = 0; at < 1_000; at += 1) {
    await stage.passTo(NOON + at * 20);
    await stage.add({ kind: "text", text: answer.slice(5 * at, 5 * at + 5) });
  }
  await stage.finish();
  expect(stage.reader.body()).toBe(answer);
  const longest = Math.max(...stage.texts("text").map((text) => text.length));
  expect(longest).toBeLessThanOrEqual((5 * 3_000) / 20);
});

test("the first chunk is on the wire within 5 ms, although all others are paced", async () => {
  await using rig = await Rig.open({ limits: { flushPeriodMs: 3_000 } });
  const times: number[] = [];
  for (let turn = 1; turn <= 10; turn += 1) {
    const query = rig.ask("go");
    const prompt = await rig.agent.prompted(turn);
    await query.waitFor((one) => one.firstContentMs !== undefined);
    const start = performance.now();
    prompt.say("first");
    await query.waitFor((one) => one.body() === "first");
    times.push(performance.now() - start);
    prompt.end();
    await finished(query);
  }
  // The machine has other things to do: the best of ten tells whether anything waits.
  expect(Math.min(...times)).toBeLessThan(5);
});

test("what comes in one read of the agent goes out in one frame, and the end with it", async () => {
  await using rig = await Rig.open({ limits: { flushPeriodMs: 60_000 } });
  const query = rig.ask("go");
  const prompt = await rig.agent.prompted(1);
  await query.waitFor((one) => one.firstContentMs !== undefined);
  for (let at = 0; at < 200; at += 1) prompt.say(`${at} `);
  prompt.end();
  const body = await within(5_000, finished(query), () => query.body());
  expect(body).toBe(Array.from({ length: 200 }, (_, at) => `${at} `).join(""));
  const texts = query.frames.filter((frame) => "event" in frame && frame.event === "text");
  expect(texts.length).toBeLessThanOrEqual(2);
});
