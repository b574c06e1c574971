import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeInJson, formatForTerminal } from "../src/terminal-text.ts";
import { hasControls } from "./support.ts";

test.each([
  ["plain text stays", "naïve 日本語 👩‍💻\tx\ny", "naïve 日本語 👩‍💻\tx\ny"],
  ["colours", "a\u001b[31;1mb\u001b[0mc", "abc"],
  ["a title (OSC ended by BEL)", "a\u001b]0;title\u0007b", "ab"],
  ["a clipboard write (OSC ended by ST)", "a\u001b]52;c;ZXZpbA==\u001b\\b", "ab"],
  ["a device control string", "a\u001bP1$r\u001b\\b", "ab"],
  ["C1 forms of CSI and OSC", "a\u009b2Jb\u009d0;t\u009cc", "abc"],
  ["a reset", "a\u001bcb", "ab"],
  ["a character set", "a\u001b(0b", "ab"],
  ["carriage return and backspace", "a\r\u0008b\u0000c\u007f", "abc"],
  ["marks that reorder", "a\u202eb\u2066c\u200f", "abc"],
  ["a sequence that never ends", "a\u001b]0;title", "a"],
  ["an escape at the end", "a\u001b", "a"],
])("C28: %s", (_, text, expected) => {
  expect(formatForTerminal(text)).toBe(expected);
});

const hostile = fc.string({
  unit: fc.constantFrom(
    "a",
    "[",
    "]",
    ";",
    "m",
    "\\",
    "\n",
    "\u001b",
    "\u009b",
    "\u0007",
    "\u009c",
    "\u202e",
  ),
  maxLength: 60,
});

test("C28: whatever comes in, nothing that a terminal acts on comes out", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(hasControls(formatForTerminal(text))).toBe(false);
    }),
  );
});

test("escaping inside JSON keeps its value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(JSON.parse(escapeInJson(JSON.stringify(text)))).toBe(text);
    }),
  );
});
