import { expect, test } from "vitest";
import type { Rig } from "./rig.ts";
import { createClient, outcomeOf, startSlack } from "./rig.ts";

const channel = "C0SHOP";

/** How many calls pass before one is limited, and after how many seconds the next passes. */
async function probe(
  rig: Rig,
  call: () => Promise<unknown>,
): Promise<[passed: number, waitS: number]> {
  let passed = 0;
  while ((await outcomeOf(call())) === "ok") passed += 1;
  const wait = await call().then(
    () => 0,
    (error: { retryAfter?: number }) => error.retryAfter ?? 0,
  );
  rig.clock.advance(wait * 1_000);
  expect(await outcomeOf(call())).toBe("ok");
  return [passed, wait];
}

test("streams start 20 times a minute, and the 21st waits for the first to be a minute old", async () => {
  const rig = await startSlack();
  const thread_ts = rig.slack.person("U0ANA").say("D0ANA", "hello");
  const start = () => rig.client.chat.startStream({ channel: "D0ANA", thread_ts });
  expect(await probe(rig, start)).toEqual([20, 60]);
});

test("messages are edited 50 times a minute in the whole workspace", async () => {
  const rig = await startSlack();
  const places = ["C0SHOP", "D0ANA"];
  const posted = await Promise.all(
    places.map((place) => rig.client.chat.postMessage({ channel: place, text: "x" })),
  );
  let turn = 0;
  const edit = () => {
    turn += 1;
    const { ts = "", channel: place = "" } = posted[turn % 2] ?? {};
    return rig.client.chat.update({ channel: place, ts, text: "y" });
  };
  expect(await probe(rig, edit)).toEqual([50, 60]);
});

test("a stream is appended to 100 times a minute", async () => {
  const rig = await startSlack();
  const thread_ts = rig.slack.person("U0ANA").say("D0ANA", "hello");
  const { ts = "" } = await rig.client.chat.startStream({ channel: "D0ANA", thread_ts });
  const append = () =>
    rig.client.chat.appendStream({
      channel: "D0ANA",
      ts,
      chunks: [{ type: "markdown_text", text: "x" }],
    });
  expect(await probe(rig, append)).toEqual([100, 60]);
});

test("a channel takes a post a second, after a burst of 5; another channel has its own", async () => {
  const rig = await startSlack();
  expect(await probe(rig, () => rig.client.chat.postMessage({ channel, text: "x" }))).toEqual([
    5, 1,
  ]);
  expect(await outcomeOf(rig.client.chat.postMessage({ channel: "D0ANA", text: "x" }))).toBe("ok");
});

test("a workspace takes 300 posts a minute in all its channels", async () => {
  const channels = Array.from({ length: 61 }, (_, at) => ({
    id: `C${at}`,
    name: `c${at}`,
    kind: "public" as const,
    members: ["U0BOT"],
  }));
  const rig = await startSlack({ channels });
  let turn = 0;
  const post = () => {
    turn += 1;
    return rig.client.chat.postMessage({ channel: `C${turn % 61}`, text: "x" });
  };
  expect(await probe(rig, post)).toEqual([300, 60]);
});

test("an app that is sold outside of the Marketplace reads one page a minute, of 15 messages", async () => {
  const rig = await startSlack({ app: { isCommercial: true } });
  for (let each = 0; each < 20; each += 1) rig.slack.person("U0ANA").say(channel, `m${each}`);
  const read = () => rig.client.conversations.history({ channel, limit: 100 });
  const page = await read();
  expect(page.messages).toHaveLength(15);
  rig.clock.advance(60_000);
  expect(await probe(rig, read)).toEqual([1, 60]);
});

test("an internal app reads 50 pages a minute", async () => {
  const rig = await startSlack();
  expect(await probe(rig, () => rig.client.conversations.history({ channel }))).toEqual([50, 60]);
});

test("a limited call may also be answered with status 200", async () => {
  const { slack, client } = await startSlack();
  slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 3, status: 200 });
  const refused = client.chat.postMessage({ channel, text: "x" });
  await expect(refused).rejects.toMatchObject({ data: { ok: false, error: "ratelimited" } });
  expect(slack.messages(channel)).toEqual([]);
});

test("Retry-After tells the seconds of a 429", async () => {
  const { slack } = await startSlack();
  slack.fail("chat.postMessage", { kind: "rate-limit", retryAfterS: 7 });
  const refused = createClient(slack.apiUrl, slack.app.botToken).chat.postMessage({
    channel,
    text: "x",
  });
  await expect(refused).rejects.toMatchObject({ retryAfter: 7 });
});

test("without limits of rate, nothing is limited", async () => {
  const { client } = await startSlack({ rates: false });
  for (let each = 0; each < 30; each += 1) await client.chat.postMessage({ channel, text: "x" });
  expect(await outcomeOf(client.chat.postMessage({ channel, text: "x" }))).toBe("ok");
});
