import { SLACK_LIMITS, type SlackMessage, waitFor } from "@acp-kit/testkit";
import { expect, test } from "vitest";
import { KeptRelay, SOON_MS } from "./kept-relay.ts";
import { expectLongAnswer, longAnswer } from "./long-answer/answer.ts";
import { startEmulateFront } from "./long-answer/emulate-front.ts";
import { markdownOf, messagesOf } from "./loss-law/messages.ts";

const agent = {
  prompt: [{ kind: "text", text: longAnswer, pace: { size: 700, everyMs: 40 } }],
} as const;

test("20,000 characters with a long fence and a table of 150 rows arrive complete, well-formed and within all limits, as streams and as posts", {
  timeout: 2 * SOON_MS,
}, async () => {
  await using relay = await KeptRelay.start({ agent });
  const { slack } = relay;
  const ana = slack.person("U0ANA");
  const asked = [
    { channel: "D0ANA", ts: ana.say("D0ANA", "go"), isStream: true },
    { channel: "C0SHOP", ts: ana.say("C0SHOP", "<@U0BOT> go"), isStream: false },
  ];
  for (const { channel, ts, isStream } of asked) {
    const messages = () => messagesOf(slack.messages(channel), ts);
    await waitFor(`the answer in ${channel}`, () => isOver(messages()), SOON_MS);
    for (const message of messages()) expectWithinLimits(message);
    expect(messages().every(({ stream }) => (stream !== undefined) === isStream)).toBe(true);
    expectLongAnswer(messages().map((message) => markdownOf(message).join("")));
  }
  const refused = slack.calls.filter(({ method, outcome }) => {
    return method.startsWith("chat.") && outcome !== "ok" && outcome !== "ratelimited";
  });
  expect(refused).toEqual([]);
});

test("the same answer arrives complete and well-formed on an emulator that others wrote, which has no streams", {
  timeout: 2 * SOON_MS,
}, async () => {
  await using front = await startEmulateFront();
  await using relay = await KeptRelay.start({
    ...{ agent, transport: "http" },
    config: { bots: { chat: { surface: "slack", ...front.bot } } },
  });
  const asked = [
    { channel: front.direct, text: "go" },
    { channel: front.channel, text: `<@${front.botUser}> go` },
  ];
  const threads = await Promise.all(
    asked.map(async ({ channel, text }) => ({
      channel,
      ts: await front.say(relay.requestUrl, channel, text),
    })),
  );
  for (const { channel, ts } of threads) {
    const isThere = async () => isEnded((await front.replies(channel, ts)).flat());
    await waitFor(`the answer in ${channel}`, isThere, SOON_MS);
    const messages = await front.replies(channel, ts);
    const bodies = messages.map((blocks) => blocks.map(({ text }) => String(text)).join(""));
    for (const body of bodies) {
      expect([...body].length).toBeLessThanOrEqual(SLACK_LIMITS.markdownChars);
    }
    expectLongAnswer(bodies);
  }
  // It has no streams and no status of a thread, so of those this shows nothing.
  expect(front.lacking).toContain("chat.startStream");
  expect([...front.lacking].filter((method) => !LACKING.has(method))).toEqual([]);
});

const LACKING = new Set([
  "agents.sessions.setStatus",
  "assistant.threads.setStatus",
  "chat.startStream",
]);

type Block = { readonly type?: unknown; readonly text?: unknown };

/** All of it is there, and nothing that vanishes at the end. */
function isEnded(blocks: readonly Block[]): boolean {
  return (
    blocks.every(({ type }) => type === "markdown") &&
    blocks.some(({ text }) => String(text).includes("The end."))
  );
}

function isOver(messages: readonly SlackMessage[]): boolean {
  const texts = messages.flatMap(markdownOf);
  return (
    texts.some((text) => text.includes("The end.")) &&
    messages.every(({ stream, blocks }) => {
      return stream?.state !== "in_progress" && blocks.every(({ type }) => type === "markdown");
    })
  );
}

function expectWithinLimits({ text, blocks, stream }: SlackMessage): void {
  const lengthOf = (texts: readonly string[]) => [...texts.join("")].length;
  const { markdownChars, messageChars, messageBlocks, updateChars } = SLACK_LIMITS;
  const markdown = blocks.map((block) => String(block["text"]));
  const parts = stream?.parts ?? [];
  expect(lengthOf(markdown)).toBeLessThanOrEqual(markdownChars);
  expect(lengthOf([text])).toBeLessThanOrEqual(updateChars);
  expect(
    lengthOf(parts.map((part) => (part.kind === "text" ? part.text : ""))),
  ).toBeLessThanOrEqual(messageChars);
  expect(blocks.length + parts.length).toBeLessThanOrEqual(messageBlocks);
}
