import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PostEditPublisher, type PublishOutcome } from "../../src/publish/post-edit.ts";
import type { PublishedState } from "../../src/publish/publication.ts";
import { startThread } from "./publish-rig.ts";

const channel = "C0SHOP";
/** Of random scenarios. */
const RUNS = process.env["ACP_KIT_SOAK"] ? 3_000 : 100;

async function start() {
  const rig = await startThread(channel);
  const publisher = (state?: PublishedState) =>
    new PostEditPublisher({ ...rig.shared, ...(state && { state }) });
  return { ...rig, publisher };
}

const published: PublishOutcome = { kind: "published" };
test("a text that is there at once is one post", async () => {
  const rig = await start();
  expect(await rig.wait(rig.publisher().finish("All of it."))).toEqual(published);
  expect(rig.bodies()).toEqual(["All of it."]);
  expect(rig.methods()).toEqual(["chat.postMessage"]);
  expect(rig.slack.messages(channel).at(-1)?.text).toBe("All of it.");
});

test("a text that grows is one message, edited at most once in 1.2 s", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "", tail: "thinking…" });
  await rig.move(100);
  expect(rig.slack.person("U0BOB").see(channel)).toContain("agent: thinking…");
  for (let each = 1; each <= 60; each += 1) {
    publisher.write({ text: "word ".repeat(each), tail: "writing…" });
    await rig.move(100);
  }
  expect(await rig.wait(publisher.finish("word ".repeat(61)))).toEqual(published);
  expect(rig.bodies()).toEqual(["word ".repeat(61)]);
  expect(rig.slack.person("U0BOB").see(channel)).not.toContain("writing…");
  expect(rig.methods().length).toBeLessThanOrEqual(8);
});

test("a placeholder without any text is gone at the end", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "", tail: "thinking…" });
  await rig.move(100);
  expect(await rig.wait(publisher.finish(""))).toEqual(published);
  expect(rig.bodies()).toEqual([]);
});

test("2,000 chunks of 33,000 characters in 11 s take at most 16 calls, and nothing is lost", async () => {
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
  expect(rig.bodies().length).toBe(3);
  expect(rig.methods().length).toBeLessThanOrEqual(16);
});

test("the end does not wait until an edit would have its turn", async () => {
  const rig = await start();
  const publisher = rig.publisher();
  publisher.write({ text: "a" });
  await rig.move(300);
  expect(rig.bodies()).toEqual(["a"]);
  const before = rig.clock.now();
  expect(await rig.wait(publisher.finish("ab"))).toEqual(published);
  expect(rig.bodies()).toEqual(["ab"]);
  expect(rig.clock.now() - before).toBeLessThan(600);
});

test("the end does not wait for a step towards something older", async () => {
  const rig = await start();
  for (let each = 0; each < 40; each += 1) {
    void rig.queue.run({
      method: "chat.postMessage",
      channel,
      priority: "text",
      args: () => ({ channel, text: `noise ${each}` }),
    });
  }
  const publisher = rig.publisher();
  publisher.write({ text: "older" });
  const before = rig.clock.now();
  expect(await rig.wait(publisher.finish("newer"))).toEqual(published);
  expect(rig.bodies()).toEqual(["newer"]);
  expect(rig.clock.now() - before).toBeLessThan(3_000);
});

