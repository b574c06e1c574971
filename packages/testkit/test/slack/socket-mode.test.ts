import { SocketModeClient } from "@slack/socket-mode";
import { afterEach, describe, expect, test } from "vitest";
import type { FakeSlack } from "../../src/index.ts";
import { waitFor } from "../../src/index.ts";
import { quietLogger, startSlack } from "./rig.ts";

const channel = "C0SHOP";

type Envelope = {
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
  readonly type: string;
  readonly body: Record<string, unknown> & { readonly event?: Record<string, unknown> };
  readonly retry_num?: number;
  readonly retry_reason?: string;
};

const connected: SocketModeClient[] = [];
afterEach(async () => {
  await Promise.all(connected.splice(0).map((client) => client.disconnect()));
});

/** Slack's own client. What it is sent, it hands to `receive`, which acknowledges. */
async function connect(slack: FakeSlack, receive: (envelope: Envelope) => unknown) {
  const client = new SocketModeClient({
    appToken: slack.app.appToken,
    autoReconnectEnabled: false,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
    logger: quietLogger,
  });
  connected.push(client);
  client.on("slack_event", receive);
  await client.start();
  return client;
}

/** Acknowledges everything, and keeps it. */
async function collect(slack: FakeSlack) {
  const envelopes: Envelope[] = [];
  const client = await connect(slack, async (envelope) => {
    envelopes.push(envelope);
    await envelope.ack();
  });
  return { client, envelopes };
}

const typesOf = (envelopes: readonly Envelope[]) =>
  envelopes.map(({ body }) => body.event?.["type"] ?? body["type"]);

