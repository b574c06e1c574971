import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { textOf } from "../../src/renderer/patches.ts";
import {
  MAX_OPEN_LINES,
  MAX_OPEN_UNITS,
  MAX_STEP_UNITS,
  type Settled,
} from "../../src/renderer/settled.ts";
import { walkTree } from "../../src/renderer/walk-tree.ts";
import { expectToGrow } from "./expect-to-grow.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
const LENGTH = 30_000;

/** The beginning of a text, and what its rest consists of. */
const hostile: readonly (readonly [string, string, string])[] = [
  ["lines that go on with a paragraph in a deep list", "- ".repeat(40), "a\n"],
  ["lines that go on with one in a deep quote", "> ".repeat(30), "a\n"],
  ["lines of a quote within others", "> - ".repeat(15), "> a\n"],
  ["underlined headings", "", "a\n=\n"],
  ["underlined headings in a quote", "", "> a\n> =\n"],
  ["quotes", "", "> a\n\n"],
  ["empty quotes", "", ">\n\n"],
  ["lists and paragraphs", "", "- a\n\nb\n\n"],
  ["empty lines in a deep list", `${"- ".repeat(40)}a`, "\n"],
  ["empty lines of code in a deep list", `${"- ".repeat(30)}\`\`\`\n`, "\n"],
  ["rows of a table in a quote", "> |a|\n> |-|\n", "> |a\n"],
  ["carriage returns", "> ".repeat(30), "a\r"],
  ["links in one line", "", "[a](b) "],
  ["brackets in one line", "", "["],
  ["words in one line", "", "a "],
  ["columns of a table", "", "|a"],
  ["tags", "<div>\n", "<a\n"],
  ["a comment", "<!--\n", "a\n"],
  ["a name's title", "[a]: b '", "a\n"],
  ["lines in brackets", "[", "a\n"],
  ["code that is indented", "- a\n\n", `${" ".repeat(6)}a\n`],
  ["items in an item", "- a\n", "  - b\n"],
];

const textOfKind = (start: string, unit: string, length = LENGTH) =>
  (start + unit.repeat(length / unit.length)).slice(0, length);

describe("of a text of any length, not more is read again than may be open", () => {
  test.each(hostile)("%s", (_, start, unit) => {
    const text = textOfKind(start, unit);
    let settled: Settled | undefined;
    for (let length = 1_999; length < LENGTH; length += 1_999) {
      settled = renderMarkdown(text.slice(0, length), true, settled).settled;
      if (settled.isPlain) continue;
      const open = settled.context + text.slice(settled.source.length, length);
      expect(open.split("\n").length).toBeLessThan(MAX_OPEN_LINES + MAX_STEP_UNITS);
      expect(open.length).toBeLessThan(2 * MAX_OPEN_UNITS);
    }
    const shown = renderMarkdown(`${text}end`, false, settled).text;
    expect(shown.replaceAll("\\", "")).toBe(`${text.replaceAll("\r", "\n")}end`);
  });
});

test("no such text takes many times what an ordinary one of its length does", () => {
  const sentence =
    "It has **bold**, `code` and [a link](https://e.example).\n\n- an item\n- two\n\n";
  const ordinary = Math.min(...[1, 2, 3].map(() => timeOf(textOfKind("", sentence))));
  for (const [kind, start, unit] of hostile) {
    expect(timeOf(textOfKind(start, unit)) / ordinary, kind).toBeLessThan(20);
  }
});

function timeOf(text: string): number {
  const start = performance.now();
  renderMarkdown(text, false);
  return performance.now() - start;
}

const quote = "> a\n".repeat(2 * MAX_OPEN_LINES);

test.each([
  ["> [a](https://e.example)", "> \\[a\\]\\(https://e.example)"],
  ["> ![a](https://e.example)", "> !\\[a\\]\\(https://e.example)"],
  ["<https://e.example> *b* `c` \\*", "\\<https://e.example> \\*b\\* \\`c\\` \\*"],
  ["> ```\n> a\n", "> \\`\\`\\`\n> a\n"],
  ["\n  [a](https://e.example)", "\n  \\[a\\]\\(https://e.example)"],
  ["\n*b* [a](https://e.example)", "\n*b* [a](https://e.example)"],
  [" \t\n- *b*", " \t\n- *b*"],
])("behind a block that is too long, %j is shown as %j", (text, shown) => {
  expect(renderMarkdown(quote + text, false).text).toBe(quote + shown);
});

