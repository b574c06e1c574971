import type { EventBody } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { bodyOf, end, fold, showUsual, start, text } from "./fold.ts";

const model: EventBody = { kind: "config", model: "anthropic/claude-opus-4-5-20251101" };
const footer = (...events: EventBody[]) =>
  bodyOf(fold(start, text("a"), ...events, end), showUsual).replace(/^a\n*/, "");

test.each<[string, EventBody[], string]>([
  ["nothing known", [], ""],
  ["a model", [model], "_🏛️ opus-4.5_"],
  ["a model of nobody we know", [{ kind: "config", model: "x/y_1" }], "_y\\_1_"],
  ["the newest mood", ["up", "down"].map((mood) => ({ kind: "status", mood })), "_down_"],
  [
    "all",
    [model, { kind: "status", mood: "calm", plan: "2/5" }, { kind: "usage", used: 1, size: 3 }],
    "_🏛️ opus-4.5 • calm • 2/5 • context 33 %_",
  ],
  ["labels on two lines", [{ kind: "status", mood: "a\nb" }], "_a b_"],
  [
    "a plan without a label",
    [
      {
        kind: "plan",
        entries: [
          { content: "x", status: "completed" },
          { content: "y", status: "pending" },
        ],
      },
    ],
    "_1/2_",
  ],
])("%s", (_, events, line) => {
  expect(footer(...events)).toBe(line);
});

describe("context use is left out where it means nothing", () => {
  test.each([
    [5, 0],
    [-1, 10],
    [Number.NaN, 10],
    [5, Number.NaN],
  ])("%d of %d", (used, size) => {
    expect(footer({ kind: "usage", used, size })).toBe("");
  });
});
