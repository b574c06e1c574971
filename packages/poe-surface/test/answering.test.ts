import { describe, expect, test } from "vitest";
import { finished, Rig } from "./rig.ts";

test("a message is answered: meta, a first frame, text as it comes, done last and once", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  expect(prompt.text).toBe("hi");
  prompt.say("Hello");
  await query.waitFor((one) => one.body() === "Hello");
  prompt.say(" world");
  await query.waitFor((one) => one.body() === "Hello world");
  prompt.end();
  expect(await finished(query)).toBe("Hello world");
  const events = query.frames.flatMap((frame) => ("event" in frame ? [frame.event] : []));
  expect(events[0]).toBe("meta");
  expect(events.at(-1)).toBe("done");
  expect(events.filter((event) => event === "done")).toHaveLength(1);
  expect(events).toContain("text");
});

test("the spinner follows the turn: waiting, thinking, the plan as it moves", async () => {
  await using rig = await Rig.open({ limits: { spinnerMs: 20, silenceMs: 20 } });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  await query.waitFor((one) => one.body() === "~waiting~");
  prompt.think("hm");
  await query.waitFor((one) => one.body() === "<hm>\n\n~thinking~");
  const plan = (status: string) =>
    prompt.update({
      sessionUpdate: "plan",
      entries: [{ content: "build", status, priority: "high" }],
    });
  plan("pending");
  await query.waitFor((one) => one.body().endsWith("pending build"));
  plan("completed");
  await query.waitFor((one) => one.body().endsWith("completed build"));
  prompt.say("Done.");
  prompt.end();
  expect(await finished(query)).toBe("<hm>Done.");
});

test("behind a long answer silence is a quiet mark, and no mark is left at the end", async () => {
  await using rig = await Rig.open({
    limits: { shortBodyCharacters: 10, silenceMs: 20, markMs: 50, spinnerMs: 5 },
  });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  prompt.say("a long answer");
  await query.waitFor((one) => one.body() === "a long answer\n\n~writing~\n~writing~");
  const before = query.frames.length;
  prompt.say("!");
  await query.waitFor((one) => one.body() === "a long answer!");
  expect(query.frames.slice(before)).toEqual([
    { event: "replace_response", data: { text: "a long answer" } },
    { event: "text", data: { text: "!" } },
  ]);
  prompt.end();
  expect(await finished(query)).toBe("a long answer!");
});

test("a stall is said and taken back; nothing is cancelled", async () => {
  await using rig = await Rig.open({ limits: { stallMs: 100, spinnerMs: 20 } });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  await query.waitFor((one) => one.body().includes("No sign of life"));
  prompt.say("Here I am.");
  prompt.end();
  expect(await finished(query)).toBe("Here I am.");
  expect(prompt.isCancelled).toBe(false);
});

test("a connection with nothing to say is kept open by comments", async () => {
  await using rig = await Rig.open({ limits: { keepAliveMs: 20, spinnerMs: 60_000 } });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  await query.waitFor(({ frames }) => frames.filter((frame) => "comment" in frame).length > 3);
  prompt.say("x");
  prompt.end();
  expect(await finished(query)).toBe("x");
});

test("chunks that come quickly go out together, the first one at once", async () => {
  await using rig = await Rig.open({ limits: { flushPeriodMs: 200 } });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  for (let at = 0; at < 200; at += 1) {
    prompt.say(`${at} `);
    await new Promise(setImmediate);
  }
  prompt.end();
  const body = await finished(query);
  expect(body).toMatch(/^0 1 2 .* 199 $/);
  const texts = query.frames.filter((frame) => "event" in frame && frame.event === "text");
  expect(texts.length).toBeLessThan(60);
});

test("a turn without a word says so", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  (await rig.agent.prompted(1)).end();
  expect(await finished(query)).toContain("without a word");
});

test("a failure is visible text and done; the next message works", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  prompt.say("I am");
  prompt.fail(new Error("the provider's secret is sk-123"));
  const body = await finished(query);
  expect(body).toMatch(/^I am\(failed\)/);
  expect(JSON.stringify(query.frames)).not.toContain("sk-123");
  const next = rig.ask("again");
  const second = await rig.agent.prompted(2);
  second.say("fine");
  second.end();
  expect(await finished(next)).toBe("fine");
});

describe("a message that comes while another is answered", () => {
  test("says what it waits for, becomes live, and repeats nothing of the other", async () => {
    await using rig = await Rig.open();
    const first = rig.ask("fix the *login* test");
    const prompt = await rig.agent.prompted(1);
    const second = rig.ask("and then?");
    await second.waitFor((one) => one.body().includes("Queued behind: *fix the login test*"));
    prompt.say("Fixed.");
    prompt.end();
    expect(await finished(first)).toBe("Fixed.");
    const own = await rig.agent.prompted(2);
    own.say("Then this.");
    await second.waitFor((one) => one.body() === "Then this.");
    own.end();
    expect(await finished(second)).toBe("Then this.");
  });

  test("in another conversation does not wait", async () => {
    await using rig = await Rig.open();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    const other = rig.poe.query({ text: "hi too" });
    const beside = await rig.agent.prompted(2);
    beside.say("here");
    beside.end();
    expect(await finished(other)).toBe("here");
    prompt.say("there");
    prompt.end();
    expect(await finished(first)).toBe("there");
  });

  test("is refused when too many wait already", async () => {
    await using rig = await Rig.open();
    const first = rig.ask("hi");
    const prompt = await rig.agent.prompted(1);
    const waiting = Array.from({ length: 32 }, (_, at) => rig.ask(`${at}`));
    await Promise.all(waiting.map((one) => one.waitFor(({ body }) => body().includes("Queued"))));
    const refused = rig.ask("one more");
    expect(await finished(refused)).toContain("Too many messages wait");
    await Promise.all(waiting.map((one) => one.close()));
    prompt.say("x");
    prompt.end();
    await finished(first);
  });
});

test("at the end of the relay open responses end visibly, and may be sent again", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  prompt.say("Half of");
  await query.waitFor((one) => one.body() === "Half of");
  const waiting = rig.ask("next");
  await waiting.waitFor((one) => one.body().includes("Queued"));
  await rig.surface.drain(AbortSignal.abort());
  const again = rig.ask("later");
  for (const one of [query, waiting, again]) {
    expect(await finished(one)).toContain("The bot is restarting");
    expect(one.frames).toContainEqual(
      expect.objectContaining({
        event: "error",
        data: expect.objectContaining({ allow_retry: true }),
      }),
    );
  }
  expect(query.body()).toMatch(/^Half of\n\n/);
});

test("until the relay's time is up, open responses go on and new messages are refused", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  const seal = new AbortController();
  const drained = rig.surface.drain(seal.signal);
  expect(await rig.answer("later")).toContain("The bot is restarting");
  prompt.say("All of it");
  prompt.end();
  expect(await finished(query)).toBe("All of it");
  await drained;
});

test("a log that no longer has what was not delivered says so, and goes on", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("hi", { messageId: "m1", requestId: "r1" });
  const prompt = await rig.agent.prompted(1);
  prompt.say("one");
  prompt.end();
  await finished(first);
  rig.store.forget(3);
  const body = await rig.answer("hi", { messageId: "m1", requestId: "r1" });
  expect(body).toContain("no longer kept");
  expect(body).toContain("one");
});
