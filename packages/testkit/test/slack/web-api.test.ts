import { expect, test } from "vitest";
import { createClient, outcomeOf, startSlack } from "./rig.ts";

const channel = "C0SHOP";

test("the bot learns who it is", async () => {
  const { client } = await startSlack();
  expect(await client.auth.test()).toMatchObject({
    team_id: "T0ACME",
    user_id: "U0BOT",
    bot_id: "B0BOT",
  });
});

test("each token counts for its own methods only", async () => {
  const { slack, client } = await startSlack();
  expect(await outcomeOf(createClient(slack.apiUrl, "xoxb-wrong").auth.test())).toBe(
    "invalid_auth",
  );
  expect(await outcomeOf(client.apps.connections.open({}))).toBe("not_allowed_token_type");
  const withAppToken = createClient(slack.apiUrl, slack.app.appToken);
  expect(await outcomeOf(withAppToken.chat.postMessage({ channel, text: "x" }))).toBe(
    "not_allowed_token_type",
  );
  const bare = await fetch(`${slack.apiUrl}auth.test`, { method: "POST" });
  expect(await bare.json()).toEqual({ ok: false, error: "not_authed" });
});

test("a method without its scope says which it needs", async () => {
  const { client } = await startSlack({ app: { scopes: ["users:read"] } });
  await expect(client.chat.postMessage({ channel, text: "x" })).rejects.toMatchObject({
    data: { error: "missing_scope", needed: "chat:write", provided: "users:read" },
  });
});

test("what is no method is unknown, whatever objects have by that name", async () => {
  const { client } = await startSlack();
  expect(await outcomeOf(client.apiCall("chat.shout"))).toBe("unknown_method");
  expect(await outcomeOf(client.apiCall("constructor"))).toBe("unknown_method");
});

