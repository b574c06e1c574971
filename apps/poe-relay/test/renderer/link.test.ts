import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LINKS, renderLine, renderMarkdown } from "../../src/renderer/markdown.ts";

const zwsp = "\u200B";

describe("C22: only addresses of the web and of mail are links", () => {
  test.each([
    ["https", "[a](https://x.example/b?c=d#e)"],
    ["http in capitals", "[a](HTTP://x.example)"],
    ["mail", "[a](mailto:ana@x.example)"],
    ["one in points", "[a](<https://x.example/b c>)"],
    ["one with parentheses", "[wiki](https://x.example/a_(b)) and more"],
    ["two in a line", "[a](https://x.example) and [b](https://y.example)."],
    ["one whose label is code", "[`a.b`](https://x.a.b)"],
    ["none at all", "a [b] (c) [d][e] (https://x.example)"],
  ])("%s stays", (_, line) => {
    expect(renderLine(line)).toBe(line);
  });

  test.each([
    ["a script", "[a](javascript:alert(1))", "[a]\\(javascript:alert(1))"],
    ["a script in points", "[a](<javascript:alert(1)>)", "[a]\\(\\<javascript:alert(1)>)"],
    ["a file", "[a](file:///etc/passwd)", "[a]\\(file:///etc/passwd)"],
    ["an editor", "[a](vscode://x)", "[a]\\(vscode://x)"],
    [
      "a file of the workspace",
      "[login.ts:42](src/login.ts:42)",
      "[login.ts:42]\\(src/login.ts:42)",
    ],
    ["a place on this page", "[a](#b)", "[a]\\(#b)"],
    ["nothing", "[a]()", "[a]\\()"],
    ["an address on the next line", "[a](\nhttps://x.example)", "[a]\\(\nhttps://x.example)"],
    ["a title that goes on", '[a](https://x.example "t\n")', '[a]\\(https://x.example "t\n")'],
    ["an entity in the scheme", "[a](java&#115;cript:x)", "[a]\\(java\\&#115;cript:x)"],
    [
      "an entity in the host",
      "[a](https://x&commat;y.example)",
      "[a]\\(https://x&commat;y.example)",
    ],
    ["a backslash in the host", "[a](https://x\\@y.example)", "[a]\\(https://x\\@y.example)"],
    ["no host", "[a](https://)", "[a]\\(https://)"],
    ["what never ends", `[a](https://${"x".repeat(2_000)}`, `[a]\\(https://${"x".repeat(2_000)}`],
    ["embedded bytes", "![a](data:image/png;base64,iVBORw0K/+=)", "[a]\\(data:…)"],
  ])("%s is text", (_, line, shown) => {
    expect(renderMarkdown(line).text).toBe(shown);
  });
});

describe("C22: a label that looks like another host is followed by the real one", () => {
  test.each([
    ["https://bank.example/login", "https://evil.example/x", "evil.example"],
    ["bank.example", "https://evil.example", "evil.example"],
    ["see www.bank.example!", "https://evil.example", "evil.example"],
    ["ba**nk.exa**mple", "https://evil.example", "evil.example"],
    ["`bank.example`", "https://evil.example", "evil.example"],
    ["bank\u200B.example", "https://evil.example", "evil.example"],
    ["bank．example", "https://evil.example", "evil.example"],
    ["bank.example", "https://bank.example@evil.example/", "evil.example"],
    ["bank.example", "https://bank.example.evil.example/", "bank.example.evil.example"],
    ["xbank.example", "https://bank.example/", "bank.example"],
    ["bücher.example", "https://bucher.example/", "bucher.example"],
    ["x".repeat(400), "https://evil.example", "evil.example"],
  ])("%s to %s", (label, url, host) => {
    expect(renderLine(`[${label}](${url})`)).toBe(`[${label}](${url}) (${host})`);
  });

  test.each([
    ["bank.example", "https://bank.example/login"],
    ["bank.example", "https://www.bank.example/login"],
    ["WWW.Bank.Example", "https://bank.example/"],
    ["bücher.example", "https://bücher.example/"],
    ["the manual", "https://x.example/"],
    ["v1.2.3", "https://x.example/"],
    ["", "https://x.example/"],
  ])("but not %s to %s", (label, url) => {
    expect(renderLine(`[${label}](${url})`)).toBe(`[${label}](${url})`);
  });

  test("and one that began on a line before", () => {
    const text = "[bank\n.example](https://evil.example)";
    expect(renderMarkdown(text).text).toBe(`${text} (evil.example)`);
  });
});