describe("an outcome that is unknown", () => {
  test("of a post is looked up, and nothing is posted twice", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "lose-answer" });
    expect(await rig.wait(rig.publisher().finish("once"))).toEqual(published);
    expect(rig.bodies()).toEqual(["once"]);
  });

  test("of a post is not decided by what another app has posted with the same mark", async () => {
    const rig = await start();
    rig.slack.sayAsBot("C0SHOP", "a copy", {
      ...{ botId: "B0TOOL", appId: "A0TOOL", user: "U0BOB", thread: rig.thread },
      metadata: { event_type: "acp_kit_part", event_payload: { id: "turn-1.0" } },
    });
    rig.slack.fail("chat.postMessage", { kind: "break" });
    expect(await rig.wait(rig.publisher().finish("once"))).toEqual(published);
    expect(rig.bodies()).toEqual(["once"]);
    expect(rig.methods()).toEqual(["chat.postMessage"]);
  });

  test("of a post that did not happen ends in a post", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "break" });
    rig.slack.fail("conversations.replies", { kind: "error", error: "internal_error" });
    expect(await rig.wait(rig.publisher().finish("once"))).toEqual(published);
    expect(rig.bodies()).toEqual(["once"]);
  });

  test("of an edit is an edit again", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "a" });
    await rig.move(2_000);
    rig.slack.fail("chat.update", { kind: "break" });
    rig.slack.fail("chat.update", { kind: "false-error", error: "internal_error" });
    expect(await rig.wait(publisher.finish("ab"))).toEqual(published);
    expect(rig.bodies()).toEqual(["ab"]);
  });

  test("that never becomes known is said to be that", async () => {
    const rig = await start();
    rig.slack.fail("*", { kind: "break" }, 1_000);
    expect(await rig.wait(rig.publisher().finish("x"))).toEqual({
      kind: "undeliverable",
      error: "no_answer",
    });
  });
});

describe("a refusal", () => {
  test("of an edit for ever leads to a new message with what is not seen", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "```js\none\n" });
    await rig.move(2_000);
    rig.slack.fail("chat.update", { kind: "error", error: "edit_window_closed" });
    expect(await rig.wait(publisher.finish("```js\none\ntwo\n```\n"))).toEqual(published);
    expect(rig.bodies()).toEqual(["```js\none\n```", "```js\ntwo\n```\n"]);
  });

  test("of an edit for ever leaves nothing that should vanish", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "one ", tail: "writing…" });
    await rig.move(2_000);
    rig.slack.fail("chat.update", { kind: "error", error: "edit_window_closed" });
    expect(await rig.wait(publisher.finish("one two"))).toEqual(published);
    expect(rig.slack.person("U0ANA").see(channel)).toBe("ana: <@U0BOT> go\n  agent: one two");
  });

  test("of all edits leads to one more message with the rest, however long it grows", async () => {
    const rig = await start();
    rig.slack.fail("chat.update", { kind: "error", error: "cant_update_message" }, 1_000);
    const publisher = rig.publisher();
    for (let each = 1; each <= 60; each += 1) {
      publisher.write({ text: "word ".repeat(each) });
      await rig.move(1_000);
    }
    expect(await rig.wait(publisher.finish("word ".repeat(61)))).toEqual(published);
    expect(rig.bodies().join("")).toBe("word ".repeat(61));
    expect(rig.bodies().length).toBeLessThanOrEqual(3);
  });

  test("for its length leads to smaller messages", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "error", error: "msg_too_long" });
    const text = Array.from({ length: 1_000 }, (_, at) => `line ${at}\n`).join("");
    expect(await rig.wait(rig.publisher().finish(text))).toEqual(published);
    expect(rig.bodies().length).toBe(2);
    expect(rig.bodies().join("")).toBe(text);
  });

  test("of the form leads to plain text", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "error", error: "invalid_blocks" });
    expect(await rig.wait(rig.publisher().finish("a < b & <c>"))).toEqual(published);
    expect(rig.bodies()).toEqual(["a &lt; b &amp; &lt;c&gt;"]);
  });

  test("of the form leads to the older markup, where one message has room for it", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "error", error: "invalid_blocks" });
    const mrkdwn = (markdown: string) => markdown.replaceAll("**", "*").split("---");
    const publish = (marker: string, text: string) =>
      rig.wait(new PostEditPublisher({ ...rig.shared, marker, mrkdwn }).finish(text));
    expect(await publish("one", "**a** & b")).toEqual(published);
    rig.slack.fail("chat.postMessage", { kind: "error", error: "invalid_blocks" });
    expect(await publish("two", "**a**---<b>")).toEqual(published);
    expect(rig.bodies()).toEqual(["*a* & b", "**a**---&lt;b&gt;"]);
  });

  test("of a post by a word that nobody knows leads to plain text, and is handed on when that is refused", async () => {
    const rig = await start();
    rig.slack.fail("chat.postMessage", { kind: "error", error: "a_new_word" });
    const publish = (marker: string, text: string) =>
      rig.wait(new PostEditPublisher({ ...rig.shared, marker }).finish(text));
    expect(await publish("one", "a < b")).toEqual(published);
    expect(rig.bodies()).toEqual(["a &lt; b"]);
    rig.slack.fail("chat.postMessage", { kind: "error", error: "a_new_word" }, 2);
    expect(await publish("two", "x")).toEqual({
      kind: "undeliverable",
      error: "a_new_word",
    });
  });

  test("of an edit by a word that nobody knows leads to a new message with what is not seen", async () => {
    const rig = await start();
    const publisher = rig.publisher();
    publisher.write({ text: "First. ", tail: "thinking" });
    await rig.move(1_500);
    rig.slack.fail("chat.update", { kind: "error", error: "a_new_word" }, 1_000);
    expect(await rig.wait(publisher.finish("First. Second."))).toEqual(published);
    expect(rig.bodies().join("")).toContain("Second.");
  });

  test.each(["not_in_channel", "is_archived", "token_revoked"])(
    "with %s is handed on",
    async (error) => {
      const rig = await start();
      rig.slack.fail("chat.postMessage", { kind: "error", error });
      expect(await rig.wait(rig.publisher().finish("x"))).toEqual({ kind: "undeliverable", error });
    },
  );
});

