import fc from "fast-check";
import { expect, test } from "vitest";
import * as statusline from "../src/index.ts";
import { lowerCase } from "../src/lower-case.ts";
import { trim } from "../src/trim.ts";
import { anyText } from "./hostile.ts";

const { buildMeta, capRunes, EXTENSION_ID, parseMeta, providerEmoji, providerEmojiForModel } =
  statusline;
const field = fc.option(anyText, { nil: undefined });

test("capRunes gives the first code points, as many as there are up to the cap", () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 40 }), (text, max) => {
      expect(capRunes(text, max)).toBe([...text].slice(0, max).join(""));
    }),
  );
});

test.each([
  [Number.NaN, ""],
  [0.5, ""],
  [2.9, "ab"],
  [Number.NEGATIVE_INFINITY, ""],
  [Number.POSITIVE_INFINITY, "abc"],
])("capRunes of abc at %d is %j", (max, expected) => {
  expect(capRunes("abc", max)).toBe(expected);
});

test("trim takes exactly Unicode white space off", () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
  expect(units.filter((unit) => trim(`${unit}x${unit}`) === "x")).toEqual(
    units.filter((unit) => /\p{White_Space}/u.test(unit)),
  );
});

test("trim leaves the inside alone and is done after one pass", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const trimmed = trim(text);
      expect(text).toContain(trimmed);
      expect(trim(trimmed)).toBe(trimmed);
    }),
  );
});

test.each([
  ["ΑΣ", "ας".replace("ς", "σ")],
  ["İx", "ix"],
  ["ÀÉ🌲K", "àé🌲k"],
])("lowerCase of %s has as many code points: %s", (text, expected) => {
  expect(lowerCase(text)).toBe(expected);
});

test("parseMeta reads back exactly what buildMeta built, also through JSON", () => {
  fc.assert(
    fc.property(fc.record({ mood: field, plan: field }), (status) => {
      const meta = buildMeta(status);
      const { mood = "", plan = "" } = meta[EXTENSION_ID];
      expect(parseMeta(meta)).toEqual({ mood, plan, ok: true });
      expect(parseMeta(JSON.parse(JSON.stringify(meta)))).toEqual({ mood, plan, ok: true });
      expect(buildMeta(parseMeta(meta))).toEqual(meta);
    }),
  );
});

test("what buildMeta sends shows as the raw labels would", () => {
  fc.assert(
    fc.property(fc.record({ mood: field, plan: field }), (status) => {
      const raw = parseMeta({ [EXTENSION_ID]: status });
      const built = parseMeta(buildMeta(status));
      expect([built.mood, built.plan]).toEqual([trim(raw.mood), trim(raw.plan)]);
    }),
  );
});

test("buildMeta of nothing clears both fields", () => {
  expect(buildMeta({})).toEqual({ [EXTENSION_ID]: {} });
  expect(parseMeta(buildMeta({}))).toEqual({ mood: "", plan: "", ok: true });
});

test("advertise and buildMeta share no state between calls", () => {
  expect(statusline.advertise()).not.toBe(statusline.advertise());
  expect(statusline.advertise()[EXTENSION_ID]).not.toBe(statusline.advertise()[EXTENSION_ID]);
  expect(buildMeta({})[EXTENSION_ID]).not.toBe(buildMeta({})[EXTENSION_ID]);
});

test("the emoji of a model id is that of its provider, whatever the model", () => {
  const slug = fc.oneof(fc.constantFrom("anthropic", " OpenAI ", "x"), anyText);
  fc.assert(
    fc.property(slug, anyText, (provider, model) => {
      fc.pre(!provider.includes("/"));
      expect(providerEmojiForModel(`${provider}/${model}`)).toBe(providerEmoji(provider));
    }),
  );
});
