import { expect, test } from "vitest";
import { EMPTY_FEED, type Feed, reduceFeed } from "../../src/slack-terminal/feed.ts";

/** Feeds frames of `key: text`, a second apart, to a feed that prints what was quiet for as long. */
function printedOf(...frames: readonly Readonly<Record<string, string>>[]): string[] {
  let feed: Feed = EMPTY_FEED;
  const printed: string[] = [];
  for (const [at, frame] of frames.entries()) {
    const items = Object.entries(frame).map(([key, text]) => ({ key, lines: text.split("\n") }));
    const step = reduceFeed(feed, items, { now: at * 1_000, quietMs: 1_000 });
    feed = step.feed;
    printed.push(...step.print);
  }
  return printed;
}

const one = "[1] agent: one";

test("what still changes is not printed", () => {
  expect(printedOf({ a: one }, { a: `${one} two` }, { a: `${one} two three` })).toEqual([]);
});

test("what has stayed as it is, is printed once", () => {
  expect(printedOf({ a: one }, { a: one }, { a: one })).toEqual([one]);
});

test("a message that goes on later is printed from its first other line on", () => {
  const grown = `${one}\n      two\n      three`;
  expect(printedOf({ a: one }, { a: one }, { a: grown }, { a: grown })).toEqual([
    one,
    "[1] agent: … two",
    "      three",
  ]);
});

test("a message whose first line has changed is printed whole", () => {
  const changed = "[1] agent: uno";
  expect(printedOf({ a: one }, { a: one }, { a: changed }, { a: changed })).toEqual([one, changed]);
});

test("lines that went are said to be gone, and so is a message", () => {
  const long = `${one}\n      status`;
  expect(printedOf({ a: long }, { a: long }, { a: one }, { a: one }, {})).toEqual([
    one,
    "      status",
    "[1] agent: …",
    `${one} (gone)`,
  ]);
});

test("one that still changes holds up no other", () => {
  const two = "[2] ana: two";
  expect(printedOf({ a: one, b: two }, { a: `${one}.`, b: two })).toEqual([two]);
});
