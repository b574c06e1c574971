import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMrkdwn } from "../../src/renderer/cut-mrkdwn.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { renderMrkdwn } from "../../src/renderer/mrkdwn.ts";
import type { Settled } from "../../src/renderer/settled.ts";
import { anyPieces } from "./any-markdown.ts";
import { expectToGrow } from "./expect-to-grow.ts";

const render = (markdown: string) => renderMarkdown(markdown, false).text;

describe("what is said goes out as it was written", () => {
  test.each([
    "# A *title*\n\n- [ ] one\n- [x] two\n  1. three\n",
    "| a | b |\n| --- | ---: |\n| `x \\| y` | **z** |\n",
    "````md\n```js\n[a](javascript:x)\n```\n````\n",
    "`[a](javascript:x)` and \\*not bold\\*",
    "[here](https://e.example/a_(b) 'title') and <https://e.example/?a=1&b=2>",
    "Write to [us](mailto:ops@e.example), see https://e.example/x_y_z",
    "a[0] < b[1] && c(d)[e]",
    "> quote\n> ```\n> code\n> ```\n",
  ])("%j", (markdown) => {
    expect(render(markdown)).toBe(markdown);
  });
});

test.each([
  ["![graph](https://e.example/i.png)", "[graph](https://e.example/i.png)"],
  ["![](https://e.example/i.png)", "[image](https://e.example/i.png)"],
  [
    "[![badge](https://e.example/b.svg)](https://ci.example/)",
    "[badge](https://ci.example/) ([image](https://e.example/b.svg))",
  ],
  ["![x](data:image/png;base64,AAAA)", "x (not a picture of the web)"],
  ["![x](file:///etc/passwd)", "x (not a picture of the web)"],
])("C20: %j is shown as a link at most: %j", (markdown, shown) => {
  expect(render(markdown)).toBe(shown);
});

test.each([
  ["[https://bank.example](https://evil.example/x)", "(evil.example)](https://evil.example/x)"],
  ["[**bank.example**](https://evil.example)", "(evil.example)](https://evil.example)"],
  ["[bank\u200B.example](https://evil.example)", "(evil.example)](https://evil.example)"],
  ["[bank.example](mailto:a@evil.example)", "(mail)](mailto:"],
])("C22: the label of %s does not hide where it leads", (markdown, shown) => {
  expect(render(markdown)).toContain(shown);
});

test.each([
  ["[www.e.example](https://e.example/)"],
  ["[e.example/docs](https://docs.e.example/)"],
  ["[README.md](https://md.example/README.md)"].slice(1),
])("C22: an honest label stays alone: %s", (markdown = "[x](https://e.example)") => {
  expect(render(markdown)).toBe(markdown);
});

test.each([
  "[a](javascript:alert)",
  "[a](data:text/html,hi)",
  "[a](vbscript:x)",
  "[a](file:///x)",
  "[a](//e.example)",
  "[a](/x)",
  "<javascript:alert>",
  "[a]: javascript:alert\n\n[a]",
  "<div>\n[a](javascript:alert)\n</div>",
  "[a]( <javascript:alert> )",
])("C22: %j is no link of any scheme but the web's and mail's", (markdown) => {
  expect(render(markdown)).not.toMatch(/(?<!\\)\]\(|^\[[^\]]*\]:|(?<!\\)<javascript/m);
});

test("what was told of a growing text is never changed", { timeout: 300_000 }, () => {
  const numRuns = process.env["ACP_KIT_SOAK"] === "1" ? 20_000 : 500;
  fc.assert(fc.property(anyPieces, expectToGrow), { numRuns });
});

test.each([
  { why: "a tag goes on with a paragraph", parts: ["- ", "-", "```ts\n", "<a>", "-"] },
  { why: "a tag goes on with a paragraph", parts: ["- a ` b\n", "<a>", "x"] },
  { why: "a bracket in code closes none", parts: ["[", "`", "]", "`", "-"] },
  {
    why: "a row would find a head in what is settled",
    parts: ["](u)", "| - |\n", "| - |\n", "`\n"],
  },
  { why: "a table has ended", parts: ["| a |\n| - |\n", "\n", "-", "```ts\n"] },
  { why: "cells end what begins in a line before", parts: ["a ` b\n", "c [b](x) `\n", "-|\n"] },
])("what was told does not change where $why: $parts", ({ parts }) => {
  expectToGrow(parts);
});

test.each<[string, (n: number) => string]>([
  ["paragraphs", (n) => `A paragraph ${n}\nof two [lines](https://e.example/${n}).\n\n`],
  ["one paragraph", (n) => `Line ${n} with \`code\` and [a link](https://e.example/${n}).\n`],
  ["a code block", (n) => (n === 0 ? "```ts\n" : `const a${n} = [1, 2](3); // <!here>\n`)],
  ["a list", (n) => `- item ${n}\n\n  with *two* paragraphs\n`],
  ["a table", (n) => (n === 0 ? "| a | b |\n| - | - |\n" : `| ${n} | \`x\` |\n`)],
])("of %s, however long, not more is read again than a block or its last lines", (_, lineOf) => {
  let text = "";
  let settled: Settled | undefined;
  for (let n = 0; n < 300; n += 1) {
    text += lineOf(n);
    settled = renderMarkdown(text, true, settled).settled;
    expect(text.length - settled.source.length + settled.context.length).toBeLessThan(150);
  }
});

test("boxes of tasks are boxes in mrkdwn", () => {
  expect(cutMrkdwn(renderMrkdwn("- [ ] open\n- [x] done\n\n-\n[ ] -"))).toEqual([
    expect.stringMatching(/^• ☐ open\n• ☑ done/),
  ]);
});

test("nothing rendered mentions anybody, embeds anything, or is half a letter", () => {
  fc.assert(
    fc.property(anyPieces, (parts) => {
      const text = render(parts.join(""));
      expect(text).not.toMatch(/<!(?:here|channel|everyone|subteam|date)|<@[UW][A-Z0-9]/);
      expect(text.isWellFormed()).toBe(true);
      for (const message of cutMrkdwn(renderMrkdwn(parts.join("")), 60)) {
        expect(message).not.toMatch(/<[!@#]/);
        expect(message.trim()).not.toBe("");
        expect([...message].length).toBeLessThanOrEqual(60);
      }
    }),
    { numRuns: 1_000 },
  );
});