test("what is open where a block is cut does not act", () => {
  const lines = "> a\n".repeat(MAX_OPEN_LINES - 2);
  for (const open of ["> [b.example\n", "> <https://e.example\n", "> [b.example](\n", "> `\n"]) {
    const text = `${lines}${open.repeat(20)}> https://e.example)[b.example](https://e.example)>\n`;
    expect(misleading(renderMarkdown(text, false).text)).toEqual([]);
  }
});

test("nobody is mentioned where a line is cut", () => {
  const long = "x".repeat(MAX_OPEN_UNITS - 3);
  for (let before = MAX_OPEN_UNITS - 9; before <= MAX_OPEN_UNITS; before += 1) {
    const said = `${"x".repeat(before)}<@U123> <!here> ![a](https://e.example/b.png)`;
    const { text } = renderMarkdown(said, false);
    expect(text).not.toMatch(/<@U|<!here/);
    expect(misleading(text)).toEqual([]);
  }
  expectToGrow([long, ..."<@U123> ![a](https://e.example)"]);
});

test("embedded bytes are left out, however many", () => {
  const said = `a ![b](data:image/png;base64,${"A".repeat(3 * MAX_OPEN_UNITS)}) *c*\n`;
  expect(renderMarkdown(said, false).text).toBe("a b (not a picture of the web) *c*\n");
  expectToGrow(said.match(/[\s\S]{1,1000}/g) ?? []);
});

test("what people write stays as it was written, however long", () => {
  const code = Array.from({ length: 400 }, (_, n) => `const a_${n} = b[${n}](*c); // <d>`);
  for (const [head, indent] of [
    ["```ts", ""],
    ["1. Do this:\n\n   ```ts", "   "],
    ["- - a\n\n    ```ts", "    "],
    ["> ```ts", "> "],
    ["- a\n  > ```ts", "  > "],
    ["Like this:\n", "    "],
  ]) {
    const text = `${head}\n${code.map((line) => `${indent}${line}\n`).join("")}`;
    expect(renderMarkdown(text, false).text).toBe(text);
    expect(renderMarkdown(`${text.trimEnd()}${"x".repeat(20_000)}_[y](z)`, false).text).toContain(
      "x_[y](z)",
    );
  }
  const tree = Array.from(
    { length: 600 },
    (_, n) => `${"  ".repeat(1 + (n % 5))}- \`a_${n}.ts\` is **b**`,
  );
  expect(renderMarkdown(`- src\n${tree.join("\n")}`, false).text).toBe(`- src\n${tree.join("\n")}`);
  const rows = Array.from({ length: 400 }, (_, n) => `  | \`a_${n}\` | **b** |`);
  const table = `- a:\n\n  | a | b |\n  | - | - |\n${rows.join("\n")}`;
  expect(renderMarkdown(table, false).text).toBe(table);
});

const line = fc
  .tuple(
    fc.array(fc.constantFrom("- ", "> ", "1. ", "  ", "  ", "    ", "\t", ">", "-"), {
      maxLength: 4,
    }),
    fc.constantFrom(
      ...["a", "", "", "[b.example](https://e.example)", "![c](https://e.example)", "```", "~~~"],
      ...["[b.example", "](https://e.example)", "| - |", "| a |", "`", "<!--", "-->", "<div>", "#"],
    ),
    fc.constantFrom("\n", "\n", "\n", "\r\n", ""),
  )
  .map(([marks, content, end]) => marks.join("") + content + end);
const long = fc
  .tuple(line, fc.constantFrom(1, 1, 1, MAX_OPEN_LINES - 3, MAX_OPEN_LINES, 2 * MAX_OPEN_LINES))
  .map(([text, count]) => text.repeat(count));
const longText = fc.array(long, { maxLength: 12 });

test("a link never misleads around the bounds, and what was told stays", {
  timeout: 300_000,
}, () => {
  fc.assert(
    fc.property(longText, (parts) => {
      expectToGrow(parts);
      const { text } = renderMarkdown(parts.join(""), false);
      expect(misleading(text)).toEqual([]);
      expect(text.match(/[a-z]/g)?.length ?? 0).toBeGreaterThanOrEqual(
        parts.join("").match(/[a-z](?![^(\n]*\))/g)?.length ?? 0,
      );
    }),
    { numRuns: isSoak ? 500 : 8 },
  );
});

/** Pictures, and links with another host for a label, as another reader of what is shown finds them. */
function misleading(shown: string): readonly string[] {
  return Array.from(
    walkTree(fromMarkdown(shown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })),
  )
    .filter(
      (node) => node.type === "image" || (node.type === "link" && textOf(node) === "b.example"),
    )
    .map(({ type }) => type);
}
