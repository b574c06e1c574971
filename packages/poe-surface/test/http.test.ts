import { connect } from "node:net";
import { createPoeId } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { finished, KEY, Rig, within } from "./rig.ts";

/** Sends raw bytes, and reads until the server ends or `until` was read. */
async function exchange(port: number, bytes: string, until = ""): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  socket.setTimeout(5_000, () => socket.destroy());
  let read = "";
  for await (const chunk of socket) {
    read += chunk;
    if (until !== "" && read.includes(until)) break;
  }
  socket.destroy();
  return read;
}

const head = (length: number, key = KEY) =>
  `POST /poe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${length}\r\n\r\n`;

describe("the key", () => {
  test("C29: is checked before anything of the body is read", async () => {
    await using rig = await Rig.open();
    const reply = await exchange(rig.port, head(1_000_000, "wrong"), "}");
    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(reply.toLowerCase()).toContain("www-authenticate: bearer");
  });

  test.each([null, "Bearer", `Basic ${KEY}`, `Bearer ${KEY}x`, "Bearer "])(
    "%j is refused",
    async (authorization) => {
      await using rig = await Rig.open();
      const reply = await rig.poe.post({ type: "settings", version: "1" }, authorization);
      expect(reply.status).toBe(401);
    },
  );

  test("C29: failures are slowed, and logged once a minute for each source", async () => {
    await using rig = await Rig.open();
    const started = performance.now();
    await Promise.all(
      Array.from({ length: 5 }, () => rig.poe.post({ type: "settings" }, "Bearer no")),
    );
    expect(performance.now() - started).toBeGreaterThan(450);
    const lines = rig.lines.filter((line) => line.includes("no valid access key"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("Bearer");
  });
});

describe("a request", () => {
  test.each([
    ["of an unknown type", { type: "dance", version: "1" }, 501],
    ["that is no JSON", "{", 400],
    ["that is no object", "[]", 400],
    ["without a type", "{}", 400],
  ])("%s is refused", async (_title, body, status) => {
    await using rig = await Rig.open();
    expect((await rig.poe.post(body)).status).toBe(status);
  });

  test.each([
    ["/", 404],
    ["/poe/", 404],
    ["/other", 404],
    ["/poe", 200],
  ])("to look at %s gets %i", async (path, status) => {
    await using rig = await Rig.open();
    const reply = await fetch(`http://127.0.0.1:${rig.port}${path}`);
    expect(reply.status).toBe(status);
    await reply.text();
  });

  test("of another method is told which ones there are", async () => {
    await using rig = await Rig.open();
    const reply = await fetch(rig.url, { method: "PUT", body: "x" });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("that is too large is told so in the chat, without being read", async () => {
    await using rig = await Rig.open();
    const reply = await exchange(rig.port, head(64 * 1024 * 1024 + 1), "event: done");
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply).toMatch(/event: text\ndata: .*too large/);
    expect(reply).toMatch(/event: error\ndata: .*"allow_retry":false.*user_message_too_long/);
  });

  test("whose client leaves inside its body is forgotten without a word", async () => {
    await using rig = await Rig.open();
    const socket = connect(rig.port, "127.0.0.1");
    await new Promise((resolve) => socket.write(`${head(1_000)}{"type":`, resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
    expect((await rig.poe.settings()).status).toBe(200);
    expect(rig.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("that is too large and does not say so is told all the same, and read no further", async () => {
    await using rig = await Rig.open();
    const socket = connect(rig.port, "127.0.0.1");
    const start = head(0).replace("content-length: 0", "transfer-encoding: chunked");
    const chunk = `100000\r\n${"x".repeat(0x10_0000)}\r\n`;
    let written = 0;
    const write = () => {
      while (socket.writable && socket.write(chunk)) written += 1;
      written += 1;
    };
    socket.on("drain", write).on("error", () => socket.destroy());
    socket.write(start);
    write();
    let read = "";
    socket.on("data", (bytes) => {
      read += bytes;
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await within(10_000, closed, () => `${written} MiB were taken`);
    expect(read).toMatch(/event: text\ndata: .*too large/);
    expect(read).toContain("event: done");
    expect(written).toBeLessThan(64 * 3);
  });
});

test("settings say everything, with version 2, and introduce the agent", async () => {
  await using rig = await Rig.open();
  const { status, json } = await rig.poe.settings();
  expect(status).toBe(200);
  expect(json).toMatchObject({
    response_version: 2,
    enable_multi_entity_prompting: false,
    enable_image_comprehension: false,
    introduction_message: expect.stringMatching(
      /demo in shop\..*`!stop`.*`!help`.*`!model`, `!mode`/,
    ),
  });
});

test("reports are answered at once while an answer of the same conversation runs", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  const { conversation } = query.ids;
  const reports = await Promise.all([
    rig.poe.reportReaction({ conversation, messageId: "m", reaction: "like" }),
    rig.poe.reportError({ message: "odd" }),
    rig.poe.post({ type: "report_feedback", version: "1.2", feedback_type: "like" }),
  ]);
  for (const { status, json } of reports) expect([status, json]).toEqual([200, {}]);
  expect(rig.lines.some((line) => line.includes("odd"))).toBe(true);
  prompt.say("done");
  prompt.end();
  expect(await finished(query)).toBe("done");
});

test("D25: what Poe reports is in the log, without ids of people", async () => {
  await using rig = await Rig.open();
  const ids = { message_id: "m-1", user_id: "u-someone", conversation_id: "c-1" };
  await rig.poe.reportError({ message: "the bot did not answer" });
  await rig.poe.post({ type: "report_feedback", version: "1.2", feedback_type: "dislike", ...ids });
  const lines = rig.lines.join("\n");
  expect(lines).toContain("the bot did not answer");
  expect(lines).toContain('"feedback":"dislike"');
  expect(lines).not.toContain("u-someone");
});

test("a response says in the log what it has cost, and how it ended", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  prompt.say("done");
  prompt.end();
  expect(await finished(query)).toBe("done");
  await rig.logged("a response has ended");
  const line = rig.lines.find((one) => one.includes("a response has ended")) ?? "{}";
  const { texts, replaces, characters, ended } = JSON.parse(line) as Record<string, unknown>;
  const counted = query.frames.flatMap((frame) => ("event" in frame ? [frame.event] : []));
  expect({ texts, replaces }).toEqual({
    texts: counted.filter((event) => event === "text").length,
    replaces: counted.filter((event) => event === "replace_response").length,
  });
  expect(characters).toBeGreaterThan(4);
  expect(ended).toBe("done");
  expect(line).not.toContain(query.ids.conversation);
});

test("a reaction of an admitted person reaches the agent behind what runs, and is shown to nobody", async () => {
  await using rig = await Rig.open({ access: [{ users: ["*"], role: "user" }] });
  const query = rig.ask("hi");
  const prompt = await rig.agent.prompted(1);
  const { conversation } = query.ids;
  await rig.poe.reportReaction({ conversation, messageId: "m", reaction: "like" });
  prompt.say("done");
  prompt.end();
  expect(await finished(query)).toBe("done");
  const told = await rig.agent.prompted(2);
  told.say("thank you");
  told.end();
  await rig.event(({ kind }) => kind === "reaction");
  expect(await rig.answer(".")).toContain("You have seen everything");
});

test("a response has the headers that keep it unbuffered, and none of ours is hop-by-hop", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("!stop");
  const { headers } = await query.done;
  expect(headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  const reply = await exchange(rig.port, head(2, KEY).replace("\r\n\r\n", "\r\n\r\n{}"), "detail");
  expect(reply).toMatch(/400/);
});

test("preamble, meta and a first frame come at once, while the agent has said nothing", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("hi");
  await query.waitFor((one) => one.body() !== "");
  const [preamble, meta, first] = query.frames;
  expect(preamble).toMatchObject({ comment: expect.stringMatching(/^ {4096}$/) });
  expect(meta).toMatchObject({ event: "meta", data: { suggested_replies: false } });
  expect(first).toEqual({ event: "replace_response", data: { text: "~waiting~" } });
  expect(query.firstContentMs).toBeLessThan(1_000);
  const prompt = await rig.agent.prompted(1);
  prompt.say("x");
  prompt.end();
  await finished(query);
});

describe("a person", () => {
  const access = [{ users: ["u-ana"], role: "user" as const }];

  test("who may not talk is told their id, and nothing reaches the agent", async () => {
    await using rig = await Rig.open({ access });
    const body = await rig.answer("hi", { userId: "u-eve" });
    expect(body).toContain("`u-eve`");
    expect(await rig.events()).toEqual([]);
  });

  test("who may not talk cannot stop or answer either", async () => {
    await using rig = await Rig.open({ access });
    const query = rig.ask("hi", { userId: "u-ana" });
    const prompt = await rig.agent.prompted(1);
    for (const text of ["!stop", "1", "."]) {
      expect(await rig.answer(text, { userId: "u-eve" })).toContain("private");
    }
    prompt.say("x");
    prompt.end();
    expect(await finished(query)).toBe("x");
  });

  test("C12: who may not talk is left out of the context, which says how many messages that are", async () => {
    await using rig = await Rig.open({ access });
    const message = (content: string, id: string, sender?: string) => ({
      role: "user",
      content,
      message_id: id,
      ...(sender !== undefined && { sender: { id: sender } }),
    });
    const query = rig.poe.query({
      messages: [
        message("secret plan", "m1", "u-eve"),
        message("mine", "m2", "u-ana"),
        message("go", "m3"),
      ],
      userId: "u-ana",
      conversation: createPoeId("c"),
    });
    const prompt = await rig.agent.prompted(1);
    const sent = prompt.blocks.map((block) => JSON.stringify(block)).join();
    expect(sent).toContain("mine");
    expect(sent).not.toContain("secret plan");
    expect(sent).toContain("(One message is left out here");
    prompt.say("x");
    prompt.end();
    await finished(query);
  });
});

test("C33: requests without a conversation id never meet", async () => {
  await using rig = await Rig.open();
  const queries = ["u-ana", "u-bob"].map((userId) =>
    rig.poe.query({ text: "hi", conversation: "", userId }),
  );
  const prompts = [await rig.agent.prompted(1), await rig.agent.prompted(2)];
  expect(new Set(prompts.map(({ session }) => session)).size).toBe(2);
  for (const prompt of prompts) {
    prompt.say(prompt.session);
    prompt.end();
  }
  const bodies = await Promise.all(queries.map(finished));
  expect(new Set(bodies).size).toBe(2);
});

test("C14: parameters of a message choose nothing", async () => {
  await using rig = await Rig.open();
  const query = rig.poe.query({
    text: "hi",
    parameters: { model: "expensive", agent: "other", mode: "bypass", workspace: "/" },
  });
  const prompt = await rig.agent.prompted(1);
  expect(rig.agent.chosen).toEqual([]);
  prompt.say("x");
  prompt.end();
  await finished(query);
});

test("a query without a message is told so, and Poe need not try again", async () => {
  await using rig = await Rig.open();
  const query = rig.poe.query({ messages: [{ role: "bot", content: "hello" }] });
  expect(await finished(query)).toContain("message is empty");
  expect(query.frames).toContainEqual(
    expect.objectContaining({
      event: "error",
      data: expect.objectContaining({ allow_retry: false, error_type: "user_caused_error" }),
    }),
  );
});
