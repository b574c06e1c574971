import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TaskCard } from "../../src/publish/cards.ts";
import type { FindEmphasis } from "../../src/publish/emphasis.ts";
import {
  type NativeStreamOptions,
  NativeStreamPublisher,
  type StreamOutcome,
} from "../../src/publish/native-stream.ts";
import type { PublishedState } from "../../src/publish/publication.ts";
import { StreamSlots } from "../../src/publish/stream-slots.ts";
import { startThread } from "./publish-rig.ts";

const channel = "D0ANA";
/** Of random scenarios. */
const RUNS = process.env["ACP_KIT_SOAK"] ? 3_000 : 100;

async function start(more: Pick<NativeStreamOptions, "findEmphasis"> = {}) {
  const rig = await startThread(channel);
  const refusals: string[] = [];
  const slots = new StreamSlots(rig.queue);
  const publisher = (state?: PublishedState) =>
    new NativeStreamPublisher({
      ...rig.shared,
      ...more,
      slots,
      recipient: { user: "U0ANA", team: "T0ACME" },
      onRefused: (error) => refusals.push(error),
      ...(state && { state }),
    });
  return { ...rig, slots, publisher, refusals };
}

const published: StreamOutcome = { kind: "published" };

test("a text that is there at once is one stream of three calls", async () => {
  const rig = await start();
  expect(await rig.wait(rig.publisher().finish("All of it."))).toEqual(published);
  expect(rig.bodies()).toEqual(["All of it."]);
  expect(rig.methods()).toEqual(["chat.startStream", "chat.appendStream", "chat.stopStream"]);
  expect(rig.messages()[0]?.stream?.state).toBe("completed");
  expect(rig.slack.session(channel, rig.thread)?.status).toBe("active");
});

test("2,000 chunks of 33,000 characters in 11 s take at most 30 calls, and nothing is lost", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  const words = Array.from({ length: 2_000 }, (_, at) => `${String(at).padStart(15, "w")}\n`);
  for (let sent = 0; sent < words.length; ) {
    sent += 18;
    publisher.write({ text: words.slice(0, sent).join("") });
    await rig.move(100);
  }
  expect(await rig.wait(publisher.finish(words.join("")))).toEqual(published);
  expect(rig.bodies().join("")).toBe(words.join(""));
  expect(rig.messages().every(({ stream }) => stream?.state === "completed")).toBe(true);
  expect(rig.methods().length).toBeLessThanOrEqual(30);
});

test("a stream has at most 11,000 characters, however many come at once, and the text goes on in the next", async () => {
  const rig = await start();
  const text = "Twenty of them here.\n".repeat(1_500);
  expect(await rig.wait(rig.publisher().finish(text))).toEqual(published);
  expect(rig.bodies().join("")).toBe(text);
  expect(rig.bodies()).toHaveLength(3);
  for (const body of rig.bodies()) expect(body.length).toBeLessThanOrEqual(11_000);
  expect(rig.slack.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("a stream ends after 4 minutes, and the text goes on in the next, fences closed and opened again", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  let text = "```js\n";
  for (let line = 0; line < 60; line += 1) {
    text += `line ${line}\n`;
    publisher.write({ text });
    await rig.move(5_000, 1_000);
  }
  expect(await rig.wait(publisher.finish(`${text}\`\`\`\n`))).toEqual(published);
  const bodies = rig.bodies();
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body).toMatch(/^```js\n/);
    expect(body.trimEnd()).toMatch(/\n```$/);
  }
  expect(bodies.join("").match(/line \d+/g)).toHaveLength(60);
  expect(rig.messages().every(({ stream }) => stream?.state === "completed")).toBe(true);
});

test("300 silent minutes of one tool are at most 3 messages, and no call while nothing comes", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "I run the tests.\n" });
  await rig.move(70_000, 1_000);
  const calls = rig.slack.calls.length;
  expect(rig.messages()[0]?.stream?.state).toBe("completed");
  await rig.move(300 * 60_000, 60_000);
  expect(rig.slack.calls).toHaveLength(calls);
  expect(await rig.wait(publisher.finish("I run the tests.\nThey pass."))).toEqual(published);
  expect(rig.bodies()).toEqual(["I run the tests.\n", "They pass."]);
});

