import { describe, expect, test } from "vitest";
import { letters, outcomeOf, startSlack } from "./rig.ts";

const channel = "C0SHOP";

test("a post of 40,000 characters is whole, one of 40,001 loses the last with a warning", async () => {
  const { slack, client } = await startSlack();
  await client.chat.postMessage({ channel, text: letters(40_000) });
  const cut = await client.chat.postMessage({ channel, text: `${letters(40_000)}b` });
  expect(cut.response_metadata?.warnings).toEqual(["message_truncated"]);
  expect(slack.messages(channel).map(({ text }) => text.length)).toEqual([40_000, 40_000]);
});

test("an edit may have 4,000 characters, and not 4,001", async () => {
  const { client } = await startSlack();
  const { ts = "" } = await client.chat.postMessage({ channel, text: "first" });
  expect(await outcomeOf(client.chat.update({ channel, ts, text: letters(4_000) }))).toBe("ok");
  expect(await outcomeOf(client.chat.update({ channel, ts, text: letters(4_001) }))).toBe(
    "msg_too_long",
  );
});

test("markdown_text may have 12,000 characters, not 12,001, and neither text nor blocks beside it", async () => {
  const { client } = await startSlack();
  const post = (args: Record<string, unknown>) =>
    outcomeOf(client.apiCall("chat.postMessage", { channel, ...args }));
  expect(await post({ markdown_text: letters(12_000) })).toBe("ok");
  expect(await post({ markdown_text: letters(12_001) })).toBe("msg_too_long");
  expect(await post({ markdown_text: "a", text: "b" })).toBe("markdown_text_conflict");
  expect(await post({ markdown_text: "a", blocks: [{ type: "divider" }] })).toBe(
    "markdown_text_conflict",
  );
});

test("a message needs a text or blocks", async () => {
  const { client } = await startSlack();
  expect(await outcomeOf(client.apiCall("chat.postMessage", { channel }))).toBe("no_text");
});

test("50 blocks are a message, 51 are not", async () => {
  const { client } = await startSlack();
  const post = (count: number) =>
    outcomeOf(
      client.apiCall("chat.postMessage", {
        channel,
        blocks: Array.from({ length: count }, () => ({ type: "divider" })),
      }),
    );
  expect(await post(50)).toBe("ok");
  expect(await post(51)).toBe("msg_blocks_too_many");
});

test("the markdown blocks of a message may have 12,000 characters together", async () => {
  const { client } = await startSlack();
  const post = (last: number) =>
    outcomeOf(
      client.apiCall("chat.postMessage", {
        channel,
        blocks: [
          { type: "markdown", text: letters(6_000) },
          { type: "markdown", text: letters(last) },
        ],
      }),
    );
  expect(await post(6_000)).toBe("ok");
  expect(await post(6_001)).toBe("msg_blocks_too_long");
});

const plain = (text: string) => ({ type: "plain_text", text });
const button = (part: object) => ({ type: "button", action_id: "a", text: plain("Yes"), ...part });
const actions = (elements: readonly object[]) => ({ type: "actions", elements });
const buttons = (count: number) =>
  actions(Array.from({ length: count }, (_, at) => button({ action_id: `a${at}` })));
const row = (cells: number) =>
  Array.from({ length: cells }, () => ({ type: "raw_text", text: "x" }));

/** What just fits, and what does not. */
const borders: readonly [what: string, fits: object, over: object][] = [
  [
    "3,000 characters in a section",
    { type: "section", text: plain(letters(3_000)) },
    { type: "section", text: plain(letters(3_001)) },
  ],
  [
    "10 fields in a section",
    { type: "section", fields: Array.from({ length: 10 }, () => plain("x")) },
    { type: "section", fields: Array.from({ length: 11 }, () => plain("x")) },
  ],
  [
    "2,000 characters in a field",
    { type: "section", fields: [plain(letters(2_000))] },
    { type: "section", fields: [plain(letters(2_001))] },
  ],
  [
    "150 characters in a header",
    { type: "header", text: plain(letters(150)) },
    { type: "header", text: plain(letters(151)) },
  ],
  [
    "10 elements in a context",
    { type: "context", elements: Array.from({ length: 10 }, () => plain("x")) },
    { type: "context", elements: Array.from({ length: 11 }, () => plain("x")) },
  ],
  ["25 buttons in a row", buttons(25), buttons(26)],
  [
    "75 characters on a button",
    actions([button({ text: plain(letters(75)) })]),
    actions([button({ text: plain(letters(76)) })]),
  ],
  [
    "2,000 characters in a button's value",
    actions([button({ value: letters(2_000) })]),
    actions([button({ value: letters(2_001) })]),
  ],
  [
    "255 characters in an action_id",
    actions([button({ action_id: letters(255) })]),
    actions([button({ action_id: letters(256) })]),
  ],
  [
    "255 characters in a block_id",
    { type: "divider", block_id: letters(255) },
    { type: "divider", block_id: letters(256) },
  ],
  [
    "12,000 characters in a markdown block",
    { type: "markdown", text: letters(12_000) },
    { type: "markdown", text: letters(12_001) },
  ],
  [
    "100 rows in a table",
    { type: "table", rows: Array.from({ length: 100 }, () => row(1)) },
    { type: "table", rows: Array.from({ length: 101 }, () => row(1)) },
  ],
  [
    "20 cells in a row of a table",
    { type: "table", rows: [row(20)] },
    { type: "table", rows: [row(21)] },
  ],
  [
    "a button of each action_id",
    actions([button({}), button({ action_id: "b" })]),
    actions([button({}), button({})]),
  ],
  [
    "a style of its own for a button",
    actions([button({ style: "danger" })]),
    actions([button({ style: "red" })]),
  ],
  ["blocks of a known type", { type: "divider" }, { type: "marquee" }],
  ["a section with a text", { type: "section", text: plain("x") }, { type: "section" }],
];

describe("the blocks of a message", () => {
  test.each(borders)("may have %s, and not more", async (_what, fits, over) => {
    const { client } = await startSlack();
    const post = (block: object) =>
      outcomeOf(client.apiCall("chat.postMessage", { channel, blocks: [block] }));
    expect(await post(fits)).toBe("ok");
    expect(await post(over)).toBe("invalid_blocks");
  });

  test("may not have the same block_id twice", async () => {
    const { client } = await startSlack();
    const blocks = [
      { type: "divider", block_id: "same" },
      { type: "divider", block_id: "same" },
    ];
    expect(await outcomeOf(client.apiCall("chat.postMessage", { channel, blocks }))).toBe(
      "invalid_blocks",
    );
  });
});
