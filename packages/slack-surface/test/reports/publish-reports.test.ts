import { describe, expect, test } from "vitest";
import type { TaskCard } from "../../src/index.ts";
import { NativeStreamPublisher, PostEditPublisher, StreamSlots } from "../../src/index.ts";
import { startThread } from "../publish/publish-rig.ts";

const published = { kind: "published" };

/** A thread, and each way to publish in it. */
async function start(channel: string, recipient = { user: "U0ANA", team: "T0ACME" }) {
  const rig = await startThread(channel);
  const slots = new StreamSlots(rig.queue);
  const streams = () => new NativeStreamPublisher({ ...rig.shared, slots, recipient });
  const posts = () => new PostEditPublisher(rig.shared);
  const refused = () => rig.slack.calls.filter(({ outcome }) => outcome !== "ok");
  return { ...rig, streams, posts, refused };
}

describe("an answer is told once", () => {
  test("when its stream has ended, its edit is too long and the answer to its post is lost", async () => {
    const rig = await start("D0ANA");
    using publisher = rig.streams();
    publisher.write({ text: "one " });
    await rig.move(2_000);
    const { slack } = rig;
    slack.fail("chat.appendStream", { kind: "error", error: "message_not_in_streaming_state" });
    slack.fail("chat.startStream", { kind: "error", error: "channel_type_not_supported" });
    slack.fail("chat.postMessage", { kind: "lose-answer" });
    slack.fail("chat.update", { kind: "error", error: "msg_too_long" });
    publisher.write({ text: "one two " });
    await rig.move(2_000);
    expect(await rig.wait(publisher.finish("one two three"))).toEqual(published);
    expect(rig.bodies().join("")).toBe("one two three");
  });

  test("when the end of its stream is refused for its length", async () => {
    const rig = await start("D0ANA");
    using publisher = rig.streams();
    rig.slack.fail("chat.stopStream", { kind: "error", error: "msg_too_long" }, 2);
    const text = Array.from({ length: 1_500 }, (_, at) => `line ${at}\n`).join("");
    expect(await rig.wait(publisher.finish(text))).toEqual(published);
    expect(rig.bodies().join("")).toBe(text);
    expect(rig.messages().every(({ stream }) => stream?.state === "completed")).toBe(true);
  });

  test("when the platform limits its last call for a minute", async () => {
    for (const way of ["streams", "posts"] as const) {
      const rig = await start("D0ANA");
      using publisher = rig[way]();
      publisher.write({ text: "one " });
      await rig.move(2_000);
      for (const method of ["chat.update", "chat.appendStream", "chat.stopStream"]) {
        rig.slack.fail(method, { kind: "rate-limit", retryAfterS: 60 });
      }
      expect(await rig.wait(publisher.finish("one two"))).toEqual(published);
      expect(rig.bodies()).toEqual(["one two"]);
      expect(rig.messages().some(({ stream }) => stream?.state === "in_progress")).toBe(false);
    }
  });
});

test("a text is the same by streams and by posts", async () => {
  const code = Array.from({ length: 900 }, (_, at) => `  call(${at}); // <b>&amp;\n`).join("");
  const text = `# Title\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n\`\`\`ts\n${code}\`\`\`\n\n- [ ] one\n  - two\n`;
  const told: string[][] = [];
  for (const way of ["streams", "posts"] as const) {
    const rig = await start("D0ANA");
    using publisher = rig[way]();
    expect(await rig.wait(publisher.finish(text))).toEqual(published);
    const bodies = rig.bodies();
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) expect((body.match(/^```/gm) ?? []).length % 2).toBe(0);
    told.push(
      bodies.flatMap((body) => body.split("\n").filter((line) => !/^(?:```.*)?$/.test(line))),
    );
  }
  expect(told[0]).toHaveLength(906);
  expect(told[0]).toEqual(told[1]);
});

test("the longest cards beside the longest text are not refused", async () => {
  const rig = await start("D0ANA");
  using publisher = rig.streams();
  const cards: TaskCard[] = Array.from({ length: 60 }, (_, at) => ({
    id: `t${at}`,
    title: `${at} ${"y".repeat(400)}`,
    status: "complete",
  }));
  const text = Array.from({ length: 1_200 }, (_, at) => `line ${at} of it\n`).join("");
  for (let shown = 10; shown <= 60; shown += 10) {
    publisher.write({ text: text.slice(0, shown * 300), cards: cards.slice(0, shown) });
    await rig.move(3_000);
  }
  expect(await rig.wait(publisher.finish(text))).toEqual(published);
  expect(rig.bodies().join("")).toBe(text);
  const parts = rig.messages().flatMap(({ stream }) => stream?.parts ?? []);
  expect(parts.filter(({ kind }) => kind === "task")).toHaveLength(60);
  expect(rig.refused()).toEqual([]);
});

test("a stream in a shared channel names its reader with the reader's own team", async () => {
  const rig = await start("C0SHARED", { user: "U0PARTNER", team: "T0PARTNER" });
  using publisher = rig.streams();
  expect(await rig.wait(publisher.finish("All of it."))).toEqual(published);
  const [begun] = rig.slack.calls.filter(({ method }) => method === "chat.startStream");
  expect(begun?.args).toMatchObject({
    recipient_user_id: "U0PARTNER",
    recipient_team_id: "T0PARTNER",
  });
  expect(rig.refused()).toEqual([]);
});

test("an edit that is slow never lands on what came after it", async () => {
  const rig = await start("C0SHOP");
  using publisher = rig.posts();
  publisher.write({ text: "", tail: "thinking…" });
  await rig.move(2_000);
  const gate = Promise.withResolvers<void>();
  rig.slack.fail("chat.update", { kind: "hold", until: gate.promise });
  publisher.write({ text: "", tail: "still thinking…" });
  // What was sent before an answer to this has arrived before it.
  const arrived = () => rig.call("auth.test", {});
  await arrived();
  rig.clock.advance(2_000);
  const done = publisher.finish("The answer.");
  await arrived();
  rig.clock.advance(2_000);
  await arrived();
  gate.resolve();
  expect(await rig.wait(done)).toEqual(published);
  expect(rig.bodies()).toEqual(["The answer."]);
  expect(rig.slack.person("U0ANA").see("C0SHOP")).not.toContain("thinking");
  // One after the other: nothing had to be mended.
  expect(rig.methods()).toEqual(["chat.postMessage", "chat.update", "chat.update"]);
});

test("a message that cannot be deleted is not posted again and again", async () => {
  const rig = await start("C0SHOP");
  using publisher = rig.posts();
  publisher.write({ text: "", tail: "thinking…" });
  await rig.move(2_000);
  rig.slack.fail("chat.delete", { kind: "error", error: "cant_delete_message" }, 100);
  await rig.wait(publisher.finish(""));
  expect(rig.messages()).toHaveLength(1);
  using next = rig.posts();
  expect(await rig.wait(next.finish("The next answer."))).toEqual(published);
  expect(rig.messages()).toHaveLength(2);
});