test("a line that may become a fence is held back", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "Look:\n``" });
  await rig.move(2_000);
  expect(rig.bodies()).toEqual(["Look:\n"]);
  expect(await rig.wait(publisher.finish("Look:\n```\nx\n```"))).toEqual(published);
  expect(rig.bodies()).toEqual(["Look:\n```\nx\n```"]);
});

describe("marks of which the partner has not come", () => {
  /** Bold alone, which has ended behind a letter. */
  const findEmphasis: FindEmphasis = (markdown) =>
    Array.from(markdown.matchAll(/\*\*[^*]*(\*\*(?=.))?/gs), ({ 0: found, 1: end, index }) => ({
      from: index,
      to: end === undefined ? undefined : index + found.length,
      mark: "**",
    }));

  test("are held back with what is behind them, until the text is at rest", async () => {
    const rig = await start({ findEmphasis });
    const publisher = rig.publisher();
    publisher.write({ text: "Not **for" });
    await rig.move(2_000);
    expect(rig.bodies()).toEqual(["Not "]);
    publisher.write({ text: "Not **for", isResting: true });
    await rig.move(2_000);
    expect(rig.bodies()).toEqual(["Not **for"]);
  });

  test("are told after a minute in which nothing came", async () => {
    const rig = await start({ findEmphasis });
    rig.publisher().write({ text: "Not **for" });
    await rig.move(59_000, 1_000);
    expect(rig.bodies()).toEqual(["Not "]);
    await rig.move(3_000, 1_000);
    expect(rig.bodies()).toEqual(["Not **for"]);
  });

  test("begin the next stream where the platform has ended one", async () => {
    const rig = await start({ findEmphasis });
    const publisher = rig.publisher();
    publisher.write({ text: "Not **for" });
    await rig.move(2_000);
    rig.slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
    expect(await rig.wait(publisher.finish("Not **for ever**."))).toEqual(published);
    expect(rig.bodies()).toEqual(["Not ", "**for ever**."]);
  });

  test("are held back no longer than 2,000 characters", async () => {
    const rig = await start({ findEmphasis });
    const text = `Not **${"x ".repeat(1_000)}`;
    const publisher = rig.publisher();
    publisher.write({ text });
    await rig.move(2_000);
    expect(rig.bodies()).toEqual([text]);
  });

  test("are no reason for a shutdown to tell them", async () => {
    const rig = await start({ findEmphasis });
    const publisher = rig.publisher();
    publisher.write({ text: "Not **for" });
    await rig.move(2_000);
    publisher.rest();
    await rig.move(2_000);
    expect(rig.bodies()).toEqual(["Not "]);
    expect(rig.messages()[0]?.stream?.state).toBe("completed");
  });
});

test("a table is told by whole rows, as a part of one would be none", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "See | here |" });
  await rig.move(2_000);
  expect(rig.bodies()).toEqual([]);
  const head = "See | here |\n--- | ---\n";
  publisher.write({ text: `${head}1 | 2\n3 |` });
  await rig.move(2_000);
  expect(rig.bodies()).toEqual([`${head}1 | 2\n`]);
  rig.slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
  expect(await rig.wait(publisher.finish(`${head}1 | 2\n3 | 4\n`))).toEqual(published);
  expect(rig.bodies()).toEqual([`${head}1 | 2\n`, `${head}3 | 4\n`]);
});

test("a stream ends in no number of an item alone, and the next begins with the item's number where it goes on with it", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "Do:\n1. " });
  await rig.move(2_000);
  expect(rig.bodies()).toEqual(["Do:\n"]);
  publisher.write({ text: "Do:\n1. one\n2. tw" });
  await rig.move(2_000);
  rig.slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
  expect(await rig.wait(publisher.finish("Do:\n1. one\n2. two\n3. three"))).toEqual(published);
  expect(rig.bodies()).toEqual(["Do:\n1. one\n2. tw", "2. o\n3. three"]);
});

