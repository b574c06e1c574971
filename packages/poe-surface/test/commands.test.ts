import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createPoeId, FakePoe } from "@acp-kit/testkit";
import { describe, expect, test } from "vitest";
import { finished, KEY, Rig } from "./rig.ts";

/** What a chat holds so far, as Poe repeats it with each message. */
class Chat {
  readonly #rig: Rig;
  readonly #conversation = createPoeId("c");
  messages: { role: string; content: string; message_id: string }[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  say(content: string, messageId = createPoeId("m")) {
    this.messages.push({ role: "user", content, message_id: messageId });
    return this.#rig.poe.query({ messages: this.messages, conversation: this.#conversation });
  }

  /** Adds the whole answer to the chat. */
  async hear(query: ReturnType<Chat["say"]>): Promise<string> {
    const content = await finished(query);
    this.messages.push({ role: "bot", content, message_id: createPoeId("m") });
    return content;
  }

  /** What the agent says to a message. */
  async ask(content: string): Promise<string> {
    const query = this.say(content);
    const count = this.#rig.agent.prompts.length;
    const prompt = await this.#rig.agent.prompted(count + 1);
    prompt.say(`answer to ${content}`);
    prompt.end();
    return this.hear(query);
  }
}

test("a command is answered while a turn runs, in a response of its own", async () => {
  await using rig = await Rig.open();
  const first = rig.ask("do it");
  const prompt = await rig.agent.prompted(1);
  prompt.say("Doing. ");
  await first.waitFor((one) => one.body().startsWith("Doing."));
  expect(await rig.answer("!Status")).toContain("(command) **Status**");
  expect(await rig.answer("!queue")).toContain("Now: *do it*");
  prompt.say("Done.");
  prompt.end();
  expect(await finished(first)).toBe("Doing. Done.");
  expect(rig.agent.prompts).toHaveLength(1);
});

test("a command in an empty conversation is answered, and leaves nothing behind", async () => {
  await using rig = await Rig.open();
  for (const text of ["!help", "!status", "!new", "!modell", "!stop", "!yes"])
    await rig.answer(text);
  expect(await rig.events()).toEqual([]);
  expect(rig.agent.prompts).toEqual([]);
});

test("no agent is told of commands and what was answered to them, and editing one costs no session", async () => {
  await using rig = await Rig.open();
  const chat = new Chat(rig);
  await chat.ask("one");
  await chat.hear(chat.say("!status"));
  await chat.ask("two");
  expect(rig.agent.prompts.at(-1)?.blocks).toHaveLength(1);
  const [one, answer, , , ...rest] = chat.messages;
  if (!one || !answer) throw new Error("they were said");
  // Without the command and its answer.
  chat.messages = [one, answer, ...rest];
  await chat.ask("three");
  expect(rig.agent.prompts.at(-1)?.blocks).toHaveLength(1);
  expect(new Set(rig.agent.prompts.map(({ session }) => session)).size).toBe(1);
});

describe("!retry", () => {
  test("sends the last message again; that it is asked for again is no new run", async () => {
    await using rig = await Rig.open();
    const chat = new Chat(rig);
    await chat.ask("fix the test");
    const again = chat.say("!retry", "r1");
    const prompt = await rig.agent.prompted(2);
    expect(prompt.text).toBe("fix the test");
    prompt.say("Fixed.");
    prompt.end();
    expect(await chat.hear(again)).toBe("Fixed.");
    const third = chat.say("!retry", "r2");
    const next = await rig.agent.prompted(3);
    expect(next.text).toBe("fix the test");
    expect(next.blocks).toHaveLength(1);
    next.end();
    await finished(third);
  });

  test("with nothing to run again says so", async () => {
    await using rig = await Rig.open();
    expect(await rig.answer("!retry")).toBe("(command) There is no message to run again.");
  });
});

test("!last shows the last answer again, and asks nobody", async () => {
  await using rig = await Rig.open();
  const chat = new Chat(rig);
  const said = await chat.ask("one");
  expect(await chat.hear(chat.say("!last"))).toBe(said);
  expect(await chat.hear(chat.say("!last"))).toBe(said);
  expect(rig.agent.prompts).toHaveLength(1);
});

test("!new ends what runs; the next message starts with nothing", async () => {
  await using rig = await Rig.open();
  const chat = new Chat(rig);
  await chat.ask("one");
  const running = chat.say("two");
  const prompt = await rig.agent.prompted(2);
  const fresh = await chat.hear(chat.say("!new"));
  expect(fresh).toContain("Afresh");
  expect(prompt.isCancelled).toBe(true);
  await finished(running);
  await chat.ask("three");
  const last = rig.agent.prompts.at(-1);
  expect(last?.blocks).toHaveLength(1);
  expect(last?.session).not.toBe(prompt.session);
});

test("a command does not end the turn of a client that is gone", async () => {
  await using rig = await Rig.open({ limits: { graceBeforeOutputMs: 60_000 } });
  const query = rig.ask("do it", { messageId: "m1" });
  const prompt = await rig.agent.prompted(1);
  await rig.lose(query);
  expect(await rig.answer("!status")).toContain("now: *do it*");
  expect(prompt.isCancelled).toBe(false);
  const again = rig.ask("do it", { messageId: "m1" });
  prompt.say("Done.");
  prompt.end();
  expect(await finished(again)).toBe("Done.");
});

test("a verdict without a question is told so, and does not reach the agent", async () => {
  await using rig = await Rig.open();
  expect(await rig.answer("!yes 1")).toBe("(notice) No question is open.");
  expect(rig.agent.prompts).toEqual([]);
});

test("C9: a command of the agent's reaches it bare, and the next message goes on in the same session", async () => {
  await using rig = await Rig.open();
  const chat = new Chat(rig);
  const first = chat.say("one");
  const prompt = await rig.agent.prompted(1);
  prompt.update({
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "compact", description: "Compacts" }],
  });
  prompt.say("ok");
  prompt.end();
  await chat.hear(first);
  const compacting = chat.say("!Compact keep the tests");
  const compact = await rig.agent.prompted(2);
  expect(compact.blocks).toEqual([{ type: "text", text: "/compact keep the tests" }]);
  compact.say("Compacted.");
  compact.end();
  expect(await chat.hear(compacting)).toBe("Compacted.");
  expect(await chat.hear(chat.say("!review"))).toContain("There is no command `!review`");
  await chat.ask("two");
  expect(rig.agent.prompts.at(-1)?.blocks).toHaveLength(1);
  expect(new Set(rig.agent.prompts.map(({ session }) => session)).size).toBe(1);
});

