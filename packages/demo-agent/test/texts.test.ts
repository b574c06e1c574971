import { describe, expect, test } from "vitest";
import { fill } from "../src/fill.ts";
import { splitIntoPieces } from "../src/pieces.ts";
import { hasWord, promptTexts } from "../src/prompt-text.ts";

describe("pieces", () => {
  test.for(["", "a", "abcdef", "abcdefg", "👩‍👩‍👧 flags 🇩🇪", "line\r\nline", "\ud800 alone"])(
    "of %j are the whole text again, whatever their size",
    (text) => {
      for (let size = 1; size <= text.length + 1; size++) {
        const pieces = splitIntoPieces(text, size);
        expect(pieces.join("")).toBe(text);
        expect(pieces.length).toBe(Math.ceil(Array.from(text).length / size));
        for (const piece of pieces) expect(Array.from(piece).length).toBeLessThanOrEqual(size);
      }
    },
  );
});

describe("fill", () => {
  const words = { name: "Ann", quote: "{{name}}" };

  test.for<[unknown, unknown]>([
    ["Hi {{name}}, {{name}}!", "Hi Ann, Ann!"],
    ["{{quote}}", "{{name}}"],
    ["{{unknown}} {{toString}} {{}} {name}", "{{unknown}} {{toString}} {{}} {name}"],
    [{ a: ["{{name}}", 1, null, { b: "{{name}}" }] }, { a: ["Ann", 1, null, { b: "Ann" }] }],
    [undefined, undefined],
  ])("turns %j into %j", ([value, filled]) => {
    expect(fill(value, words)).toEqual(filled);
  });

  test("puts in words literally, also those with a dollar sign", () => {
    expect(fill("{{price}}", { price: "$& $1" })).toBe("$& $1");
  });
});

describe("a word", () => {
  test.for<[string, string, boolean]>([
    ["ask", "ask", true],
    ["Please ASK me.", "ask", true],
    ["/ask", "ask", true],
    ["task", "ask", false],
    ["asked", "ask", false],
    ["ask_me", "ask", false],
    ["", "ask", false],
    ["frage: öffnen?", "ÖFFNEN", true],
  ])("in %j: %j is there: %s", ([text, word, there]) => {
    expect(hasWord(text, word)).toBe(there);
  });
});

test("only text blocks have text", () => {
  expect(
    promptTexts([
      { type: "text", text: "a" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "poem", text: "no" },
      { type: "text", text: "b" },
    ]),
  ).toEqual(["a", "b"]);
});