test("what is left of a text in blank lines makes no message", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "one" });
  await rig.move(2_000);
  rig.slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
  expect(await rig.wait(publisher.finish("one\n\n"))).toEqual(published);
  expect(rig.bodies()).toEqual(["one"]);
});

test("Stop ends it, and nothing more is said", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "one " });
  await rig.move(2_000);
  rig.slack.person("U0ANA").stop(channel, rig.thread);
  publisher.write({ text: "one two " });
  await rig.move(2_000);
  expect(await rig.wait(publisher.finish("one two three"))).toEqual({ kind: "stopped" });
  expect(rig.bodies()).toEqual(["one "]);
});

test("a text that comes in many pieces at once starts one stream, and is told once", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  for (const text of ["B", "BB", "BBB", "BBBB", "BBBBc"]) publisher.write({ text });
  expect(await rig.wait(publisher.finish("BBBBc"))).toEqual(published);
  expect(rig.methods().filter((method) => method === "chat.startStream")).toHaveLength(1);
  expect(rig.bodies()).toEqual(["BBBBc"]);
});

describe("posts take over", () => {
  test.each(["missing_recipient_team_id", "channel_type_not_supported", "team_access_not_granted"])(
    "where a stream is refused with %s, which is told",
    async (error) => {
      const rig = await start();
      rig.slack.fail("chat.startStream", { kind: "error", error });
      expect(await rig.wait(rig.publisher().finish("All of it."))).toEqual(published);
      expect(rig.bodies()).toEqual(["All of it."]);
      expect(rig.refusals).toEqual([error]);
      expect(rig.messages()[0]?.stream).toBeUndefined();
    },
  );

  test("where no more streams may start this minute, and streams come back after it", async () => {
    const rig = await start();
    const taken = Array.from({ length: 18 }, () => rig.slots.take());
    expect(taken.every((slot) => slot !== undefined)).toBe(true);
    expect(await rig.wait(rig.publisher().finish("posted"))).toEqual(published);
    expect(rig.methods()).toEqual(["chat.postMessage"]);
    for (const slot of taken) slot?.[Symbol.dispose]();
    expect(rig.slots.take()).toBeDefined();
  });

  test.each([
    ["soon", 1, ["chat.startStream", "chat.startStream", "chat.appendStream", "chat.stopStream"]],
    ["late", 30, ["chat.startStream", "chat.postMessage"]],
  ])(
    "where Slack has had too many starts, if it takes one only %s",
    async (_, retryAfterS, methods) => {
      const rig = await start();
      rig.slack.fail("chat.startStream", { kind: "rate-limit", retryAfterS });
      const before = rig.clock.now();
      expect(await rig.wait(rig.publisher().finish("whole"))).toEqual(published);
      expect(rig.bodies()).toEqual(["whole"]);
      expect(rig.methods()).toEqual(methods);
      expect(rig.clock.now() - before).toBeLessThan(5_000);
      expect(rig.refusals).toEqual([]);
    },
  );

  test("where it is not known what a stream shows: it is gone, and told again", async () => {
    for (const kind of ["lose-answer", "break"] as const) {
      const rig = await start();
      rig.slack.fail("chat.appendStream", { kind });
      expect(await rig.wait(rig.publisher().finish("once"))).toEqual(published);
      expect(rig.bodies()).toEqual(["once"]);
    }
  });

  test("where it is not known whether a stream has started: no empty one stays", async () => {
    const rig = await start();
    rig.slack.fail("chat.startStream", { kind: "lose-answer" });
    expect(await rig.wait(rig.publisher().finish("once"))).toEqual(published);
    expect(rig.bodies()).toEqual(["once"]);
    expect(rig.messages()[0]?.stream).toBeUndefined();
  });

  test("from where the streams ended", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "streamed\n" });
    await rig.move(2_000);
    rig.slack.fail("chat.appendStream", { kind: "error", error: "streaming_mode_mismatch" });
    expect(await rig.wait(publisher.finish("streamed\nposted"))).toEqual(published);
    expect(rig.bodies()).toEqual(["streamed\n", "posted"]);
  });
});

