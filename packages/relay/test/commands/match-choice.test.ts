import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchChoice } from "../../src/commands/match-choice.ts";

const named = (...ids: string[]) => ids.map((id) => ({ id, name: id }));

const models = [
  { id: "anthropic/claude-opus-4-5-20251101", name: "Opus 4.5" },
  { id: "anthropic/claude-opus-4-1-20250805", name: "Opus 4.1" },
  { id: "anthropic/claude-sonnet-4-5", name: "Sonnet 4.5" },
  { id: "anthropic/claude-haiku-4-5", name: "Haiku 4.5" },
  { id: "openai/gpt-5", name: "GPT-5" },
  { id: "openai/gpt-5-mini", name: "GPT-5 mini" },
  { id: "openai/gpt-5.1", name: "GPT-5.1" },
];

describe("a few letters mean one model", () => {
  test.each([
    ["that has this id", "openai/gpt-5", "openai/gpt-5"],
    ["that has this id in another case", "OpenAI/GPT-5", "openai/gpt-5"],
    ["that has this name", "gpt-5 MINI", "openai/gpt-5-mini"],
    ["whose words these are, without its provider", "gpt 5", "openai/gpt-5"],
    [
      "whatever stands between its words, a smart dash for one",
      "sonnet—4.5",
      "anthropic/claude-sonnet-4-5",
    ],
    ["without the date of its id", "claude opus 4.5", "anthropic/claude-opus-4-5-20251101"],
    ["that has words which begin so", "son", "anthropic/claude-sonnet-4-5"],
    ["that has them in this order", "cl hai", "anthropic/claude-haiku-4-5"],
    ["that has them in any order", "4.1 opus", "anthropic/claude-opus-4-1-20250805"],
    ["that has the letters in this order", "snnt", "anthropic/claude-sonnet-4-5"],
    ["in spite of a slip", "hiaku", "anthropic/claude-haiku-4-5"],
    ["in spite of a letter too many", "sonnnet", "anthropic/claude-sonnet-4-5"],
    ["with an accent that a keyboard has put there", "sónnet", "anthropic/claude-sonnet-4-5"],
  ])("%s", (_title, typed, id) => {
    expect(matchChoice(typed, models)).toMatchObject({ kind: "one", choice: { id } });
  });
});

describe("a few letters mean several", () => {
  test.each([
    [
      "when all begin so",
      "opus",
      ["anthropic/claude-opus-4-5-20251101", "anthropic/claude-opus-4-1-20250805"],
    ],
    ["when two have the same name", "Twin", ["a", "b"]],
  ])("%s", (_title, typed, ids) => {
    const all = [...models, { id: "a", name: "Twin" }, { id: "b", name: "twin" }];
    const match = matchChoice(typed, all);
    expect(match.kind === "several" && match.choices.map(({ id }) => id)).toEqual(ids);
  });
});

test("a number is one unit: 4 is neither 45 nor the beginning of it", () => {
  expect(matchChoice("opus 4", named("opus-45", "opus-40"))).toEqual({ kind: "none" });
  expect(matchChoice("gpt 5", named("gpt-5.1", "gpt-50"))).toMatchObject({
    kind: "one",
    choice: { id: "gpt-5.1" },
  });
});

test("of several, the one that ends with the words is meant", () => {
  const match = matchChoice("opus 4", named("claude-opus-4", "claude-opus-4-1", "claude-opus-4-5"));
  expect(match).toMatchObject({ kind: "one", choice: { id: "claude-opus-4" } });
});

test.each(["", "  ", "---", "llama", "o9", "zz"])("%j means none of them", (typed) => {
  expect(matchChoice(typed, models)).toEqual({ kind: "none" });
});

test("an exact id is told from what was only meant", () => {
  expect(matchChoice("openai/gpt-5", models)).toMatchObject({ isExact: true });
  expect(matchChoice("gpt 5 mini", models)).toMatchObject({ isExact: false });
});

test("every id and every name that is there once means itself, and nothing that is not listed is ever meant", () => {
  const choice = fc.record({ id: fc.string({ minLength: 1 }), name: fc.string() });
  fc.assert(
    fc.property(fc.array(choice, { maxLength: 8 }), fc.string(), (choices, typed) => {
      for (const one of choices) {
        expect(matchChoice(one.id, choices)).toMatchObject({ kind: "one", choice: { id: one.id } });
      }
      const match = matchChoice(typed, choices);
      if (match.kind === "one") expect(choices).toContain(match.choice);
      if (match.kind === "several") expect(match.choices.length).toBeGreaterThan(1);
    }),
  );
});
