import { expect, test } from "vitest";
import { findPlainSentence } from "../src/plain-sentence.ts";

test.each([
  ["Credit balance is too low", "Credit balance is too low."],
  ["This agent takes no further directories.", "This agent takes no further directories."],
  ["Too many sessions are open (limit 5)", "Too many sessions are open (limit 5)."],
  ["  The daemon isn’t running!  ", "The daemon isn’t running!"],
])("%j is fit for chat", (message, sentence) => {
  expect(findPlainSentence(message)).toBe(sentence);
});

test.each([
  ["", "nothing"],
  ["-32603", "no words"],
  ["ENOENT: no such file, open '/home/ana/.config'", "a path"],
  ["cannot open C:\\Users\\ana", "a Windows path"],
  ["connect failed to api.example.com", "a host"],
  ["see https://example.com", "an address"],
  ["Invalid key sk-ant-abc", "a key"],
  ["Invalid key aB3dE5gH", "another key"],
  ["trace 4f5b81a0c2d94e77", "an id"],
  ["Failed\n    at open (node:fs)", "a stack"],
  ['{"error":"overloaded"}', "data"],
  ["**Look** at this", "markup"],
  ["<@U123> come here", "a mention"],
  ["@everyone come here", "another mention"],
  ["password: hunter two", "a secret by name"],
  ["The token = abc", "a secret with a sign"],
  [`${"word ".repeat(60)}`, "too long"],
  ["order 66\u202e drow", "a mark that reorders"],
])("%j is not, being or having %s", (message) => {
  expect(findPlainSentence(message)).toBeUndefined();
});
