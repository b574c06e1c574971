import type { WebClient } from "@slack/web-api";
import { describe, expect, test } from "vitest";
import { letters, outcomeOf, startSlack } from "./rig.ts";

const channel = "D0ANA";
const text = (said: string) => ({ type: "markdown_text", text: said }) as const;

async function startStream(options: Parameters<typeof startSlack>[0] = {}) {
  const rig = await startSlack({ rates: false, ...options });
  const thread_ts = rig.slack.person("U0ANA").say(channel, "hello");
  const { ts = "" } = await rig.client.chat.startStream({ channel, thread_ts });
  const append = (...chunks: readonly Record<string, unknown>[]) =>
    outcomeOf(rig.client.apiCall("chat.appendStream", { channel, ts, chunks }));
  const stop = (args: Record<string, unknown> = {}) =>
    outcomeOf(rig.client.apiCall("chat.stopStream", { channel, ts, ...args }));
  const read = () => rig.slack.messages(channel).find((each) => each.ts === ts);
  return { ...rig, thread_ts, ts, append, stop, read };
}

test("what is appended is one message, in its order", async () => {
  const { append, stop, slack } = await startStream();
  await append(text("One "));
  await append(text("two."), {
    type: "task_update",
    id: "t",
    title: "Read",
    status: "in_progress",
  });
  await append({ type: "task_update", id: "t", status: "complete", output: "3 files" });
  await append({ type: "plan_update", title: "Plan" });
  await stop({ blocks: [{ type: "divider" }] });
  expect(slack.person("U0ANA").see(channel)).toBe(
    [
      "ana: hello",
      "  agent: Plan",
      "    One two.",
      "    ✅ Read",
      "       3 files",
      "    ---",
    ].join("\n"),
  );
});

describe("the content of a stream", () => {
  test("is text or chunks, as in its first payload", async () => {
    const { client, ts, append, thread_ts } = await startStream();
    expect(await append(text("chunk"))).toBe("ok");
    const mixed = client.apiCall("chat.appendStream", { channel, ts, markdown_text: "text" });
    expect(await outcomeOf(mixed)).toBe("streaming_mode_mismatch");
    const started = await client.chat.startStream({ channel, thread_ts, markdown_text: "text" });
    const other = client.apiCall("chat.appendStream", {
      channel,
      ts: started.ts,
      chunks: [text("chunk")],
    });
    expect(await outcomeOf(other)).toBe("streaming_mode_mismatch");
  });

  test("is never both in one call", async () => {
    const { client, ts } = await startStream();
    const both = { channel, ts, markdown_text: "text", chunks: [text("chunk")] };
    expect(await outcomeOf(client.apiCall("chat.appendStream", both))).toBe(
      "cannot_provide_both_markdown_text_and_chunks",
    );
  });

  test("comes in pieces of at most 12,000 characters", async () => {
    const { append, client, ts } = await startStream();
    expect(await append(text(letters(12_000)))).toBe("ok");
    expect(await append(text(letters(12_001)))).toBe("msg_too_long");
    const asText = client.apiCall("chat.appendStream", {
      channel,
      ts,
      markdown_text: letters(12_001),
    });
    expect(await outcomeOf(asText)).toBe("msg_too_long");
  });

  test("has at most 40,000 characters, those of its tasks among them", async () => {
    const { append } = await startStream();
    for (let each = 0; each < 3; each += 1) await append(text(letters(12_000)));
    expect(await append(text(letters(3_000)))).toBe("ok");
    const task = { type: "task_update", id: "t", title: letters(256), output: letters(256) };
    expect(await append(task)).toBe("ok");
    expect(await append(text(letters(489)))).toBe("msg_too_long");
    expect(await append(text(letters(488)))).toBe("ok");
  });

  test("has at most 50 blocks, each task and each stretch of text being one", async () => {
    const { append } = await startStream();
    for (let each = 0; each < 49; each += 1) {
      await append({ type: "task_update", id: `t${each}`, title: "x" });
    }
    expect(await append(text("x"))).toBe("ok");
    expect(await append({ type: "task_update", id: "one-more", title: "x" })).toBe(
      "msg_blocks_too_many",
    );
    expect(await append(text("more of the same stretch"))).toBe("ok");
  });

  test.each(["title", "details", "output"])("has 256 characters in a task's %s", async (field) => {
    const { append } = await startStream();
    const task = { type: "task_update", id: "t", title: "x" };
    expect(await append({ ...task, [field]: letters(256) })).toBe("ok");
    expect(await append({ ...task, [field]: letters(257) })).toBe("invalid_chunks");
  });

  test("grows in a task's details by what each update brings", async () => {
    const { append, read } = await startStream();
    await append({ type: "task_update", id: "t", title: "x", details: "one " });
    await append({ type: "task_update", id: "t", details: "two" });
    expect(read()?.stream?.parts).toMatchObject([{ task: { details: "one two" } }]);
  });

  test("may not be of another type", async () => {
    const { append } = await startStream();
    expect(await append({ type: "surprise" })).toBe("invalid_chunks");
    expect(await append({ type: "task_update", id: "t", title: "x", status: "done" })).toBe(
      "invalid_chunks",
    );
  });
});