test("a stream that the platform has ended loses nothing, and nothing is told twice", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "one " });
  await rig.move(2_000);
  rig.slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
  expect(await rig.wait(publisher.finish("one two"))).toEqual(published);
  expect(rig.bodies()).toEqual(["one ", "two"]);
});

describe("a tool call", () => {
  const card = (id: string, status: TaskCard["status"], title = `tool ${id}`): TaskCard => ({
    id,
    title,
    status,
  });

  test("is a card that changes in its place", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "I look. ", cards: [card("a", "in_progress")] });
    await rig.move(2_000);
    expect(rig.slack.person("U0ANA").see(channel)).toContain("    ⏳ tool a");
    publisher.write({ text: "I look. ", cards: [card("a", "complete")] });
    expect(await rig.wait(publisher.finish("I look. Done."))).toEqual(published);
    expect(rig.slack.person("U0ANA").see(channel)).toBe(
      ["ana: <@U0BOT> go", "  agent: I look.", "    ✅ tool a", "    Done."].join("\n"),
    );
  });

  test("starts a stream of its own, before any text", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "", cards: [card("a", "in_progress")] });
    await rig.move(2_000);
    expect(rig.slack.person("U0ANA").see(channel)).toContain("⏳ tool a");
  });

  test("that runs on is not called failed where a stream ends, and its card comes back in the next", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    const cards = [card("a", "complete"), card("b", "in_progress")];
    publisher.write({ text: "one\n", cards });
    await rig.move(70_000, 1_000);
    const statuses = () =>
      rig
        .messages()
        .map(({ stream }) =>
          stream?.parts.flatMap((part) => (part.kind === "task" ? [part.task.status] : [])),
        );
    expect(statuses()).toEqual([["complete", "pending"]]);
    publisher.write({ text: "one\ntwo\n", cards });
    await rig.move(2_000);
    expect(statuses()).toEqual([["complete", "pending"], ["in_progress"]]);
    expect(await rig.wait(publisher.finish("one\ntwo\n"))).toEqual(published);
    expect(rig.bodies()).toEqual(["one\n", "two\n"]);
  });

  test("of a hundred does not fill a stream: another goes on after 45 blocks", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    let text = "";
    const cards: TaskCard[] = [];
    for (let each = 0; each < 100; each += 1) {
      text += `step ${each}\n`;
      cards.push(card(`t${each}`, "complete"));
      publisher.write({ text, cards: [...cards] });
      await rig.move(1_500, 500);
    }
    expect(await rig.wait(publisher.finish(text))).toEqual(published);
    expect(rig.bodies().join("")).toBe(text);
    const shown = rig.messages().flatMap(({ stream }) => stream?.parts ?? []);
    expect(shown.filter(({ kind }) => kind === "task")).toHaveLength(100);
    expect(rig.slack.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  });

  test("with a title of any length is shown", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({
      text: "x",
      cards: [card("a", "complete", "y".repeat(300)), card("b", "complete", "")],
    });
    expect(await rig.wait(publisher.finish("x"))).toEqual(published);
    expect(rig.slack.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  });

  test("of which nothing is known is shown again", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "x" });
    await rig.move(2_000);
    rig.slack.fail("chat.appendStream", { kind: "lose-answer" });
    publisher.write({ text: "x", cards: [card("a", "complete")] });
    await rig.move(3_000);
    expect(await rig.wait(publisher.finish("x"))).toEqual(published);
    expect(rig.bodies()).toEqual(["x"]);
    expect(rig.slack.person("U0ANA").see(channel)).toContain("✅ tool a");
  });
});

test("another process goes on with the stream that it finds", async () => {
  const rig = await start();
  const first = rig.publisher();
  first.write({ text: "one " });
  await rig.move(2_000);
  first[Symbol.dispose]();
  expect(await rig.wait(rig.publisher(rig.states.at(-1)).finish("one two"))).toEqual(published);
  expect(rig.bodies()).toEqual(["one two"]);
});

