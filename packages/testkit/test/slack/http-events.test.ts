import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { signSlackRequest, waitFor } from "../../src/index.ts";
import { startApp } from "./app.ts";
import { startSlack } from "./rig.ts";

test("an event is signed over its time and its bytes", async () => {
  const app = await startApp();
  const { slack, clock } = await startSlack({ transport: { requestUrl: app.url } });
  slack.person("U0ANA").say("D0ANA", "grüße");
  await slack.settled();
  const [{ headers, body } = { headers: {}, body: "" }] = app.received;
  const timestamp = String(clock.now() / 1_000);
  const hmac = createHmac("sha256", slack.app.signingSecret);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${hmac.update(`v0:${timestamp}:${body}`).digest("hex")}`,
  });
  expect(headers).not.toHaveProperty("x-slack-retry-num");
  expect(JSON.parse(body)).toMatchObject({ api_app_id: "A0APP", event: { text: "grüße" } });
});

test("the signature is the one of Slack's own example", () => {
  const body =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  expect(signSlackRequest("8f742231b10e8888abcd99yyyzzz85a5", body, 1_531_420_618)).toBe(
    "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  );
});

test("an event that is not accepted comes again with its number and the reason", async () => {
  let status = 500;
  const app = await startApp(() => ({ status }));
  const { slack, clock } = await startSlack({ transport: { requestUrl: app.url } });
  slack.person("U0ANA").say("D0ANA", "hello");
  await slack.settled();
  status = 200;
  clock.advance(0);
  await slack.settled();
  expect(app.received[1]?.headers).toMatchObject({
    "x-slack-retry-num": "1",
    "x-slack-retry-reason": "http_error",
  });
  expect(app.received[1]?.body).toBe(app.received[0]?.body);
  expect(slack.deliveries).toMatchObject([{ attempts: 2, state: "acknowledged" }]);
});

test("an answer after 3 s is none", async () => {
  const app = await startApp(() => undefined);
  const { slack, clock } = await startSlack({ transport: { requestUrl: app.url } });
  slack.person("U0ANA").say("D0ANA", "hello");
  await waitFor("the request", () => app.received.length === 1);
  clock.advance(3_000);
  await slack.settled();
  clock.advance(0);
  await waitFor("the next", () => app.received.length === 2);
  expect(app.received[1]?.headers["x-slack-retry-reason"]).toBe("http_timeout");
});

test("an app may ask for no repeat", async () => {
  const app = await startApp(() => ({ status: 500, headers: { "x-slack-no-retry": "1" } }));
  const { slack, clock } = await startSlack({ transport: { requestUrl: app.url } });
  slack.person("U0ANA").say("D0ANA", "hello");
  await slack.settled();
  clock.advance(3_600_000);
  expect(slack.deliveries).toMatchObject([{ attempts: 1, state: "lost" }]);
});

test("a slash command is a form, and its answer is seen by its person alone", async () => {
  const app = await startApp(() => ({ body: JSON.stringify({ text: "done" }) }));
  const { slack } = await startSlack({ transport: { requestUrl: app.url } });
  await slack.person("U0ANA").slash("C0SHOP", "/agent", "status now");
  const form = new URLSearchParams(app.received[0]?.body);
  expect(Object.fromEntries(form)).toMatchObject({
    command: "/agent",
    text: "status now",
    user_id: "U0ANA",
    channel_id: "C0SHOP",
  });
  expect(form.has("thread_ts")).toBe(false);
  expect(slack.person("U0ANA").see("C0SHOP")).toBe("agent: done  (only you)");
  expect(slack.person("U0BOB").see("C0SHOP")).toBe("");
});
