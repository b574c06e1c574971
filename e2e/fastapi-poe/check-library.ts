import { strict as assert } from "node:assert";
import { createSettings } from "../../packages/poe-protocol/src/index.ts";
import { waitFor } from "../../packages/testkit/src/index.ts";
import { KEY, LibraryBot, PANEL } from "./library-bot.ts";
import { PythonClient } from "./python.ts";
import { askPython, bodyOf, type Seen } from "./seen.ts";

/** Poe's client against a bot that is made of poe-protocol alone. */
export async function checkLibrary(python: string, say: (line: string) => void): Promise<void> {
  await using client = new PythonClient(python);
  await using bot = await LibraryBot.start();
  const target = { base: bot.base, bot: "poe", key: KEY };
  const ask = (text: string, more?: object) => askPython(client, target, text, more);
  const isClean = (seen: Seen) => {
    assert.deepEqual({ errors: seen.errors, raised: seen.raised }, { errors: [], raised: null });
  };

  const plain = await ask("hi");
  isClean(plain);
  assert.equal(bodyOf(plain), "You said: hi");

  const everything = await ask("everything");
  isClean(everything);
  assert.equal(bodyOf(everything), "Hé😀\n\u2028 and\u0085 moresecond");
  const files = everything.messages.flatMap(({ attachment }) => attachment ?? []);
  assert.deepEqual(
    files.map(({ inline_ref }) => inline_ref),
    [null, "ref1"],
  );
  assert.equal(everything.messages.find(({ text }) => text === "second")?.index, 1);
  assert.equal(everything.messages.filter(({ suggested }) => suggested).length, 1);
  say("every event is read, and none is reported");

  const data = await ask("data");
  assert.equal(data.raised, null);
  assert.equal(data.errors.length, 1);
  assert.match(data.errors[0] ?? "", /Unknown event type: data/);
  say("data is reported as unknown, and as nothing else");

  const parameters = { type: "object", properties: {} };
  const tools = [{ type: "function", function: { name: "f", description: "", parameters } }];
  const called = await ask("tools", { tools });
  isClean(called);
  const [call] = called.messages.flatMap(({ tool_calls }) => tool_calls);
  assert.deepEqual(call, {
    index: 0,
    id: "t1",
    type: "function",
    function: { name: "f", arguments: "{}" },
  });
  const [sent] = bot.of("query").slice(-1);
  assert.deepEqual(
    sent?.tools?.map((tool) => tool["type"]),
    ["function"],
  );
  say("tool calls arrive, and tools were passed through");

  await checkRequest(client, bot, target);
  say("every field that it sends is read");

  for (const [text, raised] of [
    ["retry", /^BotError: .*try again/],
    ["late retry", /^BotError: .*too late/],
    ["final", /^BotErrorNoRetry: .*user_caused_error/],
  ] as const) {
    const before = bot.requests.length;
    const seen = await ask(text, { tries: 2 });
    assert.match(seen.raised ?? "", raised);
    // For this client a `meta` is a part of the answer, behind which it does not ask again.
    assert.equal(bot.requests.length - before, 1, text);
  }
  bot.cutsNext = true;
  const cut = await ask("hi", { tries: 2 });
  assert.equal(cut.raised, null);
  assert.equal(bodyOf(cut), "cutYou said: hi");
  say("errors are raised with and without retry; a cut response is asked for again");

  const large = await ask("x".repeat(300_000));
  assert.match(large.raised ?? "", /^BotErrorNoRetry: .*too large/);
  assert.match(bodyOf(large), /^This message and its attachments are too large/);
  say("a message that is too large is refused in words");

  const reported = await ask("wait for reports", { report_after: 2 });
  isClean(reported);
  assert.equal(reported.reports, 4);
  assert.equal(bodyOf(reported), "waiting no more");
  const reactions = bot.of("report_reaction").slice(-2);
  assert.deepEqual(
    reactions.map(({ reaction, action }) => [reaction, action]),
    [
      ["heart", "added"],
      ["👍", "added"],
    ],
  );
  say("reports are answered while a response is open");

  await ask("wait", { stop_after: 2 });
  await waitFor("the bot to see the Stop", () => bot.stopped === 1);
  say("Stop closes the connection");

  const wrong = await askPython(client, { ...target, key: "x".repeat(32) }, "hi");
  assert.match(wrong.raised ?? "", /^BotError: Error communicating/);
  assert.equal(bot.requests.at(-1)?.type, "unauthorized");
  say("a wrong key gets nowhere");

  const settings = createSettings({ parameter_controls: PANEL });
  const validated = await client.ask<object>({ do: "settings", ...target });
  assert.deepEqual(JSON.parse(JSON.stringify(validated)), settings);
  for (const label of ["ok", "half \ud83d"]) {
    const json = JSON.stringify({ introduction_message: label });
    const { valid } = await client.ask<{ valid: boolean }>({ do: "validate", json });
    assert.equal(valid, label.isWellFormed());
  }
  say("its model takes the settings with every control; half a character it does not");
}

async function checkRequest(client: PythonClient, bot: LibraryBot, target: object): Promise<void> {
  const message = {
    role: "bot",
    content: "c",
    message_type: "function_call",
    sender_id: "s",
    sender: { id: "u", name: "Ana" },
    parameters: { p: [1, { q: null }] },
    content_type: "text/plain",
    timestamp: 5,
    message_id: "m-2",
    feedback: [{ type: "like", reason: null }],
    attachments: [{ url: "u", content_type: "t", name: "n", inline_ref: "r", parsed_content: "p" }],
    metadata: "d",
    reactions: [{ user_id: "u", reaction: "heart" }],
  };
  const messages = [
    { ...message, referenced_message: { ...message, referenced_message: null } },
    { role: "user", content: "hi" },
  ];
  const fields = {
    metadata: "d-1",
    temperature: 0.5,
    skip_system_prompt: true,
    logit_bias: { "1": -100 },
    stop_sequences: ["\n"],
    language_code: "de",
    adopt_current_bot_name: false,
    bot_query_id: "b",
    users: [{ id: "u", name: "Ana" }],
    tool_results: [{ role: "tool", name: "f", tool_call_id: "t", content: "1" }],
    query_creation_time: 7,
    extra_params: { a: null },
  };
  const ids = { user: "u-1", conversation: "c-1", request: "m-9" };
  await client.ask({ do: "query", ...target, messages, ids, fields });
  const read = bot.of("query").at(-1);
  assert.deepEqual(read?.query[0], messages[0]);
  assert.deepEqual(
    { ...read, query: [] },
    {
      ...fields,
      type: "query",
      version: "1.2",
      query: [],
      user_id: "u-1",
      conversation_id: "c-1",
      message_id: "m-9",
      tools: null,
      tool_calls: null,
    },
  );
}
