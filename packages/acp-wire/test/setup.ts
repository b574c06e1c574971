import { afterEach, expect } from "vitest";
import { violations } from "./wire-check.ts";

/** Whatever a test was about: what this package emitted in it was valid ACP. */
afterEach(() => {
  expect(violations.splice(0)).toEqual([]);
});
