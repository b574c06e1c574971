import { expect, test } from "vitest";
import { renderer } from "../../src/renderer/index.ts";

test.each([
  ["notice", "Stopped.\n\nBye.", "> ℹ️ Stopped.\n>\n> Bye."],
  ["error", "No agent for --model.", "⚠️ No agent for --\u200Bmodel."],
  ["command", "**Status**\n\n`--model`", "**Status**\n\n`--model`"],
] as const)("what the relay says as a %s", (kind, markdown, shown) => {
  expect(renderer.say(kind, markdown)).toBe(shown);
});
