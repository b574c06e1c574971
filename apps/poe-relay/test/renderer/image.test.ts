import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noLines, renderMarkdown } from "../../src/renderer/markdown.ts";

const hosts = ["img.example", "*.pictures.example"];
const render = (text: string, running = false) =>
  renderMarkdown(text, running, noLines, hosts).text;

test.each([
  ["![a chart](https://img.example/a.png)", "![a chart](https://img.example/a.png)"],
  ["![](https://eu.pictures.example/a.png)", "![](https://eu.pictures.example/a.png)"],
  [
    "- see ![x](<https://img.example/a b.png>) here",
    "- see ![x](https://img.example/a%20b.png) here",
  ],
  ['![x](https://IMG.example/a "title")', "![x](https://img.example/a)"],
])("C20: of a host that the operator has named, %j is an image", (source, shown) => {
  expect(render(source)).toBe(shown);
});

test.each([
  ["another host", "![a](https://x.example/a.png)", "[a](https://x.example/a.png)"],
  [
    "a host below one that is named alone",
    "![a](https://a.img.example/)",
    "[a](https://a.img.example/)",
  ],
  [
    "the name itself, where those below it are",
    "![a](https://pictures.example/)",
    "[a](https://pictures.example/)",
  ],
  ["no TLS", "![a](http://img.example/a.png)", "[a](http://img.example/a.png)"],
  [
    "a user in front of another host",
    "![a](https://img.example@x.example/)",
    "[a](https://img.example@x.example/)",
  ],
  ["bytes", "![a](data:image/png;base64,AAAA)", "[a]\\(data:…)"],
  ["markup in its description", "![*a*](https://img.example/)", "[*a*](https://img.example/)"],
  ["a name that stands for its address", "![a][b]", "[a][b]"],
])("C20: %s makes a link of it", (_, source, shown) => {
  expect(render(source)).toBe(shown);
});

describe("a running text", () => {
  test.each([
    ["a ![char", "a "],
    ["a ![chart]", "a "],
    ["a ![chart](https://img.exam", "a "],
    ["a ![chart](https://img.example/a.png)", "a ![chart](https://img.example/a.png)"],
    ["a ![*chart", "a [*chart"],
  ])("of %j shows %j", (source, shown) => {
    expect(render(source, true)).toBe(shown);
  });

  test("is the beginning of what it grows into", () => {
    const piece = fc.constantFrom(
      "!",
      "[",
      "![",
      "a",
      "]",
      "](",
      "(",
      ")",
      "https://img.example/",
      "https://x.example/",
      "`",
      "\\",
      " ",
      "\n",
      "--model",
      '"t"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        const texts = pieces.map((_, at) => pieces.slice(0, at + 1).join(""));
        const shown = [...texts.map((text) => render(text, true)), render(pieces.join(""))];
        for (const [at, text] of shown.slice(1).entries()) {
          expect(text.startsWith(shown[at] ?? "")).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
