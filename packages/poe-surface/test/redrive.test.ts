import { createPoeId, type PoeQuery } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";

/** The events of a response behind its spinner, as `name text`. */
function contents(query: PoeQuery): string[] {
  return query.frames.flatMap((frame) => {
    if (!("event" in frame) || !("text" in frame.data)) return [];
    return frame.data.text.startsWith("~") ? [] : [`${frame.event} ${frame.data.text}`];
  });
}

test("a redrive while the turn runs: one prompt, the text so far as one replace, then live; the older response is cut", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("Hello");
  prompt.say(" there");
  await first.waitFor((one) => one.body() === "Hello there");
  const again = rig.ask("hi", { messageId: "m1" });
  await again.waitFor((one) => one.body() === "Hello there");
  const { how } = await first.done;
  expect(how).toBe("cut");
  expect(first.body()).toBe("Hello there");
  prompt.say(", you");
  prompt.end();
  expect(await finished(again)).toBe("Hello there, you");
  expect(contents(again)).toEqual(["replace_response Hello there", "text , you"]);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("of three redrives in a row the newest is the reader", async () => {
  await using rig = await Rig.open();
  const ask = () => rig.ask("hi", { messageId: "m1" });
  const queries = [ask(), ask(), ask(), ask()];
  const prompt = await rig.agent.prompted(1);
  prompt.say("Hello");
  await queries[3]?.waitFor((one) => one.body() === "Hello");
  prompt.end();
  const ends = await Promise.all(queries.map(({ done }) => done));
  expect(ends.map(({ how }) => how)).toEqual(["cut", "cut", "cut", "done"]);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a message that was cut before any output and comes again in time attaches", async () => {
  await using rig = await Rig.open({
    limits: { graceBeforeOutputMs: 5_000, graceAfterOutputMs: 0 },
  });
  const first = rig.ask("hi", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  await rig.lose(first);
  prompt.say("Hello");
  const again = rig.ask("hi", { messageId: "m1" });
  await again.waitFor((one) => one.body() === "Hello");
  prompt.end();
  expect(await finished(again)).toBe("Hello");
  expect(rig.agent.prompts).toHaveLength(1);
  expect(prompt.isCancelled).toBe(false);
});

test("a message that was cut within its text and comes again in time attaches, and shows all of it", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one ");
  await first.waitFor((one) => one.body() === "one ");
  await rig.lose(first);
  const again = rig.ask("hi", { messageId: "m1" });
  prompt.say("two");
  prompt.end();
  expect(await finished(again)).toBe("one two");
});

test("a message that was answered and comes again with a fresh request id is prompted anew", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one");
  prompt.end();
  expect(await finished(first)).toBe("one");
  const again = rig.ask("hi", { messageId: "m1", requestId: "r2" });
  const second = await rig.agent.prompted(2);
  second.say("two");
  second.end();
  expect(await finished(again)).toBe("two");
});

test("a message that was answered and comes again with the same request id is shown again", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one");
  prompt.end();
  await finished(first);
  expect(await rig.answer("hi", { messageId: "m1", requestId: "r1" })).toBe("one");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a message that was stopped and comes again is prompted anew", async () => {
  await using rig = await Rig.open({ limits: { graceAfterOutputMs: 0 } });
  const first = rig.ask("hi", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one");
  await first.waitFor((one) => one.body() === "one");
  await rig.lose(first);
  await prompt.result;
  await rig.event(({ kind }) => kind === "turn-end");
  const again = rig.ask("hi", { messageId: "m1" });
  const second = await rig.agent.prompted(2);
  second.say("two");
  second.end();
  expect(await finished(again)).toBe("two");
});

test("a message of a parked turn that is asked anew takes the place of its first run", async () => {
  await using rig = await Rig.open({ limits: { parkTextCharacters: 5 } });
  const first = rig.ask("hi", { messageId: "m1", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("12345");
  await first.waitFor((one) => one.body() === "12345");
  prompt.say("6");
  await finished(first);
  const again = rig.ask("hi", { messageId: "m1", requestId: "r2" });
  const second = await rig.agent.prompted(2);
  expect(prompt.isCancelled).toBe(true);
  second.say("new");
  second.end();
  expect(await finished(again)).toBe("new");
});

test("a redrive of a message that showed an earlier turn's rest shows that rest again", async () => {
  await using rig = await Rig.open({ limits: { parkTextCharacters: 12 } });
  const parked = rig.ask("long", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("123456789");
  await parked.waitFor((one) => one.body() === "123456789");
  prompt.say("rest of it");
  await finished(parked);
  prompt.end();
  await rig.event(({ kind }) => kind === "turn-end");
  await using wide = await rig.surfaceWith({});
  const next = wide.ask("next", { messageId: "m2" });
  const second = await rig.agent.prompted(2);
  second.say("second");
  const whole = "(notice) You have not seen this yet:\n\nrest of it\n\n---\n\nsecond";
  await next.waitFor((one) => one.body() === whole);
  await rig.lose(next);
  const again = wide.ask("next", { messageId: "m2" });
  second.end();
  expect(await finished(again)).toBe(whole);
});

test("a message without an id is never taken for an earlier one", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.end();
  await finished(first);
  const again = rig.ask("hi", { messageId: "", requestId: "r1" });
  (await rig.agent.prompted(2)).end();
  await finished(again);
});

test("somebody else who names a message that is being answered cuts nothing off, and gets nothing of it", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("Hello");
  await first.waitFor((one) => one.body() === "Hello");
  const other = await rig.answer("hi", { messageId: "m1", userId: createPoeId("u") });
  expect(other).toContain("Only the person whose message that is");
  prompt.say(", you");
  prompt.end();
  expect(await finished(first)).toBe("Hello, you");
  expect(rig.agent.prompts).toHaveLength(1);
});
