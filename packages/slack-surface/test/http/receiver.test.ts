import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeSlack, ManualClock, signSlackRequest, waitFor } from "@acp-kit/testkit";
import { getRequestListener } from "@hono/node-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { SlackReceiver, type SocketEnvelope } from "../../src/index.ts";

const SECRET = "fake-signing-secret";

function start(onEnvelope: (envelope: SocketEnvelope) => void = ({ ack }) => ack()) {
  const clock = new ManualClock();
  const envelopes: SocketEnvelope[] = [];
  const receiver = new SlackReceiver({
    signingSecrets: [SECRET, "the-next-secret"],
    clock,
    onEnvelope: (envelope) => {
      envelopes.push(envelope);
      onEnvelope(envelope);
    },
  });
  return { clock, envelopes, receiver };
}

const event = (id = "Ev1") =>
  JSON.stringify({ type: "event_callback", event_id: id, event: { type: "message", text: "ü" } });

type Part = { secret?: string; skewMs?: number; signature?: string; type?: string; retry?: number };

/** A request as the platform makes it, or somebody else. */
function signed(clock: ManualClock, body: string, part: Part = {}): Request {
  const { secret = SECRET, skewMs = 0, type = "application/json", retry } = part;
  const timestamp = Math.floor((clock.now() + skewMs) / 1_000);
  return new Request("https://relay.example/slack", {
    method: "POST",
    headers: {
      "content-type": type,
      "x-slack-request-timestamp": String(timestamp),
      "x-slack-signature": part.signature ?? signSlackRequest(secret, body, timestamp),
      ...(retry !== undefined && { "x-slack-retry-num": String(retry) }),
    },
    body,
  });
}

