import fc from "fast-check";
import type { Nodes } from "mdast";
import { describe, expect, test } from "vitest";
import { MAX_CONTAINER_COLUMN, MAX_MARKS, MAX_UNENDED } from "../../src/renderer/bounds.ts";
import { cutMrkdwn } from "../../src/renderer/cut-mrkdwn.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { renderMrkdwn } from "../../src/renderer/mrkdwn.ts";
import { parseTree } from "../../src/renderer/parse-tree.ts";
import { expectToGrow } from "./expect-to-grow.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";

/** Each is the beginning, and then pieces up to some length, of a text that a reader could take the square of it for. */
const hostile: readonly (readonly [string, string])[] = [
  ["lists", "- ".repeat(3_000)],
  ["numbers", "1. ".repeat(3_000)],
  ["quotes", "> ".repeat(3_000)],
  ["narrow quotes", ">".repeat(6_000)],
  ["emphasis", "*a ".repeat(5_000) + "a*".repeat(5_000)],
  ["two emphases", "*a _b ".repeat(3_000)],
  ["strike-through", "~~a ".repeat(3_000) + "a~~".repeat(3_000)],
  ["a picture of pictures", `${"![".repeat(3_000)}](b)`],
  ["links", "[a](b".repeat(3_000)],
  ["links with titles", '[a](b "'.repeat(3_000)],
  ["labels", "[".repeat(6_000) + "]".repeat(6_000)],
  ["ends of labels", "a]".repeat(6_000)],
  ["tags", "<a ".repeat(5_000)],
  ["instructions", "<?".repeat(5_000)],
  ["comments", "<!--".repeat(5_000)],
  ["code", Array.from({ length: 200 }, (_, n) => `${"`".repeat(n + 1)}a `).join("")],
];

describe("a text of any signs is read in bounds, and each letter of it is shown", () => {
  test.each(hostile)("%s", (_, text) => {
    const { bounds } = parseTree(text);
    expect(bounds.marks.length).toBeLessThanOrEqual(MAX_MARKS);
    expect(depthOf(parseTree(text))).toBeLessThan(2 * MAX_CONTAINER_COLUMN + MAX_MARKS);
    const shown = renderMarkdown(`${text}end`, false).text;
    expect(shown.replaceAll("\\", "")).toBe(`${text}end`);
    for (const message of cutMrkdwn(renderMrkdwn(text))) expect(message).not.toMatch(/<[!@#]/);
  });
});

test.each(hostile)("of %s nothing that was told is changed while they grow", (_, text) => {
  const parts = text.slice(0, 5_000).match(/[\s\S]{1,1999}/g) ?? [];
  expectToGrow([...parts, "end\n", "| - |\n", "| a |\n", "\n", "*b* "]);
});

const beyond = "*a ".repeat(MAX_MARKS);

test.each([
  ["[a](https://e.example)", "\\[a\\]\\(https://e.example)"],
  ["![a](https://e.example)", "\\!\\[a\\]\\(https://e.example)"],
  ["<https://e.example>", "\\<https://e.example>"],
  ["[a]", "\\[a\\]"],
  ["\\[a](b)", "\\[a\\]\\(b)"],
  ["**a** ~~b~~ _c_", "\\*\\*a\\*\\* \\~\\~b\\~\\~ \\_c\\_"],
  ["``a` `", "\\`\\`a\\` \\`"],
  ["Hey! a > b", "Hey! a > b"],
])("beyond the bounds %s is shown as %s", (text, shown) => {
  expect(renderMarkdown(beyond + text, false).text).toBe(beyond + shown);
});

test("beyond the bounds nobody is mentioned", () => {
  expect(renderMarkdown(`${beyond}<!here> <@U123>`, false).text).not.toMatch(/<!here|<@U/);
});

test("the next paragraph, cell and item have bounds of their own", () => {
  for (const next of ["\n\n[a](https://e.example)", "\n- **b**", "\n\n| *a* |\n| - |\n| `b` |"]) {
    expect(renderMarkdown(beyond + beyond + next, false).text.endsWith(next)).toBe(true);
  }
});

test("code behind a thousand signs and in the deepest quote stays as it was written", () => {
  const code = "```ts\n*a* [b](c) <!d> `e` - - -\n".concat("- ".repeat(100), "\n```");
  expect(renderMarkdown(`${beyond}${beyond}\n${code}\n`, false).text).toContain(code);
});

test("what people write stays as it was written", () => {
  const sentence = "It has **bold**, _slant_, `code`, [a link](https://e.example/a_b) and 1 < 2! ";
  const rows = Array.from(
    { length: 150 },
    (_, n) => `| ${n} | \`a\` | **b** | [c](https://e.example) |`,
  );
  const items = Array.from({ length: 500 }, (_, n) => `${" ".repeat(2 * (n % 12))}- ${sentence}`);
  for (const text of [
    sentence.repeat(50),
    ["| a | b | c | d |", "| - | - | - | - |", ...rows].join("\n"),
    items.join("\n"),
    "a ` b < c ".repeat(MAX_UNENDED),
  ]) {
    expect(renderMarkdown(text, false).text).toBe(text);
  }
});

test("signs are counted over all lines of a paragraph, also those that have settled", () => {
  expectToGrow(Array.from({ length: 15 }, () => `${"*a* ".repeat(50)}\n`));
});

test("signs beyond the bounds are not told while they may stand in the head of a table", () => {
  expectToGrow([`${beyond}\n`, "*b* c", " d", "|e\n", "-|-\n", "*f*|"]);
});

/** Signs in numbers near to the bounds, among others. */
const piece = fc.oneof(
  fc.constantFrom("*a ".repeat(MAX_MARKS - 3), "a* ".repeat(300), "[".repeat(MAX_MARKS - 2)),
  fc.constantFrom(
    "- ".repeat(30),
    "> ".repeat(31),
    ">".repeat(63),
    "1. ".repeat(21),
    " ".repeat(60),
  ),
  fc.constantFrom("`a``".repeat(MAX_UNENDED / 2), "<a ".repeat(MAX_UNENDED - 1), "<?".repeat(19)),
  fc.constantFrom(..."\n*_`[]!<>|-1~\\ a".split("")),
  fc.constantFrom(
    "\n\n",
    "](https://e.example)",
    "![",
    "| - |\n",
    "```\n",
    "- ",
    "> ",
    "1. ",
    "<b>",
  ),
);

test("what was told is not changed around the bounds", { timeout: 300_000 }, () => {
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), expectToGrow), {
    numRuns: isSoak ? 600 : 25,
  });
});

function depthOf(tree: Nodes): number {
  let deepest = 0;
  const waiting: [Nodes, number][] = [[tree, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, depth] = next;
    deepest = Math.max(deepest, depth);
    if ("children" in node) for (const child of node.children) waiting.push([child, depth + 1]);
  }
  return deepest;
}
