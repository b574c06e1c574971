import { DEFAULT_OPTIONS } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { EMPTY_STATE, formatDeliveryState } from "../src/delivery-state.ts";
import { finished, Rig } from "./rig.ts";

const QUICK_GRACE = { graceBeforeOutputMs: 300, graceAfterOutputMs: 300 };
/** Longer than a test takes. */
const LONG_GRACE = { graceBeforeOutputMs: 60_000, graceAfterOutputMs: 60_000 };

describe("at another process, a redrive", () => {
  test("of a message whose client is gone attaches, and the grace there cancels nothing", async () => {
    await using rig = await Rig.open({ limits: QUICK_GRACE });
    await using there = await rig.elsewhere();
    const first = rig.ask("hi", { messageId: "m1" });
    const prompt = await rig.agent.prompted(1);
    prompt.say("one ");
    await first.waitFor((one) => one.body() === "one ");
    await rig.lose(first);
    const again = there.ask("hi", { messageId: "m1" });
    await again.waitFor((one) => one.body() === "one ");
    await rig.logged("come back to another process");
    prompt.say("two");
    prompt.end();
    expect(await finished(again)).toBe("one two");
    expect(prompt.isCancelled).toBe(false);
    expect(rig.agent.prompts).toHaveLength(1);
  });

  test("of a message that is still shown takes over: the older response is cut", async () => {
    await using rig = await Rig.open();
    await using there = await rig.elsewhere();
    const first = rig.ask("hi", { messageId: "m1" });
    const prompt = await rig.agent.prompted(1);
    prompt.say("one ");
    await first.waitFor((one) => one.body() === "one ");
    const again = there.ask("hi", { messageId: "m1" });
    expect((await first.done).how).toBe("cut");
    prompt.say("two");
    prompt.end();
    expect(await finished(again)).toBe("one two");
    expect(rig.agent.prompts).toHaveLength(1);
  });

  test("of a message that waits takes its place in the queue, and the grace there cancels nothing", async () => {
    await using rig = await Rig.open({ limits: QUICK_GRACE });
    await using there = await rig.elsewhere();
    const first = rig.ask("one", { messageId: "m1" });
    const prompt = await rig.agent.prompted(1);
    prompt.say("1");
    await first.waitFor((one) => one.body() === "1");
    const waiting = rig.ask("two", { messageId: "m2" });
    await waiting.waitFor((one) => one.body().includes("Queued behind: *one*"));
    await rig.lose(waiting);
    const again = there.ask("two", { messageId: "m2" });
    await again.waitFor((one) => one.body().includes("Queued behind: *one*"));
    await rig.logged("come back to another process");
    prompt.end();
    expect(await finished(first)).toBe("1");
    const second = await rig.agent.prompted(2);
    second.say("2");
    second.end();
    expect(await finished(again)).toBe("2");
  });

  test("of a message that was answered here begins where its first response began", async () => {
    await using rig = await Rig.open({ limits: LONG_GRACE });
    await using there = await rig.elsewhere();
    const parked = rig.ask("ask", { messageId: "m1" });
    const prompt = await rig.agent.prompted(1);
    void prompt.ask("ls");
    await finished(parked);
    const first = rig.ask("no, wait", { messageId: "m2" });
    prompt.say("so be it. ");
    prompt.end();
    const second = await rig.agent.prompted(2);
    second.say("waiting");
    await first.waitFor((one) => one.body().includes("waiting"));
    const shown = first.body();
    expect(shown).toContain("so be it.");
    await rig.lose(first);
    const again = there.ask("no, wait", { messageId: "m2" });
    await again.waitFor((one) => one.body().includes("waiting"));
    second.end();
    expect(await finished(again)).toBe(shown);
  });
});