test("another process goes on where the state says, also after a post of which it does not know", async () => {
  const rig = await start();
  const first = rig.publisher();
  const gate = Promise.withResolvers<void>();
  rig.slack.fail("chat.postMessage", { kind: "hold", until: gate.promise });
  first.write({ text: "one " });
  await new Promise(setImmediate);
  first[Symbol.dispose]();
  gate.resolve();
  await rig.move(1_000);
  const state = rig.states.at(-1);
  expect(state).toEqual({ sealed: [], posting: 0 });
  expect(await rig.wait(rig.publisher(state).finish("one two"))).toEqual(published);
  expect(rig.bodies()).toEqual(["one two"]);
});

const fault = fc.oneof(
  fc.constant({ kind: "break" as const }),
  fc.constant({ kind: "lose-answer" as const }),
  fc.constant({ kind: "rate-limit" as const, retryAfterS: 3 }),
  fc.constant({ kind: "rate-limit" as const, retryAfterS: 3, status: 200 as const }),
  fc.constant({ kind: "false-error" as const, error: "internal_error" }),
  fc.constant({ kind: "error" as const, error: "msg_too_long" }),
  fc.constant({ kind: "error" as const, error: "edit_window_closed" }),
);

test("whatever fails and whenever another process takes over, each word is read once and in its order", async () => {
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("words" as const), count: fc.nat(400) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("fence" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("fault" as const), fault }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("take-over" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("time" as const), ms: fc.nat(3_000) }) },
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
            publisher.write({ text, tail: "writing…" });
            break;
          case "fence":
            isFenced = !isFenced;
            text += isFenced ? "\n```js\n" : "\n```\n";
            break;
          case "fault": {
            // A post has no window in which it may be edited.
            const isOfEdits = each.fault.kind === "error" && each.fault.error.startsWith("edit");
            rig.slack.fail(isOfEdits ? "chat.update" : "*", each.fault);
            break;
          }
          case "take-over":
            publisher[Symbol.dispose]();
            publisher = rig.publisher(rig.states.at(-1));
            break;
          case "time":
            await rig.move(each.ms);
        }
      }
      rig.slack.heal();
      expect(await rig.wait(publisher.finish(text))).toEqual(published);
      const bodies = rig.bodies();
      expect(bodies.join(" ").match(/w\d+/g) ?? []).toEqual(
        Array.from({ length: words }, (_, at) => `w${at + 1}`),
      );
      for (const body of bodies) {
        expect([...body].length).toBeLessThanOrEqual(11_500);
        const fences = (body.match(/^```/gm) ?? []).length;
        // The last one ends as the text does.
        if (body !== bodies.at(-1)) expect(fences % 2).toBe(0);
      }
      expect(rig.slack.person("U0ANA").see(channel)).not.toContain("writing…");
    }),
    { numRuns: RUNS },
  );
}, 120_000);
