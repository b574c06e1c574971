import { reduceTurnView } from "@acp-kit/router";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closingLine } from "../../src/renderer/fence.ts";
import { renderer } from "../../src/renderer/index.ts";
import { renderLine, renderMarkdown } from "../../src/renderer/markdown.ts";
import { markdown } from "./any-turn.ts";
import { bodyOf, end, fold, showAll, start, text, thought, toolStart } from "./fold.ts";

const zwsp = "\u200B";

describe("code is left as it is", () => {
  test.each([
    ["a code span", "use `x --model y` now"],
    ["a code span of two backticks", "use ``a ` --model`` now"],
    ["a block", "```sh\nx --model y\n```"],
    ["a block that is not closed", "```sh\nx --model y\n"],
    ["a block of tildes", "~~~\nx --model y\n~~~"],
    ["a block with carriage returns", "~~~ sh\r\nx --model y\r\n~~~\r\n"],
    ["a block in a list", "1. run\n   ```\n   x --model y\n   ```"],
    ["a block behind a list marker", "- ```\n  vec![1] --model\n  ```"],
    ["a block in a block of four backticks", "````\n```\n--model\n````"],
    ["a macro", "```rust\nlet a = vec![1];\n```"],
    ["our mark", "`❓` and\n```\n❓\n```"],
  ])("%s", (_, code) => {
    expect(renderMarkdown(code).text).toBe(code);
  });
});

describe("what is no code is made harmless", () => {
  test.each([
    ["behind a closed span", "`a` --model", `\`a\` --${zwsp}model`],
    ["behind a closed block", "```\na\n```\n--model", `\`\`\`\na\n\`\`\`\n--${zwsp}model`],
    ["behind an escaped backtick", "\\`--model\\`", `\\\`--${zwsp}model\\\``],
    ["behind a backslash", "\\--model", `\\--${zwsp}model`],
    ["on the line below an open span", "`a\n--model", `\`a\n--${zwsp}model`],
    ["where backticks close nothing", "``` `x` --model", `\`\`\` \`x\` --${zwsp}model`],
    ["behind an open span", "` ![x](https://x.example/?q=1)", "` [x](https://x.example/?q=1)"],
    ["in a block in a quote", "> ```\n> --model\n> ```", `> \`\`\`\n> --${zwsp}model\n> \`\`\``],
    ["behind an indented mark", "a\n\n    ```\n\n--model", `a\n\n    \`\`\`\n\n--${zwsp}model`],
    ["behind the list item of a block", "- ```\n\n--model", `- \`\`\`\n\n--${zwsp}model`],
    ["HTML", "<!-- a <b> 1 < 2 <https://x.example>", "\\<!-- a \\<b> 1 < 2 \\<https://x.example>"],
    ["a character reference", "&#10067; & &amp;", "\\&#10067; & &amp;"],
    ["an image", "see ![logo](https://x.example/a.png)!", "see [logo](https://x.example/a.png)!"],
    [
      "an image without a label",
      "![](https://x.example/a.png)",
      "[image](https://x.example/a.png)",
    ],
    ["an image by reference", "![a][b]", "[a][b]"],
    ["an image in a link", "[![a](https://b)](https://c)", "[[a](https://b)](https://c)"],
    ["a name for an address", "[a][1]\n\n[1]: javascript:x", "[a][1]\n\n[1\\]: javascript:x"],
    ["our mark", "❓ **Run this?** \u2753\uFE0F ❔", "? **Run this?** ? ?"],
  ])("%s", (_, source, rendered) => {
    expect(renderMarkdown(source).text).toBe(rendered);
  });

  test("an escaped image stays text", () => {
    expect(renderLine("\\![a](https://b)")).toBe("\\![a](https://b)");
  });
});

describe("a running text holds back", () => {
  test.each([
    ["the beginning of a flag", "use --mod", "use "],
    ["a flag that may go on", "use --model", "use "],
    ["one dash", "a -", "a "],
    ["the beginning of an image", "look!", "look"],
    ["an image that may have no label", "look ![", "look "],
    ["half a character", "tree \uD83C", "tree "],
    ["the beginning of HTML", "a <", "a "],
    ["what the end of a code span decides about", "use `x ![a](b) c", "use `x "],
  ])("%s", (_, source, shown) => {
    expect(renderMarkdown(source, true).text).toBe(shown);
  });

  test.each([
    ["a word that is no flag", "use --modern"],
    ["a code span that is open", "use `x y"],
    ["a flag in a code block", "```\nx --mod"],
    ["text without a space", "使用参数"],
    ["blank lines at its end", "a\n\n"],
  ])("nothing of %s", (_, source) => {
    expect(renderMarkdown(source, true).text).toBe(source);
  });

  test("nothing of a flag that names a provider's list", () => {
    expect(renderMarkdown("--model_a", true).text).toBe(`--${zwsp}model_a`);
  });

  test("nothing once another segment stands behind it or the turn has ended", () => {
    expect(bodyOf(fold(start, text("a --mo")))).toBe("a ");
    expect(bodyOf(fold(start, text("a --mo"), toolStart("1", "T")))).toMatch(/^a --mo\n/);
    expect(bodyOf(fold(start, text("a --mo"), end))).toBe("a --mo");
  });
});

test("an answer of 5,000 characters without a space is shown as it comes", () => {
  let shown = 0;
  for (let length = 50; length <= 5_000; length += 50) {
    shown = renderMarkdown("漢".repeat(length), true).text.length;
    expect(shown).toBe(length);
  }
});