describe("a stream ends", () => {
  test("5 minutes after its start, though it is appended to; then nothing can be added", async () => {
    const { clock, append, stop, read } = await startStream();
    clock.advance(299_999);
    expect(await append(text("x"))).toBe("ok");
    clock.advance(1);
    expect(await append(text("y"))).toBe("message_not_in_streaming_state");
    expect(await stop()).toBe("message_not_in_streaming_state");
    expect(read()?.stream?.state).toBe("errored");
  });

  test("5 minutes after the last append, where the platform is taken to go by that", async () => {
    const { clock, append } = await startStream({ streamLife: "idle" });
    clock.advance(299_999);
    expect(await append(text("x"))).toBe("ok");
    clock.advance(299_999);
    expect(await append(text("y"))).toBe("ok");
    clock.advance(300_000);
    expect(await append(text("z"))).toBe("message_not_in_streaming_state");
  });

  test("once: late pieces are refused", async () => {
    const { append, stop } = await startStream();
    expect(await stop()).toBe("ok");
    expect(await append(text("late"))).toBe("message_not_in_streaming_state");
    expect(await stop()).toBe("message_not_in_streaming_state");
  });

  test("when its person presses Stop, and says so from then on", async () => {
    const { slack, thread_ts, append, stop } = await startStream();
    slack.person("U0ANA").stop(channel, thread_ts);
    expect(await append(text("x"))).toBe("stopped_by_user");
    expect(await stop()).toBe("stopped_by_user");
  });

  test("with failed cards where tasks were running", async () => {
    const { append, stop, read } = await startStream();
    await append({ type: "task_update", id: "t", title: "x", status: "in_progress" });
    await stop();
    expect(read()?.stream?.parts).toMatchObject([{ task: { status: "error" } }]);
  });
});

test("a live stream cannot be edited, and an ended one not into plain text", async () => {
  const { client, ts, stop } = await startStream();
  const edit = () => outcomeOf(client.chat.update({ channel, ts, text: "edited" }));
  expect(await edit()).toBe("streaming_state_conflict");
  await stop();
  expect(await edit()).toBe("block_mismatch");
});

test("cards of a stream stand close together, and apart from its text", async () => {
  const { slack, append } = await startStream();
  await append(text("One"));
  for (const id of ["a", "b"]) {
    await append({ type: "task_update", id, title: id, status: "complete" });
  }
  await append(text("Two"));
  expect(slack.person("U0ANA").see(channel)).toContain("One\n    ✅ a\n    ✅ b\n    Two");
});

describe("a stream starts", () => {
  const start = (client: WebClient, args: Record<string, unknown>) =>
    outcomeOf(client.apiCall("chat.startStream", args));

  test("only in a thread", async () => {
    const { client } = await startSlack();
    expect(await start(client, { channel })).toBe("missing_thread_ts");
    expect(await start(client, { channel, thread_ts: "1.000001" })).toBe("invalid_thread_ts");
  });

  test("in a channel only for somebody, named with their own team", async () => {
    const { slack, client } = await startSlack();
    const thread_ts = slack.person("U0PARTNER").say("C0SHARED", "hello");
    const place = { channel: "C0SHARED", thread_ts };
    expect(await start(client, place)).toBe("missing_recipient_user_id");
    expect(await start(client, { ...place, recipient_user_id: "U0PARTNER" })).toBe(
      "missing_recipient_team_id",
    );
    const named = { ...place, recipient_user_id: "U0PARTNER", recipient_team_id: slack.team };
    expect(await start(client, named)).toBe("team_access_not_granted");
    expect(await start(client, { ...named, recipient_team_id: "T0PARTNER" })).toBe("ok");
    expect(await start(client, { ...named, recipient_user_id: "U0NOBODY" })).toBe("user_not_found");
  });

  test("not in a channel that refuses streams", async () => {
    const members = ["U0ANA", "U0BOT"];
    const { slack, client } = await startSlack({
      channels: [{ id: "C1", name: "c", kind: "public", members, refusesStreams: true }],
    });
    const thread_ts = slack.person("U0ANA").say("C1", "hello");
    expect(await start(client, { channel: "C1", thread_ts })).toBe("channel_type_not_supported");
  });
});

test("in a channel only the recipient sees more than the start before the end", async () => {
  const { slack, client } = await startSlack();
  const thread_ts = slack.person("U0ANA").say("C0SHOP", "hello");
  const { ts = "" } = await client.chat.startStream({
    channel: "C0SHOP",
    thread_ts,
    recipient_user_id: "U0ANA",
    recipient_team_id: slack.team,
    chunks: [text("One ")],
  });
  await client.chat.appendStream({ channel: "C0SHOP", ts, chunks: [text("two.")] });
  const seen = (id: string) => slack.person(id).see("C0SHOP").split("\n")[1];
  expect(seen("U0ANA")).toBe("  agent: One two.  …");
  expect(seen("U0BOB")).toBe("  agent: One   …");
  await client.chat.stopStream({ channel: "C0SHOP", ts });
  expect(seen("U0BOB")).toBe("  agent: One two.");
});

test("a stream makes its thread's session processing, and its end active", async () => {
  const { slack, thread_ts, stop } = await startStream();
  expect(slack.session(channel, thread_ts)?.status).toBe("processing");
  expect(slack.person("U0ANA").canStop(channel, thread_ts)).toBe(true);
  await stop();
  expect(slack.session(channel, thread_ts)?.status).toBe("active");
});

test("a stream ends with the session status that it is given", async () => {
  const { slack, thread_ts, stop } = await startStream();
  await stop({ session_status: "suspended" });
  expect(slack.session(channel, thread_ts)?.status).toBe("suspended");
});
