import { describe, expect, test } from "vitest";
import type { ResponseLimits } from "../src/index.ts";
import { finished, Rig } from "./rig.ts";

const STILL = "(notice) Still working. Send `.` any time to see the rest.";
const MORE = "(notice) There is more. Send `.` to see the rest.";
const UNSEEN = "(notice) You have not seen this yet:";
const isEnd = ({ kind }: { kind: string }) => kind === "turn-end";

/** A turn whose response ended before it, and whose client saw only "one". */
async function parked(limits: Partial<ResponseLimits> = {}) {
  const rig = await Rig.open({ limits: { parkAfterMs: 800, ...limits } });
  const query = rig.ask("long", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one");
  await query.waitFor((one) => one.body() === "one");
  return { rig, query, prompt };
}

test("a response ends before the platform's time is up, says so, and its turn runs on", async () => {
  const { rig, query, prompt } = await parked();
  await using _ = rig;
  expect(await finished(query)).toBe(`one\n\n${STILL}`);
  expect(prompt.isCancelled).toBe(false);
  await using wide = await rig.surfaceWith({});
  const rest = wide.ask(".");
  prompt.say(" two");
  await rest.waitFor((one) => one.body() === " two");
  prompt.say(" three");
  prompt.end();
  expect(await finished(rest)).toBe(" two three");
});

test("the next message begins with what was not delivered, once", async () => {
  const { rig, query, prompt } = await parked();
  await using _ = rig;
  await finished(query);
  prompt.say(" two");
  prompt.end();
  await rig.event(isEnd);
  await using wide = await rig.surfaceWith({});
  const next = wide.ask("next");
  const second = await rig.agent.prompted(2);
  second.say("second");
  second.end();
  expect(await finished(next)).toBe(`${UNSEEN}\n\n two\n\n---\n\nsecond`);
  expect(await wide.answer(".")).toContain("You have seen everything");
});

test("a message that comes while the parked turn runs shows the rest of it live, then its own answer", async () => {
  const { rig, query, prompt } = await parked();
  await using _ = rig;
  await finished(query);
  await using wide = await rig.surfaceWith({});
  const next = wide.ask("next");
  prompt.say(" two");
  await next.waitFor((one) => one.body() === `${UNSEEN}\n\n two`);
  prompt.say(" three");
  await next.waitFor((one) => one.body() === `${UNSEEN}\n\n two three`);
  prompt.end();
  const second = await rig.agent.prompted(2);
  second.say("second");
  second.end();
  expect(await finished(next)).toBe(`${UNSEEN}\n\n two three\n\n---\n\nsecond`);
});

test("a redrive of a response that was parked shows the turn from its start, and goes on", async () => {
  const { rig, query, prompt } = await parked();
  await using _ = rig;
  await finished(query);
  prompt.say(" two");
  await using wide = await rig.surfaceWith({});
  const again = wide.ask("long", { messageId: "m1", requestId: query.ids.requestId });
  await again.waitFor((one) => one.body() === "one two");
  prompt.end();
  expect(await finished(again)).toBe("one two");
  expect(rig.agent.prompts).toHaveLength(1);
});

describe("what a response leaves open where it ends", () => {
  /** A response that was parked behind this text, and the next one, in which the agent says the rest. */
  async function inTwo(said: string, rest: string, next: string) {
    const { rig, query, prompt } = await parked();
    await using _ = rig;
    prompt.say(said);
    const first = await finished(query);
    prompt.say(rest);
    await using wide = await rig.surfaceWith({});
    const second = wide.ask(next);
    await second.waitFor((one) => one.body().includes(rest));
    prompt.end();
    if (next === ".") return [first, await finished(second)];
    const own = await rig.agent.prompted(2);
    own.end();
    return [first, await finished(second)];
  }

  test("is closed in front of the last line, and open again in the next one", async () => {
    expect(await inTwo("{{a", "b}}", ".")).toEqual([`one{{a}}\n\n${STILL}`, "{{b}}"]);
  });

  test("is open again too where the next message is one of its own", async () => {
    expect(await inTwo("{{a", "b}}", "go on")).toEqual([
      `one{{a}}\n\n${STILL}`,
      `${UNSEEN}\n\n{{b}}`,
    ]);
  });

  test("is nothing that the response to the same message begins with", async () => {
    const { rig, query, prompt } = await parked();
    await using _ = rig;
    prompt.say("{{a");
    await finished(query);
    await using wide = await rig.surfaceWith({});
    const again = wide.ask("long", { messageId: "m1", requestId: query.ids.requestId });
    prompt.say("b}}");
    prompt.end();
    expect(await finished(again)).toBe("one{{ab}}");
  });

  test("is closed where the relay ends, and in front of what the tail says", async () => {
    await using rig = await Rig.open({ limits: { spinnerMs: 20, silenceMs: 20 } });
    const query = rig.ask("long");
    const prompt = await rig.agent.prompted(1);
    prompt.say("{{a");
    await query.waitFor((one) => one.body() === "{{a}}\n\n~writing~");
    await rig.surface.drain(AbortSignal.abort());
    expect((await query.done).how).toBe("done");
    expect(query.body()).toMatch(/^{{a}}\n\n\(error\) The bot is restarting/);
    prompt.end();
  });
});

test("a dot while the answer is shown elsewhere is told so", async () => {
  const { rig, query, prompt } = await parked({ parkAfterMs: 60_000 });
  await using _ = rig;
  expect(await rig.answer(".")).toBe("(notice) It is being answered in the message above.");
  prompt.end();
  await finished(query);
});

describe("what the platform does not take any more", () => {
  test("of text: the response ends within the limit, and the next one begins exactly there", async () => {
    await using rig = await Rig.open({ limits: { parkTextCharacters: 1_000 } });
    const query = rig.ask("long", { messageId: "m1" });
    const prompt = await rig.agent.prompted(1);
    const pieces = Array.from({ length: 300 }, (_, at) => `${at}.`);
    // Each in a tick of its own, so that each is an event of its own.
    for (const piece of pieces) {
      prompt.say(piece);
      await new Promise(setImmediate);
    }
    prompt.end();
    let body = await finished(query);
    let whole = "";
    while (body.endsWith(MORE)) {
      const part = body.slice(0, -`\n\n${MORE}`.length);
      expect(part.length).toBeLessThanOrEqual(1_000);
      expect(part.length).toBeGreaterThan(990);
      whole += part;
      body = await rig.answer(".");
    }
    expect(whole + body).toBe(pieces.join(""));
    expect(rig.agent.prompts).toHaveLength(1);
  });

  test("of events: the response ends within the limit", async () => {
    await using rig = await Rig.open({ limits: { parkEvents: 20 } });
    const query = rig.ask("long");
    const prompt = await rig.agent.prompted(1);
    for (let at = 0; at < 30; at += 1) {
      prompt.say(`${at} `);
      await new Promise(setImmediate);
    }
    const body = await finished(query);
    expect(body).toContain(MORE);
    expect(query.frames.filter((frame) => "event" in frame).length).toBeLessThanOrEqual(25);
    prompt.end();
    await rig.event(isEnd);
    expect(await rig.answer(".")).not.toContain(" 0 ");
  });

  test("one event that is larger than a whole response is shown all the same", async () => {
    await using rig = await Rig.open({ limits: { parkTextCharacters: 100 } });
    const query = rig.ask("long");
    const prompt = await rig.agent.prompted(1);
    prompt.say("x".repeat(500));
    await query.waitFor((one) => one.body().startsWith("xxx"));
    expect(await finished(query)).toBe(`${"x".repeat(500)}\n\n${MORE}`);
    prompt.end();
  });
});
