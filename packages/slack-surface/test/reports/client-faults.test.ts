import { waitFor } from "@acp-kit/testkit";
import { SocketModeClient } from "@slack/socket-mode";
import { WebClient, WebClientEvent, type WebClientOptions } from "@slack/web-api";
import { expect, test } from "vitest";
import {
  createSlackCaller,
  createSlackSocketOpener,
  NativeStreamPublisher,
  PostEditPublisher,
  SocketSupervisor,
  StreamSlots,
} from "../../src/index.ts";
import { startThread } from "../publish/publish-rig.ts";
import { createQueue, startSlack } from "../rig.ts";
import { createTheirClient, quietLogger } from "./slack-clients.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";

// Each test first has Slack's own client show its fault, as far as a test can wait for it, and then does the same with
// what this package makes of that client.

test("a limit of one method holds up every call of Slack's client, and no other call of ours", async () => {
  const rig = await startSlack();
  const update = { channel: "C0SHOP", ts: rig.slack.person("U0ANA").say("C0SHOP", "x"), text: "y" };
  const post = { channel: "C0SHOP", text: "urgent" };
  rig.slack.fail("chat.update", { kind: "rate-limit", retryAfterS: 1 });
  const theirs = createTheirClient(rig.slack);
  const limited = theirs.chat.update(update).catch(() => undefined);
  await new Promise<unknown>((resolve) => theirs.once(WebClientEvent.RATE_LIMITED, resolve));
  const before = performance.now();
  await theirs.chat.postMessage(post);
  expect(performance.now() - before).toBeGreaterThan(900);
  await limited;

  const { queue, quiet } = createQueue(rig);
  rig.slack.fail("chat.update", { kind: "rate-limit", retryAfterS: 3_600 });
  const args = () => update;
  void queue.run({ method: "chat.update", channel: "C0SHOP", priority: "final", args });
  await quiet();
  // The clock stands still: nothing was waited for.
  const request = { method: "chat.postMessage", channel: "C0SHOP", args: () => post };
  const posted = queue.run({ ...request, priority: "status" });
  expect(await waitFor("the post", posted)).toMatchObject({ kind: "ok" });
  expect(queue.length).toBe(1);
});

test("Slack's client waits for an answer without end, ours 15 s or as long as it is told", async () => {
  const { slack, call } = await startSlack();
  const { apiUrl, app } = slack;
  slack.fail("auth.test", { kind: "hang" }, 2);
  let isTheirsOver = false;
  void createTheirClient(slack)
    .auth.test()
    .catch(() => undefined)
    .finally(() => {
      isTheirsOver = true;
    });
  const told = createSlackCaller({ token: app.botToken, apiUrl, timeoutMs: 1_000 });
  const before = performance.now();
  const ended = await waitFor("our end", (isSoak ? call : told)("auth.test", {}), 20_000);
  expect(ended.kind).toBe("unknown");
  expect(performance.now() - before).toBeGreaterThan(isSoak ? 14_900 : 900);
  expect(isTheirsOver).toBe(false);
});

test("a post whose answer is lost is made twice by Slack's client, and once by ours", async () => {
  const channel = "C0SHOP";
  const rig = await startThread(channel);
  rig.slack.fail("chat.postMessage", { kind: "lose-answer" });
  const message = { channel, thread_ts: rig.thread, text: "theirs" };
  await createTheirClient(rig.slack).chat.postMessage(message);
  expect(rig.messages().map(({ text }) => text)).toEqual(["theirs", "theirs"]);

  rig.slack.fail("chat.postMessage", { kind: "lose-answer" });
  using publisher = new PostEditPublisher(rig.shared);
  expect(await rig.wait(publisher.finish("ours"))).toEqual({ kind: "published" });
  expect(rig.messages().map(({ text }) => text)).toEqual(["theirs", "theirs", "ours"]);
});

test("options that Slack's socket is given change for every client that shares them; ours share none", async () => {
  const { slack, clock } = await startSlack();
  const message = { channel: "C0SHOP", text: "once" };
  const texts = () => slack.messages("C0SHOP").map(({ text }) => text);
  const { apiUrl, app } = slack;
  const shared: WebClientOptions = { slackApiUrl: apiUrl, logger: quietLogger };
  new SocketModeClient({ appToken: app.appToken, clientOptions: shared, logger: quietLogger });
  expect(shared.retryConfig).toEqual({ retries: 100, factor: 1.3 });
  slack.fail("chat.postMessage", { kind: "lose-answer" });
  await new WebClient(app.botToken, shared).chat.postMessage(message);
  expect(texts()).toEqual(["once", "once"]);

  const options = Object.freeze({ apiUrl, timeoutMs: 5_000 });
  using supervisor = new SocketSupervisor({
    open: createSlackSocketOpener({
      call: createSlackCaller(Object.freeze({ ...options, token: app.appToken })),
      clock,
    }),
    clock,
    onEnvelope: () => undefined,
  });
  await waitFor("the connections", () => supervisor.health.ready === 2);
  slack.fail("chat.postMessage", { kind: "lose-answer" });
  const call = createSlackCaller(Object.freeze({ ...options, token: app.botToken }));
  expect((await call("chat.postMessage", message)).kind).toBe("unknown");
  expect(texts()).toEqual(["once", "once", "once"]);
});

test("pieces that come while a stream starts are told again by Slack's helper, and once by ours", async () => {
  const channel = "D0ANA";
  const rig = await startThread(channel);
  const letters = ["a", "b", "c"].map((letter) => letter.repeat(300));
  const [a = "", b = "", c = ""] = letters;
  const streamer = createTheirClient(rig.slack).chatStream({
    channel,
    thread_ts: rig.thread,
    recipient_user_id: "U0ANA",
    recipient_team_id: "T0ACME",
  });
  await Promise.all(letters.map((text) => streamer.append({ markdown_text: text })));
  expect(rig.bodies().sort()).toEqual([a, a + b, a + b + c]);

  const before = rig.messages().length;
  using publisher = new NativeStreamPublisher({
    ...rig.shared,
    slots: new StreamSlots(rig.queue),
    recipient: { user: "U0ANA", team: "T0ACME" },
  });
  for (const text of [a, a + b]) publisher.write({ text });
  expect(await rig.wait(publisher.finish(a + b + c))).toEqual({ kind: "published" });
  expect(rig.bodies().slice(before)).toEqual([a + b + c]);
});