test("events, clicks and commands of the platform are brought as over a socket", async () => {
  const { clock, envelopes, receiver } = start(({ kind, ack }) =>
    ack(kind === "slash_commands" ? { text: "done" } : undefined),
  );
  const server = createServer(getRequestListener((request) => receiver.fetch(request)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const requestUrl = `http://127.0.0.1:${port}/slack`;
  const slack = await FakeSlack.start({ clock, transport: { requestUrl } });
  onTestFinished(async () => {
    await slack[Symbol.asyncDispose]();
    server.close();
    server.closeAllConnections();
  });
  const ana = slack.person("U0ANA");
  const ts = ana.say("C0SHOP", "<@U0BOT> grüße");
  await slack.settled();
  await ana.shortcut("C0SHOP", ts, "ask");
  await ana.slash("C0SHOP", "/agent", "status");
  expect(envelopes.map(({ kind }) => kind)).toEqual([
    "events_api",
    "events_api",
    "interactive",
    "slash_commands",
  ]);
  expect(envelopes[0]?.payload).toMatchObject({ event: { text: "<@U0BOT> grüße" } });
  expect(ana.see("C0SHOP")).toContain("agent: done  (only you)");
  expect(slack.deliveries.every(({ state }) => state === "acknowledged")).toBe(true);
});

describe("C37 a request is refused", () => {
  test.each<[what: string, part: Part]>([
    ["with another secret's signature", { secret: "other" }],
    ["with an empty secret's signature", { secret: "" }],
    ["with no signature", { signature: "" }],
    ["with a signature of another form", { signature: `v1=${"0".repeat(64)}` }],
    ["from more than 5 minutes ago", { skewMs: -301_000 }],
    ["from more than 5 minutes ahead", { skewMs: 301_000 }],
  ])("%s", async (_what, part) => {
    const { clock, envelopes, receiver } = start();
    expect((await receiver.fetch(signed(clock, event(), part))).status).toBe(401);
    expect(envelopes).toEqual([]);
  });

  test("when its body is not the one that was signed", async () => {
    const { clock, envelopes, receiver } = start();
    const { headers } = signed(clock, event("Ev1"));
    const forged = new Request("https://relay.example/slack", {
      method: "POST",
      headers,
      body: event("Ev2"),
    });
    expect((await receiver.fetch(forged)).status).toBe(401);
    expect(envelopes).toEqual([]);
  });

  test("when the very same one has come before", async () => {
    const { clock, envelopes, receiver } = start();
    expect((await receiver.fetch(signed(clock, event()))).status).toBe(200);
    expect((await receiver.fetch(signed(clock, event()))).status).toBe(401);
    expect(envelopes).toHaveLength(1);
  });

  test("above 1 MiB, before its signature is looked at", async () => {
    const { clock, receiver } = start();
    const body = (bytes: number) => event("x".repeat(bytes - Buffer.byteLength(event(""))));
    const fits = signed(clock, body(1_048_576), { secret: "other" });
    expect((await receiver.fetch(fits)).status).toBe(401);
    expect((await receiver.fetch(signed(clock, body(1_048_577)))).status).toBe(413);
    const stream = new Blob([body(1_048_577)]).stream();
    const { headers } = signed(clock, "");
    const request = new Request("https://relay.example/slack", {
      method: "POST",
      headers,
      body: stream,
      duplex: "half",
    } as RequestInit);
    expect((await receiver.fetch(request)).status).toBe(413);
  });
});

test("within 5 minutes, and with the next secret, a request counts", async () => {
  const { clock, receiver } = start();
  const early = signed(clock, event("Ev1"), { skewMs: -299_000 });
  expect((await receiver.fetch(early)).status).toBe(200);
  const next = signed(clock, event("Ev2"), { secret: "the-next-secret" });
  expect((await receiver.fetch(next)).status).toBe(200);
});

describe("an event", () => {
  test("that was acknowledged is not brought again, however often it comes", async () => {
    const { clock, envelopes, receiver } = start();
    await receiver.fetch(signed(clock, event()));
    clock.advance(60_000);
    expect((await receiver.fetch(signed(clock, event(), { retry: 1 }))).status).toBe(200);
    expect(envelopes).toHaveLength(1);
  });

  test("that was not is asked for again after 2.9 s, and brought again", async () => {
    const { clock, envelopes, receiver } = start(() => undefined);
    const first = receiver.fetch(signed(clock, event()));
    await waitFor("the envelope", () => envelopes.length === 1);
    clock.advance(2_900);
    expect((await first).status).toBe(503);
    void receiver.fetch(signed(clock, event(), { retry: 1 }));
    await waitFor("the next", () => envelopes.length === 2);
    expect(envelopes[1]?.retry).toBe(1);
  });

  test("that is acknowledged late need not come again", async () => {
    const { clock, envelopes, receiver } = start(() => undefined);
    const first = receiver.fetch(signed(clock, event()));
    await waitFor("the envelope", () => envelopes.length === 1);
    clock.advance(2_900);
    await first;
    envelopes[0]?.ack();
    expect((await receiver.fetch(signed(clock, event(), { retry: 1 }))).status).toBe(200);
    expect(envelopes).toHaveLength(1);
  });
});

test("a click that nobody answers in time is answered: it will not come again", async () => {
  const { clock, envelopes, receiver } = start(() => undefined);
  const type = "application/x-www-form-urlencoded";
  const click = receiver.fetch(signed(clock, "payload=%7B%7D", { type }));
  await waitFor("the envelope", () => envelopes.length === 1);
  clock.advance(2_900);
  expect((await click).status).toBe(200);
});

test("the platform's questions about the address are answered", async () => {
  const { clock, receiver } = start();
  const challenge = JSON.stringify({ type: "url_verification", challenge: "abc" });
  expect(await (await receiver.fetch(signed(clock, challenge))).text()).toBe("abc");
  const type = "application/x-www-form-urlencoded";
  expect((await receiver.fetch(signed(clock, "ssl_check=1", { type }))).status).toBe(200);
  expect((await receiver.fetch(signed(clock, "nonsense"))).status).toBe(400);
  expect((await receiver.fetch(new Request("https://relay.example/slack"))).status).toBe(405);
});