/** Tools that come and end while words come. */
function cardsAt(words: number): readonly TaskCard[] {
  return Array.from({ length: Math.ceil(words / 40) }, (_, at) => ({
    id: `t${at}`,
    title: `tool ${at}`,
    status: words >= at * 40 + 30 ? ("complete" as const) : ("in_progress" as const),
  }));
}

const fault = fc.constantFrom(
  { kind: "break" as const },
  { kind: "lose-answer" as const },
  { kind: "rate-limit" as const, retryAfterS: 3 },
  { kind: "rate-limit" as const, retryAfterS: 3, status: 200 as const },
  { kind: "false-error" as const, error: "internal_error" },
  { kind: "error" as const, error: "msg_too_long" },
  { kind: "error" as const, error: "streaming_mode_mismatch" },
);

test("a stream that ends before its first word does not stay", async () => {
  const rig = await start();
  using publisher = rig.publisher();
  const error = "message_not_in_streaming_state";
  rig.slack.fail("chat.appendStream", { kind: "error", error });
  expect(await rig.wait(publisher.finish("All of it."))).toEqual(published);
  expect(rig.bodies()).toEqual(["All of it."]);
  expect(rig.messages()).toHaveLength(1);
});

test("another process tells again what a stream may not show, and takes that stream away", async () => {
  const rig = await start();
  using first = rig.publisher();
  first.write({ text: "one " });
  await rig.move(2_000);
  first.write({ text: "one two " });
  await rig.move(2_000);
  // As it is kept before each call: how that one ended, a process that is killed does not learn.
  const kept = rig.states.findLast(({ stream }) => stream?.isDoubtful);
  expect(kept).toBeDefined();
  first[Symbol.dispose]();
  using next = rig.publisher(kept);
  expect(await rig.wait(next.finish("one two three"))).toEqual(published);
  expect(rig.bodies()).toEqual(["one two three"]);
});

test("whatever fails and whenever another process takes over, each word is read once and in its order", async () => {
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("words" as const), count: fc.nat(400) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("fence" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("fault" as const), fault }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("take-over" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("standstill" as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("time" as const), ms: fc.nat(90_000) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const rig = await start();
      let publisher = rig.publisher();
      let [text, words, isFenced] = ["", 0, false];
      for (const each of events) {
        switch (each.kind) {
          case "words":
            for (let count = 0; count < each.count; count += 1) {
              words += 1;
              text += `w${words}${words % 7 === 0 ? "\n" : " "}${words % 50 === 0 ? "\n" : ""}`;
            }
            publisher.write({ text, tail: "writing…", cards: cardsAt(words) });
            break;
          case "fence":
            isFenced = !isFenced;
            text += isFenced ? "\n```js\n" : "\n```\n";
            break;
          case "fault": {
            const isOfStreams = each.fault.kind === "error" && each.fault.error !== "msg_too_long";
            rig.slack.fail(isOfStreams ? "chat.appendStream" : "*", each.fault);
            break;
          }
          case "take-over":
            publisher[Symbol.dispose]();
            publisher = rig.publisher(rig.states.at(-1));
            break;
          case "standstill":
            // Longer than a stream lives.
            rig.clock.advance(301_000);
            break;
          case "time":
            await rig.move(each.ms, each.ms > 5_000 ? 1_000 : 100);
        }
      }
      rig.slack.heal();
      expect(await rig.wait(publisher.finish(text))).toEqual(published);
      expect(rig.bodies().join(" ").match(/w\d+/g) ?? []).toEqual(
        Array.from({ length: words }, (_, at) => `w${at + 1}`),
      );
      expect(rig.messages().filter(({ stream }) => stream?.state === "in_progress")).toEqual([]);
      expect(rig.slack.person("U0ANA").see(channel)).not.toContain("writing…");
    }),
    { numRuns: RUNS },
  );
}, 240_000);
