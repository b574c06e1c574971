import fc from "fast-check";
import { expect, test } from "vitest";
import * as statusline from "../src/index.ts";
import { hostile } from "./hostile.ts";

const { EXTENSION_ID, MAX_FIELD_RUNES } = statusline;
const runes = (text: string) => [...text].length;

function assertText(value: unknown, maxRunes = Number.POSITIVE_INFINITY): void {
  expect(value).toBeTypeOf("string");
  expect(runes(value as string)).toBeLessThanOrEqual(maxRunes);
}

/** Each function beside what holds of its result, whatever it was given. */
const promises: Record<string, (result: never) => void> = {
  capRunes: (result: string) => assertText(result),
  parseMeta: (result: statusline.ParsedMeta) => {
    expect(Object.keys(result)).toEqual(["mood", "plan", "ok"]);
    assertText(result.mood, MAX_FIELD_RUNES);
    assertText(result.plan, MAX_FIELD_RUNES);
    if (!result.ok) expect(result).toEqual({ mood: "", plan: "", ok: false });
  },
  buildMeta: (result: statusline.StatusMeta) => {
    expect(Object.keys(result)).toEqual([EXTENSION_ID]);
    for (const label of Object.values(result[EXTENSION_ID])) {
      expect(label).not.toBe("");
      assertText(label, MAX_FIELD_RUNES);
    }
  },
  advertise: (result: unknown) => {
    expect(result).toEqual({ [EXTENSION_ID]: { version: 1 } });
  },
  providerEmoji: (result: string) => assertText(result, 2),
  providerEmojiForModel: (result: string) => assertText(result, 2),
  shortModelName: (result: string) => assertText(result, MAX_FIELD_RUNES),
  segments: (result: string[]) => {
    expect(result.length).toBeLessThanOrEqual(3);
    for (const part of result) {
      assertText(part);
      expect(part).not.toBe("");
    }
  },
};

test("every exported function stands in the table of promises", () => {
  const functions = Object.entries(statusline).filter(([, value]) => typeof value === "function");
  expect(Object.keys(promises).sort()).toEqual(functions.map(([name]) => name).sort());
});

test.each(Object.entries(promises))("%s keeps its promise for any input", (name, check) => {
  const call = Reflect.get(statusline, name) as (...input: unknown[]) => never;
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 3 }), (makers) => {
      check(call(...makers.map((make) => make())));
    }),
    { numRuns: 300 },
  );
});

test("parseMeta keeps its promise for a payload that answers differently each time", () => {
  let reads = 0;
  const fickle = new Proxy(
    {},
    {
      getOwnPropertyDescriptor: () =>
        reads++ % 2 ? undefined : { value: "x", configurable: true, enumerable: true },
      get: () => (reads % 2 ? fickle : "calm"),
    },
  );
  for (let start = 0; start < 8; start += 1) {
    reads = start;
    promises["parseMeta"]?.(statusline.parseMeta(fickle) as never);
  }
});

test("a getter that throws spoils neither the other field nor ok", () => {
  const throwing = {
    get mood(): string {
      throw new Error("refused");
    },
    plan: "2/5",
  };
  expect(statusline.parseMeta({ [EXTENSION_ID]: throwing })).toEqual({
    mood: "",
    plan: "2/5",
    ok: true,
  });
  expect(statusline.buildMeta(throwing)).toEqual({ [EXTENSION_ID]: { plan: "2/5" } });
  expect(statusline.segments(throwing)).toEqual(["2/5"]);
  const meta = Object.defineProperty({}, EXTENSION_ID, { get: () => throwing.mood });
  expect(statusline.parseMeta(meta)).toEqual({ mood: "", plan: "", ok: true });
});

test("what a prototype lends does not count", () => {
  const meta = Object.create({ [EXTENSION_ID]: { mood: "calm" } });
  expect(statusline.parseMeta(meta).ok).toBe(false);
  expect(statusline.parseMeta({ [EXTENSION_ID]: Object.create({ mood: "calm" }) }).mood).toBe("");
  expect(statusline.segments(Object.create({ mood: "calm" }))).toEqual([]);
});

const mebi = 2 ** 20;
test.each([
  [
    "parseMeta, white space inside",
    () => statusline.parseMeta({ [EXTENSION_ID]: { mood: `a${" ".repeat(mebi)}b` } }),
  ],
  ["providerEmoji, a long slug", () => statusline.providerEmoji("claude".repeat(mebi))],
  [
    "shortModelName, tails that are dropped",
    () => statusline.shortModelName(`m${"-latest".repeat(mebi)}`),
  ],
  [
    "shortModelName, tails that stay",
    () => statusline.shortModelName(`m${"-latest".repeat(mebi)}!`),
  ],
  ["shortModelName, dashes and digits", () => statusline.shortModelName("1-".repeat(mebi))],
])("a megabyte takes linear time: %s", (_title, call) => {
  const start = performance.now();
  call();
  // Quadratic time would be minutes.
  expect(performance.now() - start).toBeLessThan(5_000);
});