test("a mention in a channel comes twice, with one ts and two event ids", async () => {
  const { slack } = await startSlack();
  const { envelopes } = await collect(slack);
  const ts = slack.person("U0ANA").say(channel, "<@U0BOT> hello");
  await slack.settled();
  expect(typesOf(envelopes)).toEqual(["message", "app_mention"]);
  expect(envelopes.map(({ body }) => body.event?.["ts"])).toEqual([ts, ts]);
  expect(new Set(envelopes.map(({ body }) => body["event_id"])).size).toBe(2);
  expect(slack.deliveries.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
});

test("only what was subscribed to comes", async () => {
  const { slack } = await startSlack({ app: { events: ["message.im"] } });
  const { envelopes } = await collect(slack);
  slack.person("U0ANA").say(channel, "<@U0BOT> in a channel");
  slack.person("U0ANA").say("D0ANA", "direct");
  await slack.settled();
  expect(envelopes.map(({ body }) => body.event?.["text"])).toEqual(["direct"]);
});

test("edits, deletions, reactions, touches and the app's own posts come as the platform sends them", async () => {
  const { slack, client } = await startSlack();
  const { envelopes } = await collect(slack);
  const ana = slack.person("U0ANA");
  const ts = ana.say(channel, "one");
  ana.edit(channel, ts, "two");
  slack.touch(channel, ts);
  ana.react(channel, ts, "eyes");
  ana.delete(channel, ts);
  await client.chat.postMessage({ channel, text: "own" });
  await slack.settled();
  expect(envelopes.map(({ body }) => body.event)).toMatchObject([
    { type: "message", user: "U0ANA", text: "one", channel_type: "channel" },
    {
      subtype: "message_changed",
      message: { text: "two", edited: { user: "U0ANA" } },
      previous_message: { text: "one" },
    },
    { subtype: "message_changed", message: { text: "two" }, previous_message: { text: "two" } },
    { type: "reaction_added", reaction: "eyes", item: { ts } },
    { subtype: "message_deleted", deleted_ts: ts, previous_message: { text: "two" } },
    { type: "message", user: "U0BOT", bot_id: "B0BOT", app_id: "A0APP", text: "own" },
  ]);
  expect(envelopes[1]?.body.event).not.toHaveProperty("user");
  expect(envelopes[5]?.body.event).not.toHaveProperty("subtype");
});

test("a message that is deleted and has replies is changed to say so, and its thread stays", async () => {
  const { slack, client } = await startSlack();
  const { envelopes } = await collect(slack);
  const ana = slack.person("U0ANA");
  const ts = ana.say(channel, "one");
  await client.chat.postMessage({ channel, thread_ts: ts, text: "reply" });
  ana.delete(channel, ts);
  await slack.settled();
  expect(envelopes.at(-1)?.body.event).toMatchObject({
    subtype: "message_changed",
    message: { subtype: "tombstone", user: "USLACKBOT", ts, thread_ts: ts, reply_count: 1 },
    previous_message: { user: "U0ANA", text: "one" },
  });
  const { messages } = await client.conversations.replies({ channel, ts });
  expect(messages?.map(({ text }) => text)).toEqual(["This message was deleted.", "reply"]);
});

test("a partner's message carries the partner's team", async () => {
  const { slack } = await startSlack();
  const { envelopes } = await collect(slack);
  slack.person("U0PARTNER").say("C0SHARED", "<@U0BOT> hello");
  await slack.settled();
  expect(envelopes[0]?.body).toMatchObject({
    team_id: "T0ACME",
    is_ext_shared_channel: true,
    authorizations: [{ team_id: "T0ACME", user_id: "U0BOT" }],
    event: { user_team: "T0PARTNER" },
  });
});

test("what is not acknowledged within 3 s comes again at once, after 1 min and after 5 min, then never", async () => {
  const { slack, clock } = await startSlack();
  const received: (number | undefined)[] = [];
  await connect(slack, ({ retry_num }) => received.push(retry_num));
  slack.person("U0ANA").say("D0ANA", "hello");
  const seen = (count: number) => waitFor(`attempt ${count}`, () => received.length === count);
  await seen(1);
  for (const [attempt, delayMs] of [0, 60_000, 300_000].entries()) {
    clock.advance(3_000);
    await slack.settled();
    clock.advance(delayMs);
    await seen(attempt + 2);
  }
  clock.advance(3_000);
  await slack.settled();
  clock.advance(3_600_000);
  expect(received).toEqual([0, 1, 2, 3]);
  expect(slack.deliveries).toMatchObject([{ attempts: 4, state: "lost" }]);
});

test("the same envelope may come twice", async () => {
  const { slack } = await startSlack();
  const { envelopes } = await collect(slack);
  slack.duplicateNext();
  slack.person("U0ANA").say("D0ANA", "hello");
  await slack.settled();
  expect(envelopes).toHaveLength(2);
  expect(new Set(envelopes.map(({ body }) => body["event_id"])).size).toBe(1);
});

test("each envelope goes to one of the app's connections", async () => {
  const { slack } = await startSlack();
  const first = await collect(slack);
  const second = await collect(slack);
  for (let each = 0; each < 4; each += 1) slack.person("U0ANA").say("D0ANA", `m${each}`);
  await slack.settled();
  expect(first.envelopes).toHaveLength(2);
  expect(second.envelopes).toHaveLength(2);
});

describe("a connection", () => {
  test("is told that it will be closed, and closed", async () => {
    const { slack } = await startSlack();
    const { client } = await collect(slack);
    const gone = new Promise<void>((resolve) => client.once("disconnected", resolve));
    slack.socketMode.refresh();
    await waitFor("the client to notice", gone);
    expect(slack.socketMode.ready).toBe(0);
  });

  test("that breaks leaves its envelopes to another", async () => {
    const { slack, clock } = await startSlack();
    const received: unknown[] = [];
    await connect(slack, (envelope) => received.push(envelope));
    slack.person("U0ANA").say("D0ANA", "hello");
    await waitFor("the first attempt", () => received.length === 1);
    slack.socketMode.cut();
    await slack.settled();
    const { envelopes } = await collect(slack);
    clock.advance(0);
    await slack.settled();
    expect(envelopes).toMatchObject([{ retry_num: 1, retry_reason: "connection_failed" }]);
  });

  test("that stalls brings nothing and takes no acknowledgement", async () => {
    const { slack, clock } = await startSlack();
    const { envelopes } = await collect(slack);
    slack.socketMode.stall();
    slack.person("U0ANA").say("D0ANA", "hello");
    clock.advance(3_000);
    await slack.settled();
    expect(envelopes).toEqual([]);
    expect(slack.deliveries).toMatchObject([{ attempts: 1, state: "open" }]);
  });

  test("may be refused, never greeted, or sent away before it is greeted", async () => {
    const { slack } = await startSlack();
    for (const fault of ["refuse", "early-disconnect"] as const) {
      slack.socketMode.failNext(fault);
      const socket = new WebSocket(await openAddress(slack));
      const messages: string[] = [];
      socket.addEventListener("message", ({ data }) => messages.push(String(data)));
      await waitFor(
        fault,
        new Promise<void>((resolve) => socket.addEventListener("close", () => resolve())),
      );
      expect(messages.map((text) => JSON.parse(text).type)).toEqual(
        fault === "refuse" ? [] : ["disconnect"],
      );
    }
    slack.socketMode.failNext("no-hello");
    const silent = new WebSocket(await openAddress(slack));
    await waitFor("it to open", new Promise((done) => silent.addEventListener("open", done)));
    expect(slack.socketMode.ready).toBe(0);
    expect(slack.socketMode.greeted).toBe(0);
  });

  test("is one of at most 10", async () => {
    const { slack } = await startSlack();
    const last: string[] = [];
    for (let each = 1; each <= 11; each += 1) {
      const socket = new WebSocket(await openAddress(slack));
      const message = new Promise<string>((resolve) =>
        socket.addEventListener("message", ({ data }) => resolve(String(data))),
      );
      last.push(await waitFor(`socket ${each}`, message));
    }
    expect(JSON.parse(last[9] ?? "")).toMatchObject({ type: "hello", num_connections: 10 });
    expect(JSON.parse(last[10] ?? "")).toMatchObject({ reason: "too_many_websockets" });
  });

  test("needs a ticket that was not used before", async () => {
    const { slack } = await startSlack();
    const address = await openAddress(slack);
    const first = new WebSocket(address);
    await waitFor("it to open", new Promise((done) => first.addEventListener("open", done)));
    const again = new WebSocket(address);
    await waitFor("the refusal", new Promise((done) => again.addEventListener("error", done)));
    expect(slack.socketMode.ready).toBe(1);
  });
});

async function openAddress(slack: FakeSlack): Promise<string> {
  const response = await fetch(`${slack.apiUrl}apps.connections.open`, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.app.appToken}` },
  });
  const { url } = (await response.json()) as { url: string };
  return url;
}
