import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitWords } from "../src/cli/split-words.ts";

test.each<[string, string[]]>([
  ["", []],
  ["  \t ", []],
  ["fir --mode acp", ["fir", "--mode", "acp"]],
  [" a  b\tc\nd ", ["a", "b", "c", "d"]],
  [`a "b c" 'd e'`, ["a", "b c", "d e"]],
  [`a"b"'c'd`, ["abcd"]],
  [`"" ''`, ["", ""]],
  [String.raw`a\ b \"c\" \\`, ["a b", '"c"', "\\"]],
  [String.raw`"a \"b\" \\ \x"`, [String.raw`a "b" \ \x`]],
  [String.raw`'a \ b'`, [String.raw`a \ b`]],
])("%j is split as a shell splits it", (text, words) => {
  expect(splitWords(text)).toEqual(words);
  const script = `for word in ${text.replaceAll("\n", " ")}; do printf '%s\\0' "$word"; done`;
  const shell = execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" });
  expect(shell.split("\0").slice(0, -1)).toEqual(words);
});

test.each(["a 'b", 'a "b', "a\\", '"a\\'])("%j is no command", (text) => {
  expect(splitWords(text)).toBeUndefined();
});

test("nothing is expanded", () => {
  const text = "$HOME `id` ~ *.ts $(id) a;b #c";
  expect(splitWords(text)).toEqual(["$HOME", "`id`", "~", "*.ts", "$(id)", "a;b", "#c"]);
});

test("words that were quoted come back as they were", () => {
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (words) => {
      expect(splitWords(words.map(quote).join(" "))).toEqual(words);
    }),
  );
});
