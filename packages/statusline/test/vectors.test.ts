import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as statusline from "../src/index.ts";

type Case = { id: string; fn: string; input: unknown[]; expect: unknown; note?: string };
type Vectors = { constants: Record<string, unknown>; cases: Case[] };

const vectors = JSON.parse(
  readFileSync(new URL("./vectors/statusline.json", import.meta.url), "utf8"),
) as Vectors;
const functions = new Map(Object.entries(statusline));

/** Puts in what JSON cannot say: ill-formed strings and `undefined`. Keeps an own `__proto__` an own member. */
function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  if ("$utf16" in value) return String.fromCharCode(...(value.$utf16 as number[]));
  if ("$undefined" in value) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decode(member)]));
}

test("the vectors are all there", () => {
  const counts: Record<string, number> = {};
  for (const { fn } of vectors.cases) counts[fn] = (counts[fn] ?? 0) + 1;
  expect(counts).toEqual({
    capRunes: 35,
    parseMeta: 89,
    providerEmoji: 130,
    providerEmojiForModel: 27,
    shortModelName: 59,
    segments: 30,
  });
});

test.each(Object.entries(vectors.constants))("%s is %j", (name, value) => {
  expect(functions.get(name)).toBe(value);
});

describe.each([...new Set(vectors.cases.map((entry) => entry.fn))])("%s gives", (name) => {
  const cases = vectors.cases.filter((entry) => entry.fn === name);
  test.each(cases.map((entry) => [entry.id, entry.note ?? "", entry] as const))(
    "%s %s",
    (_id, _note, entry) => {
      const call = functions.get(name) as unknown as (...input: unknown[]) => unknown;
      expect(call(...entry.input.map(decode))).toStrictEqual(decode(entry.expect));
    },
  );
});