describe("a code block that is open", () => {
  test.each([
    ["", "```js\nx", "```"],
    ["of four backticks", "````\n```", "````"],
    ["of tildes", "~~~~\nx", "~~~~"],
    ["in a list", "1. a\n   ```\n   x", "   ```"],
    ["behind a list marker", "10. ```\n    x", "    ```"],
  ])("%s is closed where it was opened", (_, source, line) => {
    const { fence } = renderMarkdown(source);
    expect(fence && closingLine(fence)).toBe(line);
    expect(renderMarkdown(`${source}\n${line}`).fence).toBeUndefined();
  });

  test.each([
    ["an indented mark", "```\n    ```\n--model"],
    ["a mark in a quote", "```\n> ```\n--model"],
    ["a shorter mark", "````\n```\n--model"],
    ["a mark with words", "```\n``` x\n--model"],
  ])("is not closed by %s", (_, source) => {
    expect(renderMarkdown(source)).toMatchObject({
      text: source,
      fence: { mark: /`+/.exec(source)?.[0] },
    });
  });

  test("is closed in front of whatever stands below it, once", () => {
    const view = fold(start, text("```js\nx"), toolStart("1", "T"), text("y"), end);
    expect(bodyOf(view)).toBe("```js\nx\n```\n\n> `🔧 T`\n\ny");
  });

  test("goes on behind a file", () => {
    const file = {
      kind: "file",
      path: "d/n",
      name: "n",
      contentType: "text/plain",
      bytes: 1,
      sha256: "",
    } as const;
    const view = fold(start, text("```\na\n"), file, text("--model\n```\n--model "));
    expect(bodyOf(view)).toBe(`\`\`\`\na\n--model\n\`\`\`\n--${zwsp}model `);
  });
});

describe("blocks", () => {
  const hidden = { thoughts: false, plan: false, tools: false, toolDetails: false };

  test.each([
    ["in the middle of a word", "wo", "rd", "word"],
    ["in the middle of a sentence", "one", " two", "one two"],
    ["in the middle of a name", "index.", "ts", "index.ts"],
    ["in the middle of a number", "3.", "14", "3.14"],
    ["between sentences with a space", "One.", " Two.", "One. Two."],
    ["between lines", "- one\n", "- two", "- one\n- two"],
    ["in a script without spaces", "好。", "现在", "好。现在"],
    ["in a flag", "--mo", "del", `--${zwsp}model`],
    ["in a code block", "```\na.", "B\n```", "```\na.B\n```"],
    ["between sentences that it parted", "One.", "Two.", "One.\n\nTwo."],
    ["between a sentence and a list", "These:", "- one", "These:\n\n- one"],
  ])("a hidden thought %s parts nothing that belongs together", (_, before, after, body) => {
    expect(bodyOf(fold(start, text(before), thought("…"), text(after), end), hidden)).toBe(body);
  });

  test("texts around a hidden tool call are paragraphs of their own", () => {
    const view = fold(start, text("a"), toolStart("1", "T"), text("b"), end);
    expect(bodyOf(view, hidden)).toBe("a\n\nb");
  });

  test("a shown thought parts a word: it is a block of its own", () => {
    const view = fold(start, text("wo"), thought("hm"), text("rd"), end);
    expect(bodyOf(view)).toBe("wo\n\n> _Thinking…_\n> hm\n\nrd");
  });

  test("a gap is one empty line, whatever the text ends with", () => {
    for (const gap of ["", "\n", "\n\n"]) {
      const view = fold(start, text(`a${gap}`), toolStart("1", "T"));
      expect(bodyOf(view)).toBe("a\n\n> `🔧 T`");
    }
  });

  test("blank text between tool lines leaves no trace", () => {
    const view = fold(start, toolStart("1", "A"), text("\n \n"), toolStart("2", "B"));
    expect(bodyOf(view)).toBe("> `🔧 A`\n> `🔧 B`");
  });
});

test("C17: no text of an agent shows the mark of a question outside of code", () => {
  fc.assert(
    fc.property(markdown, (words) => {
      const source = `❓ ${words.replaceAll("`", "").replaceAll("~", "")}\n❓ **Run this?**`;
      const view = fold(start, text(source), thought(source), toolStart("1", source));
      expect(bodyOf(view)).not.toMatch(/^[> ]*❓/m);
    }),
  );
});

test("D9: nothing that is shown names a parameter outside of code", () => {
  const flag = "--model";
  const view = fold(
    start,
    { kind: "status", mood: flag, plan: flag },
    { kind: "plan", entries: [{ content: flag, status: "pending" }] },
    thought(`a ${flag} b`),
    text(`a ${flag} b`),
    toolStart("1", `ls ${flag}`, { content: [{ kind: "text", text: `out ${flag}` }] }),
    { kind: "content", type: "resource_link", name: flag, uri: `https://x.example/${flag}` },
    { kind: "notice", level: "info", text: flag },
  );
  const { parts, tail = "" } = renderer.render(view, { show: showAll, now: 0 });
  const shown = parts.join("") + tail;
  expect(shown.split("model").length).toBeGreaterThan(8);
  expect(shown).not.toContain(flag);
  const ended = reduceTurnView(view, {
    kind: "turn-end",
    outcome: { kind: "failed", phase: "prompt", code: "x", message: flag },
    seq: 99,
    at: 0,
    turn: "t",
  });
  expect(renderer.render(ended, { show: showAll, now: 0 }).parts.join("")).not.toContain(flag);
});