test("C9: what the relay does not allow reaches the agent behind a space", async () => {
  await using rig = await Rig.open();
  const query = rig.ask("/logout");
  const prompt = await rig.agent.prompted(1);
  expect(prompt.text).toBe(" /logout");
  prompt.end();
  await finished(query);
});

test("C14: what a command can choose is what the person's rule has, whatever else they send", async () => {
  const access = [{ users: ["*"], role: "user" as const, models: ["small"] }];
  await using rig = await Rig.open({ access });
  expect(await rig.answer("!model large")).toContain("The model `large` is not open to you here");
  expect(await rig.answer("!model small")).toContain("`small` will be tried");
  expect(await rig.answer("!policy allow")).toContain("not open to you");
  const query = rig.ask("go");
  const prompt = await rig.agent.prompted(1);
  prompt.end();
  await finished(query);
  expect(rig.agent.chosen).toEqual(["small"]);
});

test("!get sends a file by the rules for files of the agent, in the same answer", async () => {
  await using poe = await FakePoe.start({ accessKey: KEY, bot: "shop" });
  await using rig = await Rig.open({
    uploadUrl: poe.uploadUrl,
    router: { sending: () => ({ maxFiles: 30 }) },
  });
  expect(await rig.answer("!get report.txt")).toContain("so there are no files");
  const first = rig.ask("write it");
  const prompt = await rig.agent.prompted(1);
  const [session] = await rig.router.debug();
  const cwd = session?.cwd ?? "";
  mkdirSync(cwd, { recursive: true });
  writeFileSync(path.join(cwd, "report.txt"), "all is well");
  writeFileSync(path.join(cwd, ".env"), "KEY=1");
  prompt.end();
  await finished(first);
  const sent = rig.ask("!get report.txt", { messageId: "g1", requestId: "r1" });
  await finished(sent);
  expect(poe.uploads.map(({ bytes }) => String(bytes))).toEqual(["all is well"]);
  expect(sent.frames.some((frame) => "event" in frame && frame.event === "file")).toBe(true);
  expect(await rig.answer("!get report.txt", { messageId: "g1", requestId: "r2" })).toContain(
    "You have seen everything so far.",
  );
  for (const name of [".env", "../../router.db", "/etc/passwd", "nothing.txt"]) {
    expect(await rig.answer(`!get ${name}`)).toMatch(/^[^\n]*was not sent: [^\n]*$/);
  }
  expect(poe.uploads).toHaveLength(1);
  expect(rig.agent.prompts).toHaveLength(1);
});
