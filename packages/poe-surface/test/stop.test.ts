import { createPoeId, type GatedPrompt, type PoeQuery } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";

/** A message whose answer has begun. */
async function begun(rig: Rig, text = "hi"): Promise<{ query: PoeQuery; prompt: GatedPrompt }> {
  const query = rig.ask(text, { messageId: `m-${text}` });
  const prompt = await rig.agent.prompted(rig.agent.prompts.length + 1);
  prompt.say("one");
  await query.waitFor((one) => one.body() === "one");
  return { query, prompt };
}

const isEnd = ({ kind }: { kind: string }) => kind === "turn-end";
const SOON = 50;
const LATE = 60_000;

describe("a client that is gone", () => {
  test("after output: the turn is stopped when the short grace is over", async () => {
    await using rig = await Rig.open({
      limits: { graceAfterOutputMs: SOON, graceBeforeOutputMs: LATE },
    });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    await prompt.result;
    expect(await rig.event(isEnd)).toMatchObject({ outcome: { kind: "cancelled", cause: "user" } });
  });

  test("that only watched the turn of another person stops nothing, though it be an operator's", async () => {
    const boss = createPoeId("u");
    await using rig = await Rig.open({
      limits: { parkAfterMs: 200, graceAfterOutputMs: SOON, graceBeforeOutputMs: SOON },
      access: [
        { users: [boss], role: "operator" },
        { users: ["*"], role: "user" },
      ],
    });
    const { query, prompt } = await begun(rig);
    await finished(query);
    await using wide = await rig.surfaceWith({ graceAfterOutputMs: SOON });
    const watches = wide.ask(".", { userId: boss });
    prompt.say(" two");
    await watches.waitFor((one) => one.body() === " two");
    await rig.lose(watches);
    await wide.surface.drain(new AbortController().signal);
    expect(prompt.isCancelled).toBe(false);
    prompt.say(" three");
    prompt.end();
    expect(await rig.event(isEnd)).toMatchObject({ outcome: { kind: "completed" } });
  });

  test("before any output: the turn is stopped when the long grace is over", async () => {
    await using rig = await Rig.open({
      limits: { graceAfterOutputMs: LATE, graceBeforeOutputMs: SOON },
    });
    const query = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    await rig.lose(query);
    await prompt.result;
    expect(prompt.isCancelled).toBe(true);
  });

  test("has seen nothing when only the spinner was sent: the long grace holds", async () => {
    await using rig = await Rig.open({
      limits: { graceAfterOutputMs: 0, graceBeforeOutputMs: LATE },
    });
    const query = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    await query.waitFor((one) => one.body().startsWith("~"));
    await rig.lose(query);
    prompt.say("late");
    prompt.end();
    expect(await rig.event(isEnd)).toMatchObject({ outcome: { kind: "completed" } });
  });

  test("near the platform's own limit: the turn runs on, and its rest comes with the next message", async () => {
    await using rig = await Rig.open({
      limits: { graceAfterOutputMs: 0, graceBeforeOutputMs: 0, platformLimitMs: 0 },
    });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    prompt.say(" two");
    prompt.end();
    expect(await rig.event(isEnd)).toMatchObject({ outcome: { kind: "completed" } });
    expect(await rig.answer(".")).toBe(" two");
  });

  test("after done: nothing follows", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: 0, graceBeforeOutputMs: 0 } });
    const { query, prompt } = await begun(rig);
    prompt.end();
    await finished(query);
    await query.close();
    const next = rig.ask("next");
    const second = await rig.agent.prompted(2);
    second.say("fine");
    second.end();
    expect(await finished(next)).toBe("fine");
    expect((await rig.events()).filter(isEnd)).toMatchObject([
      { outcome: { kind: "completed" } },
      { outcome: { kind: "completed" } },
    ]);
  });

  test("of a message that waits: only that message is dropped", async () => {
    await using rig = await Rig.open({ limits: { graceBeforeOutputMs: SOON } });
    const { query, prompt } = await begun(rig);
    const waiting = rig.ask("next");
    await waiting.waitFor((one) => one.body().includes("Queued behind: *hi*"));
    await rig.lose(waiting);
    const dropped = await rig.event(isEnd);
    expect(dropped).toMatchObject({ outcome: { kind: "cancelled", cause: "user" } });
    prompt.end();
    expect(await finished(query)).toBe("one");
    expect(rig.agent.prompts).toHaveLength(1);
  });
});

