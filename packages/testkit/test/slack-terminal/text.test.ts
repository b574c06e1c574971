import fc from "fast-check";
import { expect, test } from "vitest";
import { formatMessage } from "../../src/slack-terminal/format-message.ts";
import { harmlessText } from "../../src/slack-terminal/harmless-text.ts";
import { columnsOf, wrapLines } from "../../src/slack-terminal/wrap-lines.ts";

const anything = fc.string({ unit: "binary" });

test("nothing that a terminal acts on is left of any text", () => {
  fc.assert(
    fc.property(anything, (text) => {
      expect(harmlessText(text)).not.toMatch(/(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
});

test.each([
  ["a\u001b[31mb\u001b[0m", "ab"],
  ["a\u001b]52;c;b3duZWQ=\u0007b", "ab"],
  ["a\rb\u0008c\u009b2Jd", "abcd"],
  ["a\tb\nc", "a    b\nc"],
  ["ab\u202etxt.exe", "abtxt.exe"],
])("%j is shown as %j", (text, shown) => {
  expect(harmlessText(text)).toBe(shown);
});

test("a wrapped line is never wider than there is room, and loses nothing", () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 2, max: 40 }), (text, columns) => {
      const lines = wrapLines([text], columns);
      expect(lines.join("")).toBe(text);
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("names, entities and buttons of a message are shown as somebody would read them", () => {
  const button = { channel: "C", ts: "1", blockId: "b", value: "", text: "Yes" };
  const lines = formatMessage(
    {
      ts: "1",
      threadTs: undefined,
      author: "agent",
      user: "U0BOT",
      text: "<@U0ANA> a &lt;b&gt; &amp;amp;\n[Yes] [Yes]",
      marks: [":eyes:1"],
      buttons: [
        { ...button, actionId: "one" },
        { ...button, actionId: "two" },
      ],
    },
    7,
    ({ actionId }) => (actionId === "one" ? 1 : 2),
    () => "@ana",
  );
  expect(lines).toEqual(["[7] agent: @ana a <b> &amp;", "      [1 Yes] [2 Yes]  :eyes:1"]);
});
