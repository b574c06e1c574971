import { expect, test } from "vitest";
import { findEmphasis } from "../../src/renderer/emphasis.ts";

test("of a block that is longer than messages are, no emphasis is looked for", () => {
  const found = [{ from: 2, to: 5, mark: "*" }];
  expect(findEmphasis(`- *a*\n${"b\n".repeat(500)}`)).toEqual(found);
  expect(findEmphasis(`- *a*\n${"b\n".repeat(520)}`)).toEqual([]);
  expect(findEmphasis(`- *a*\n${"b ".repeat(8_000)}`)).toEqual(found);
  expect(findEmphasis(`- *a*\n${"b ".repeat(8_200)}`)).toEqual([]);
});