describe("inside a running grace", () => {
  test("a new message is Stop: it ends the grace at once, and nothing is replayed", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: LATE } });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    prompt.say(" more that nobody wants");
    const next = rig.ask("no, do it differently");
    const second = await rig.agent.prompted(2);
    expect(prompt.isCancelled).toBe(true);
    second.say("differently");
    second.end();
    expect(await finished(next)).toBe("differently");
  });

  test("what was said after a Stop is not shown by any later message either", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: SOON } });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    prompt.say(" unwanted");
    await rig.event(isEnd);
    const next = rig.ask("next");
    const second = await rig.agent.prompted(2);
    second.say("second");
    second.end();
    expect(await finished(next)).toBe("second");
    expect(await rig.answer(".")).toContain("You have seen everything");
  });

  test("a dot is no Stop: it shows the rest", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: LATE } });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    prompt.say(" two");
    const rest = rig.ask(".");
    await rest.waitFor((one) => one.body() === " two");
    prompt.end();
    expect(await finished(rest)).toBe(" two");
    expect(prompt.isCancelled).toBe(false);
  });

  test("somebody else's message is no Stop", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: LATE } });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    const other = rig.ask("and me?", { userId: "u-bob" });
    await other.waitFor((one) => one.body().includes("Queued behind: *hi*"));
    prompt.say(" two");
    prompt.end();
    const second = await rig.agent.prompted(2);
    second.say("you too");
    second.end();
    expect(await finished(other)).toBe(
      "(notice) You have not seen this yet:\n\n two\n\n---\n\nyou too",
    );
    expect(prompt.isCancelled).toBe(false);
  });

  test("a turn that ends by itself is delivered by the next message, once", async () => {
    await using rig = await Rig.open({ limits: { graceAfterOutputMs: LATE } });
    const { query, prompt } = await begun(rig);
    await rig.lose(query);
    prompt.say(" two");
    prompt.end();
    await rig.event(isEnd);
    const next = rig.ask("next");
    const second = await rig.agent.prompted(2);
    second.say("second");
    second.end();
    expect(await finished(next)).toBe(
      "(notice) You have not seen this yet:\n\n two\n\n---\n\nsecond",
    );
    const third = rig.ask("third");
    const last = await rig.agent.prompted(3);
    last.say("third");
    last.end();
    expect(await finished(third)).toBe("third");
  });
});

describe("!stop", () => {
  test("ends the running turn, from wherever it is sent", async () => {
    await using rig = await Rig.open();
    const { query, prompt } = await begun(rig);
    expect(await rig.answer("!stop")).toBe("(notice) Stopped.");
    expect(prompt.isCancelled).toBe(true);
    expect(await finished(query)).toBe("one(cancelled)");
  });

  test("lets the message that waits behind run", async () => {
    await using rig = await Rig.open();
    const { prompt } = await begun(rig);
    const waiting = rig.ask("next");
    await waiting.waitFor((one) => one.body().includes("Queued behind"));
    expect(await rig.answer("!stop")).toBe("(notice) Stopped.");
    expect(prompt.isCancelled).toBe(true);
    const second = await rig.agent.prompted(2);
    second.say("second");
    second.end();
    expect(await finished(waiting)).toBe("second");
  });

  test("of a turn that was parked does not replay its rest", async () => {
    await using rig = await Rig.open({ limits: { parkTextCharacters: 3 } });
    const { query, prompt } = await begun(rig);
    prompt.say(" more");
    await finished(query);
    await using wide = await rig.surfaceWith({});
    expect(await wide.answer("!stop")).toBe("(notice) Stopped.");
    expect(await wide.answer(".")).toContain("You have seen everything");
  });

  test("says so when nothing runs", async () => {
    await using rig = await Rig.open();
    expect(await rig.answer("!stop")).toBe("(notice) Nothing is running.");
    expect(rig.agent.prompts).toEqual([]);
  });

  test("is refused to a person whose turn it is not", async () => {
    await using rig = await Rig.open();
    const { query, prompt } = await begun(rig);
    expect(await rig.answer("!stop", { userId: "u-bob" })).toContain("Only the person");
    prompt.end();
    expect(await finished(query)).toBe("one");
  });

  test("works for an operator", async () => {
    await using rig = await Rig.open({
      access: [
        { users: ["u-op"], role: "operator" },
        { users: ["*"], role: "user" },
      ],
    });
    const { prompt } = await begun(rig);
    expect(await rig.answer("!stop", { userId: "u-op" })).toBe("(notice) Stopped.");
    expect(prompt.isCancelled).toBe(true);
  });
});