describe("at another process, a new message", () => {
  test("within the grace is Stop: nothing is replayed", async () => {
    await using rig = await Rig.open({ limits: LONG_GRACE });
    await using there = await rig.elsewhere();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    prompt.say("one");
    await first.waitFor((one) => one.body() === "one");
    await rig.lose(first);
    prompt.say(" unwanted");
    const next = there.ask("next");
    await rig.event(({ kind }) => kind === "turn-end");
    expect(prompt.isCancelled).toBe(true);
    const second = await rig.agent.prompted(2);
    second.say("two");
    second.end();
    expect(await finished(next)).toBe("two");
  });

  test("while another answer is shown waits, and shows its own alone", async () => {
    await using rig = await Rig.open();
    await using there = await rig.elsewhere();
    const first = rig.ask("first one");
    const prompt = await rig.agent.prompted(1);
    prompt.say("one");
    await first.waitFor((one) => one.body() === "one");
    const next = there.ask("next");
    await next.waitFor((one) => one.body().includes("Queued behind: *first one*"));
    prompt.say(" more");
    prompt.end();
    expect(await finished(first)).toBe("one more");
    const second = await rig.agent.prompted(2);
    second.say("two");
    second.end();
    expect(await finished(next)).toBe("two");
  });

  test("is answered though the process that showed the answer before it has died", async () => {
    await using rig = await Rig.open();
    const { turn } = await rig.router.submit(rig.key, {
      kind: "prompt",
      key: "m0",
      user: "u",
      query: [{ role: "user", content: "hi", messageId: "m0", attachments: [] }],
      options: DEFAULT_OPTIONS,
      repeat: "rerun-once-delivered",
      at: Date.now(),
    });
    const prompt = await rig.agent.prompted(1);
    const mark = { id: "r0", nth: 1, surface: "dead", key: "m0", user: "u", label: "hi" };
    const reader = { ...mark, until: turn, phase: "reads" } as const;
    const state = formatDeliveryState({ ...EMPTY_STATE, reader });
    await rig.router.log(rig.key).confirm("poe", 0, { seq: 0, state });
    const next = rig.ask("next");
    await next.waitFor((one) => one.body().includes("Queued behind: *hi*"));
    prompt.say("one");
    prompt.end();
    const second = await rig.agent.prompted(2);
    second.say("two");
    second.end();
    expect(await finished(next)).toMatch(/one[\s\S]*two$/);
  });
});

describe("at another process", () => {
  test("!stop ends the turn, and replays nothing", async () => {
    await using rig = await Rig.open();
    await using there = await rig.elsewhere();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    prompt.say("one");
    await first.waitFor((one) => one.body() === "one");
    expect(await there.answer("!stop")).toBe("(notice) Stopped.");
    expect(prompt.isCancelled).toBe(true);
    expect(await finished(first)).toMatch(/^one/);
  });

  test("a message that only wants to see more is told that it is shown above", async () => {
    await using rig = await Rig.open();
    await using there = await rig.elsewhere();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    prompt.say("one");
    await first.waitFor((one) => one.body() === "one");
    expect(await there.answer(".")).toBe("(notice) It is being answered in the message above.");
    prompt.end();
    expect(await finished(first)).toBe("one");
  });

  test("a message that wants to see more takes over from one whose client is gone", async () => {
    await using rig = await Rig.open({ limits: QUICK_GRACE });
    await using there = await rig.elsewhere();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    prompt.say("one ");
    await first.waitFor((one) => one.body() === "one ");
    await rig.lose(first);
    const more = there.ask(".");
    prompt.say("two ");
    await more.waitFor((one) => one.body().includes("two"));
    await rig.logged("come back to another process");
    prompt.say("three");
    prompt.end();
    expect(await finished(more)).toMatch(/two three$/);
    expect(prompt.isCancelled).toBe(false);
  });

  test("an answer reaches the question that was shown here", async () => {
    await using rig = await Rig.open();
    await using there = await rig.elsewhere();
    const asking = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    const outcome = prompt.ask("ls");
    expect(await finished(asking)).toContain("ls");
    const answer = there.ask("1");
    expect(await outcome).toMatchObject({ outcome: "selected", optionId: "once" });
    prompt.say("listed");
    prompt.end();
    expect(await finished(answer)).toContain("listed");
  });
});
