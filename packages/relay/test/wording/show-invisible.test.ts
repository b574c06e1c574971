import { expect, test } from "vitest";
import { showInvisible } from "../../src/wording/show-invisible.ts";

test.each([
  ["a right-to-left override", "a\u202Eb", "a⟨U+202E⟩b"],
  ["an isolate", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
  ["a zero-width space", "a\u200Bb", "a⟨U+200B⟩b"],
  ["a joiner", "\u200D", "⟨U+200D⟩"],
  ["a soft hyphen", "a\u00ADb", "a⟨U+00AD⟩b"],
  ["a no-break space", "rm\u00A0x", "rm⟨U+00A0⟩x"],
  ["a carriage return", "a\rb", "a⟨U+000D⟩b"],
  ["an escape", "\u001B[2K", "⟨U+001B⟩[2K"],
  ["a C1 control", "\u009B", "⟨U+009B⟩"],
  ["a line separator", "\u2028", "⟨U+2028⟩"],
  ["a filler", "\u3164", "⟨U+3164⟩"],
  ["a blank of Braille", "\u2800", "⟨U+2800⟩"],
  ["a variation selector", "a\uFE0F", "a⟨U+FE0F⟩"],
  ["a tag", "\u{E0041}", "⟨U+E0041⟩"],
  ["half a character", "\uD83C", "⟨U+D83C⟩"],
  ["what can be seen", "ls -la 'ä 漢' 🌲\n\t;", "ls -la 'ä 漢' 🌲\n\t;"],
])("%s is made visible", (_, hidden, shown) => {
  expect(showInvisible(hidden)).toBe(shown);
});
