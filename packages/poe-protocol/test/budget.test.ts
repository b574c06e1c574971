import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EMPTY_BUDGET,
  KEEP_ALIVE,
  POE_LIMITS,
  type PoeComment,
  type PoeEvent,
  reduceBudget,
  roomLeft,
} from "../src/index.ts";

describe("reduceBudget", () => {
  it.each<[string, PoeEvent | PoeComment, number, number, number]>([
    ["a comment costs nothing", KEEP_ALIVE, 0, 0, 0],
    ["a text counts twice", { event: "text", data: { text: "abc" } }, 1, 3, 3],
    ["an empty text costs nothing", { event: "text", data: { text: "" } }, 0, 0, 0],
    ["characters are code points", { event: "text", data: { text: "é😀👨‍👩‍👧" } }, 1, 7, 7],
    ["halves count one each", { event: "text", data: { text: "\udc00\udc00\ud83d" } }, 1, 3, 3],
    ["replacing is no text", { event: "replace_response", data: { text: "abc" } }, 1, 0, 3],
    ["an empty replacing is an event", { event: "replace_response", data: { text: "" } }, 1, 0, 0],
    ["done is an event", { event: "done", data: {} }, 1, 0, 0],
    ["data has no text", { event: "data", data: { metadata: "abc" } }, 1, 0, 0],
    ["an error has", { event: "error", data: { allow_retry: true, text: "abc" } }, 1, 0, 3],
  ])("%s", (_, event, events, textCharacters, allCharacters) => {
    expect(reduceBudget(EMPTY_BUDGET, event)).toEqual({ events, textCharacters, allCharacters });
  });

  it("counts any text as Array.from does, lone surrogates included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(10), (text, cut) => {
        const torn = text.slice(cut);
        const { textCharacters } = reduceBudget(EMPTY_BUDGET, {
          event: "text",
          data: { text: torn },
        });
        expect(textCharacters).toBe(Array.from(torn).length);
      }),
    );
  });
});

describe("roomLeft", () => {
  it("is Poe's limits at the start", () => {
    expect(roomLeft(EMPTY_BUDGET, 0)).toEqual({
      events: 10_000,
      textCharacters: 512_000,
      ms: 3_600_000,
    });
  });

  it("is what is left of other limits, and never negative", () => {
    const limits = { ...POE_LIMITS, events: 5, textCharacters: 10, responseMs: 1_000 };
    const budget = { events: 3, textCharacters: 12, allCharacters: 99 };
    expect(roomLeft(budget, 250, limits)).toEqual({ events: 2, textCharacters: 0, ms: 750 });
    expect(roomLeft(budget, 5_000, limits).ms).toBe(0);
  });
});