test("reading methods do not see arguments in JSON, writing methods do", async () => {
  const { slack } = await startSlack();
  const call = async (method: string, args: object) => {
    const response = await fetch(slack.apiUrl + method, {
      method: "POST",
      headers: {
        authorization: `Bearer ${slack.app.botToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(args),
    });
    return (await response.json()) as { ok: boolean; error?: string };
  };
  expect(await call("conversations.info", { channel })).toMatchObject({
    error: "channel_not_found",
  });
  expect(await call("chat.postMessage", { channel, text: "x" })).toMatchObject({ ok: true });
});

test("a place refuses for its own reasons", async () => {
  const { slack, client } = await startSlack({
    app: { messagesTab: false },
    channels: [
      { id: "C1", name: "one", kind: "public", members: ["U0ANA"] },
      { id: "G1", name: "two", kind: "private", members: ["U0ANA"] },
      { id: "C2", name: "three", kind: "public", members: ["U0BOT"] },
      { id: "D1", name: "ana", kind: "im", members: ["U0ANA", "U0BOT"] },
    ],
  });
  slack.archive("C2");
  const post = (place: string) => outcomeOf(client.chat.postMessage({ channel: place, text: "x" }));
  expect(await post("C1")).toBe("not_in_channel");
  expect(await post("G1")).toBe("channel_not_found");
  expect(await post("C9")).toBe("channel_not_found");
  expect(await post("C2")).toBe("is_archived");
  expect(await post("D1")).toBe("messages_tab_disabled");
});

test("a reply needs its thread, and a reply to a reply goes to the same one", async () => {
  const { slack, client } = await startSlack();
  const root = slack.person("U0ANA").say(channel, "root");
  const reply = slack.person("U0BOB").say(channel, "reply", { thread: root });
  await client.chat.postMessage({ channel, text: "deeper", thread_ts: reply });
  expect(slack.messages(channel).at(-1)?.threadTs).toBe(root);
  const lost = client.chat.postMessage({ channel, text: "x", thread_ts: "1.000001" });
  expect(await outcomeOf(lost)).toBe("invalid_thread_ts");
});

test("only the app's own messages can be edited and deleted", async () => {
  const { slack, client } = await startSlack();
  const ts = slack.person("U0ANA").say(channel, "mine");
  expect(await outcomeOf(client.chat.update({ channel, ts, text: "x" }))).toBe(
    "cant_update_message",
  );
  expect(await outcomeOf(client.chat.delete({ channel, ts }))).toBe("cant_delete_message");
  slack.person("U0ANA").delete(channel, ts);
  expect(await outcomeOf(client.chat.update({ channel, ts, text: "x" }))).toBe("message_not_found");
});

test("a reaction is there once for each person, 23 from one of them", async () => {
  const { slack, client } = await startSlack();
  const timestamp = slack.person("U0ANA").say(channel, "x");
  const add = (name: string) => outcomeOf(client.reactions.add({ channel, timestamp, name }));
  const remove = (name: string) => outcomeOf(client.reactions.remove({ channel, timestamp, name }));
  expect(await add("eyes")).toBe("ok");
  expect(await add("eyes")).toBe("already_reacted");
  expect(slack.person("U0BOB").see(channel)).toBe("ana: x  :eyes:1");
  expect(await remove("eyes")).toBe("ok");
  expect(await remove("eyes")).toBe("no_reaction");
  for (let each = 0; each < 23; each += 1) expect(await add(`n${each}`)).toBe("ok");
  expect(await add("one-more")).toBe("too_many_emoji");
});

test("history is newest first, a thread oldest first, both in pages", async () => {
  const { slack, client } = await startSlack();
  const ana = slack.person("U0ANA");
  const root = ana.say(channel, "root");
  ana.say(channel, "one", { thread: root });
  ana.say(channel, "two", { thread: root });
  ana.say(channel, "later");
  const texts = (page: { messages?: { text?: string }[] }) =>
    page.messages?.map(({ text }) => text);
  expect(texts(await client.conversations.history({ channel }))).toEqual(["later", "root"]);
  const first = await client.conversations.replies({ channel, ts: root, limit: 2 });
  expect(texts(first)).toEqual(["root", "one"]);
  expect(first.has_more).toBe(true);
  const cursor = first.response_metadata?.next_cursor ?? "";
  const second = await client.conversations.replies({ channel, ts: root, limit: 2, cursor });
  expect(texts(second)).toEqual(["two"]);
  const after = await client.conversations.replies({ channel, ts: root, oldest: root });
  expect(texts(after)).toEqual(["one", "two"]);
});

test("metadata is in a history only when it is asked for", async () => {
  const { client } = await startSlack();
  const metadata = { event_type: "part", event_payload: { id: "1" } };
  await client.chat.postMessage({ channel, text: "x", metadata });
  const bare = await client.conversations.history({ channel });
  expect(bare.messages?.[0]?.metadata).toBeUndefined();
  const whole = await client.conversations.history({ channel, include_all_metadata: true });
  expect(whole.messages?.[0]?.metadata).toEqual(metadata);
});

test("an ephemeral message is seen by one person, and is in no history", async () => {
  const { slack, client } = await startSlack();
  await client.chat.postEphemeral({ channel, user: "U0ANA", text: "psst" });
  expect(slack.person("U0ANA").see(channel)).toBe("agent: psst  (only you)");
  expect(slack.person("U0BOB").see(channel)).toBe("");
  expect((await client.conversations.history({ channel })).messages).toEqual([]);
  const outsider = client.chat.postEphemeral({ channel, user: "U0PARTNER", text: "x" });
  expect(await outcomeOf(outsider)).toBe("user_not_in_channel");
});

test("people and channels say what they are", async () => {
  const { client } = await startSlack();
  const { user: guest } = await client.users.info({ user: "U0GUEST" });
  expect(guest).toMatchObject({ is_restricted: true, is_ultra_restricted: false });
  const { user: partner } = await client.users.info({ user: "U0PARTNER" });
  expect(partner).toMatchObject({ team_id: "T0PARTNER" });
  const { channel: shared } = await client.conversations.info({ channel: "C0SHARED" });
  expect(shared).toMatchObject({ is_ext_shared: true });
  const opened = await client.conversations.open({ users: "U0ANA" });
  expect(opened.channel?.id).toBe("D0ANA");
});

test("an answer that is lost was still carried out, one that breaks was not", async () => {
  const { slack, client } = await startSlack();
  const post = () => outcomeOf(client.chat.postMessage({ channel, text: "x" }));
  slack.fail("chat.postMessage", { kind: "break" });
  slack.fail("chat.postMessage", { kind: "lose-answer" });
  slack.fail("chat.postMessage", { kind: "false-error", error: "internal_error" });
  expect(await post()).toContain("no answer");
  expect(slack.messages(channel)).toHaveLength(0);
  expect(await post()).toContain("no answer");
  expect(slack.messages(channel)).toHaveLength(1);
  expect(await post()).toBe("internal_error");
  expect(slack.messages(channel)).toHaveLength(2);
  expect(await post()).toBe("ok");
});

test("a call that is held is carried out when it is let go", async () => {
  const { slack, client } = await startSlack();
  const gate = Promise.withResolvers<void>();
  slack.fail("chat.postMessage", { kind: "hold", until: gate.promise });
  const held = client.chat.postMessage({ channel, text: "held" });
  await client.chat.postMessage({ channel, text: "free" });
  gate.resolve();
  await held;
  expect(slack.messages(channel).map(({ text }) => text)).toEqual(["free", "held"]);
});

test("who is mentioned, written to or in a thread is notified, once, and never by an edit", async () => {
  const { slack, client } = await startSlack();
  const root = slack.person("U0ANA").say(channel, "root");
  await client.chat.postMessage({ channel, text: "reply", thread_ts: root });
  const { ts = "" } = await client.chat.postMessage({ channel, text: "hi <@U0BOB>" });
  await client.chat.update({ channel, ts, text: "hi <@U0GUEST>" });
  await client.chat.postMessage({
    channel,
    text: "x",
    blocks: [{ type: "markdown", text: "<!here> all" }],
  });
  await client.chat.postMessage({ channel: "D0ANA", text: "direct" });
  const why = (id: string) => slack.person(id).notices.map((notice) => notice.why);
  expect(why("U0ANA")).toEqual(["thread", "broadcast", "direct"]);
  expect(why("U0BOB")).toEqual(["mention", "broadcast"]);
  expect(why("U0GUEST")).toEqual(["broadcast"]);
});

test("in plain text and in code nobody is mentioned", async () => {
  const { slack, client } = await startSlack();
  const code = [{ type: "text", text: "<!here>" }];
  const blocks = [
    { type: "section", text: { type: "plain_text", text: "<@U0BOB>" } },
    { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: code }] },
  ];
  await client.apiCall("chat.postMessage", { channel, text: "x", blocks });
  expect(slack.person("U0BOB").notices).toEqual([]);
});

test("an app that was removed is refused", async () => {
  const { slack, client } = await startSlack();
  slack.uninstall();
  expect(await outcomeOf(client.auth.test())).toBe("account_inactive");
});

test("conversations of the app are listed by type and page, each type with its own scope", async () => {
  const { client } = await startSlack();
  const list = async (args: Parameters<typeof client.users.conversations>[0] = {}) => {
    const { channels = [], response_metadata } = await client.users.conversations(args);
    return [channels.map(({ id }) => id), response_metadata?.next_cursor];
  };
  expect(await list()).toEqual([["C0SHOP", "C0SHARED"], ""]);
  expect(await list({ types: "im,mpim,private_channel" })).toEqual([
    ["G0QUIET", "D0ANA", "D0BOB", "G0GROUP"],
    "",
  ]);
  const [first, cursor] = await list({ limit: 1 });
  expect(first).toEqual(["C0SHOP"]);
  expect(await list({ limit: 1, cursor: String(cursor) })).toEqual([["C0SHARED"], ""]);
  expect(await outcomeOf(client.users.conversations({ types: "all" }))).toBe("invalid_types");
  expect(await outcomeOf(client.users.conversations({ limit: 1_001 }))).toBe("invalid_limit");
  expect(await outcomeOf(client.users.conversations({ cursor: "x" }))).toBe("invalid_cursor");
  const poor = await startSlack({ app: { scopes: ["channels:read"] } });
  expect(await outcomeOf(poor.client.users.conversations({}))).toBe("ok");
  await expect(
    poor.client.users.conversations({ types: "public_channel,im" }),
  ).rejects.toMatchObject({ data: { error: "missing_scope", needed: "im:read" } });
});