describe("C22: what is said to be code, and is none, hides nothing", () => {
  test.each([
    [
      "backticks of the line before",
      "[click ` here\nz `](javascript:alert(1)) `",
      "[click ` here\nz `]\\(javascript:alert(1)) `",
    ],
    ["an image behind them", "a ` b\n`![x](https://x.example)`", "a ` b\n`[x](https://x.example)`"],
    ["our mark behind them", "a ` b\n`❓ **Run this?**`", "a ` b\n`? **Run this?**`"],
    ["a name with a backtick", "[a`]: javascript:x`", "[a`\\]: javascript:x`"],
    ["a name on two lines", "[a\n`]: javascript:x`", "[a\n`\\]: javascript:x`"],
    ["a name in a list in a quote", "> - [a`]: javascript:x`", "> - [a`\\]: javascript:x`"],
  ])("%s", (_, source, shown) => {
    expect(renderMarkdown(source).text).toBe(shown);
  });

  test.each([
    ["behind an empty line", "a ` b\n\n`❓` and `](x)`"],
    ["behind a code block", "a ` b\n```\nx\n```\n`❓`"],
    ["a loop", "`for x in a[1]:` and `m[k]: v`"],
    ["a whole line of code", "`[a]: b`"],
  ])("but code %s is left as it is", (_, source) => {
    expect(renderMarkdown(source).text).toBe(source);
  });
});

test("C20: an image is a link, to the same address and with the same host", () => {
  expect(renderLine("![](https://x.example/a.png)")).toBe("[image](https://x.example/a.png)");
  expect(renderLine("![bank.example](https://x.example/a)")).toBe(
    "[bank.example](https://x.example/a) (x.example)",
  );
  expect(renderLine("![a](b.png)")).toBe("[a]\\(b.png)");
});

test("an address names no parameter and no question, and leads to the same place", () => {
  expect(renderLine("[a](https://x.example/--model?❓) --model")).toBe(
    `[a](https://x.example/-%2Dmodel?%E2%9D%93) --${zwsp}model`,
  );
});

test("a title is left out", () => {
  expect(renderLine(`[a](https://x.example "bank.example") 'b'`)).toBe(
    "[a](https://x.example) 'b'",
  );
});

describe("a running text holds back", () => {
  test.each([
    ["a label that may become a link", "see [a]", "see [a"],
    ["a link without its end", "see [a](https://x.exam", "see [a"],
    ["a link whose title goes on", '[a](https://x.example "b', "[a"],
  ])("%s", (_, source, shown) => {
    expect(renderMarkdown(source, true).text).toBe(shown);
  });

  test("no more of a link than a thousand characters", () => {
    const line = `[a](https://${"x".repeat(2_000)}`;
    expect(renderMarkdown(line, true).text).toBe(line.replace("](", "]\\("));
  });

  test("no embedded bytes, of which nothing is shown", () => {
    expect(renderMarkdown(`![a](data:image/png;base64,${"A".repeat(9_999)}`, true).text).toBe(
      "[a]\\(data:…",
    );
  });
});

test("a line that grows is shown as a beginning of what it becomes, wherever its links are cut", () => {
  const piece = fc.constantFrom(
    ..."[]()<>!`\\\"' :x".split(""),
    ...["](", "https://", "x.example", "[a.b](https://", "data:", "mailto:", "javascript:", "\\["],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const line = pieces.join("");
      const ended = renderMarkdown(line).text;
      for (let length = 0; length <= line.length; length += 1) {
        const shown = renderMarkdown(line.slice(0, length), true).text;
        if (!ended.startsWith(shown)) expect(ended).toBe(`${shown}…`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("behind many links of one line, no end of another is looked at, and none is one", () => {
  const link = "[a](https://e.example) ";
  const line = link.repeat(MAX_LINKS) + link;
  const shown = `${link.repeat(MAX_LINKS)}[a]\\(https://e.example) `;
  expect(renderMarkdown(line).text).toBe(shown);
  expect(renderMarkdown(`${line}[b](`, true).text).toBe(`${shown}[b]\\(`);
  expect(renderMarkdown(`${line}\n${link}`).text).toBe(`${shown}\n${link}`);
});
