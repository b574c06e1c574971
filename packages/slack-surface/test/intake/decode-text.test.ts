import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSlackText } from "../../src/intake/decode-text.ts";

const cases: readonly [wire: string, text: string][] = [
  ["a &lt; b &amp;&amp; b &gt; c", "a < b && b > c"],
  ["&amp;lt;", "&lt;"],
  ["ask <@U0ANA>", "ask @ana"],
  ["ask <@U0BOB|bob>", "ask @bob"],
  ["ask <@U0XYZ>", "ask @U0XYZ"],
  ["in <#C0SHOP|shop>", "in #shop"],
  ["in <#C0SHOP|>", "in #C0SHOP"],
  ["see <https://e.example/a?x=1&amp;y=2>", "see https://e.example/a?x=1&y=2"],
  ["see <https://e.example/a|the docs>", "see [the docs](https://e.example/a)"],
  ["see <https://e.example|e.example>", "see e.example"],
  ["see <https://e.example/|a [b]>", "see [a \\[b\\]](https://e.example/)"],
  ["to <mailto:jane@e.example|jane@e.example>", "to jane@e.example"],
  ["<!here> and <!channel|channel>", "@here and @channel"],
  ["<!subteam^S012|@devs> and <!subteam^S012>", "@devs and @S012"],
  ["at <!date^1392734382^{date}|noon>", "at noon"],
  ["1 &lt;2&gt; 3", "1 <2> 3"],
];

test.each(cases)("%s is read as: %s", (wire, text) => {
  const user = (id: string) => (id === "U0ANA" ? "ana" : undefined);
  expect(decodeSlackText(wire, { user })).toBe(text);
});

test("text without tokens comes back as it was written, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const wire = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      expect(decodeSlackText(wire)).toBe(text);
    }),
  );
});
