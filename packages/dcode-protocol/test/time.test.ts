import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareTimes, isTime, ProtocolError, parseTime, ZERO_TIME } from "../src/index.ts";
import { time } from "./arbitraries.ts";

test.each([
  "2024-02-29T00:00:00Z",
  "2000-02-29T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999+23:59",
  "2026-08-11T12:00:00.1234567890123Z",
])("%s is a time", (text) => {
  expect(isTime(text)).toBe(true);
});

test.each([
  "",
  "2026-08-11",
  "2026-08-11T12:00:00",
  "2026-08-11t12:00:00Z",
  "2026-08-11T12:00:00z",
  "2026-08-11 12:00:00Z",
  "2026-8-11T12:00:00Z",
  "2026-02-30T12:00:00Z",
  "1900-02-29T12:00:00Z",
  "2026-04-31T12:00:00Z",
  "2026-08-32T12:00:00Z",
  "2026-00-11T12:00:00Z",
  "2026-08-11T24:00:00Z",
  "2026-08-11T12:60:00Z",
  "2026-08-11T12:00:60Z",
  "2026-08-11T12:00:00.Z",
  "2026-08-11T12:00:00,5Z",
  "2026-08-11T12:00:00+0300",
  "2026-08-11T12:00:00+03",
  "2026-08-11T12:00:00+24:00",
  "2026-08-11T12:00:00+03:60",
  "2026-08-11T12:00:00Z ",
  "2026-08-11T12:00:00Z\n",
  " 2026-08-11T12:00:00Z",
  "+002026-08-11T12:00:00Z",
  "٢٠٢٦-08-11T12:00:00Z",
])("%j is no time", (text) => {
  expect(isTime(text)).toBe(false);
  expect(() => parseTime(text)).toThrow(ProtocolError);
  expect(() => compareTimes(ZERO_TIME, text)).toThrow(/not an RFC 3339 time/);
});

test("the instant is that of Date.parse, cut to milliseconds", () => {
  fc.assert(
    fc.property(time, (text) => {
      const zone = text.search(/(Z|[+-]\d\d:\d\d)$/);
      const milliseconds = text.slice(20, zone).padEnd(3, "0").slice(0, 3);
      const cut = `${text.slice(0, 19)}.${milliseconds}${text.slice(zone)}`;
      expect(parseTime(text)).toBe(Date.parse(cut));
    }),
  );
});

test.each([
  ZERO_TIME,
  "0001-01-01T00:00:00.000000000Z",
  "0001-01-01T00:00:00+00:00",
  "0001-01-01T03:00:00+03:00",
  "0000-12-31T21:00:00-03:00",
])("%s is the zero time, and so no time", (text) => {
  expect(parseTime(text)).toBeUndefined();
  expect(compareTimes(text, ZERO_TIME)).toBe(0);
});

test("a nanosecond after the zero time is a time", () => {
  expect(parseTime("0001-01-01T00:00:00.000000001Z")).toBe(-62_135_596_800_000);
});

describe("times are ordered by instant", () => {
  test.each([
    ["2026-08-11T12:00:00Z", "2026-08-11T09:00:00-03:00", 0],
    ["2026-08-11T12:00:00.1Z", "2026-08-11T12:00:00.100Z", 0],
    ["2026-08-11T12:00:00.1Z", "2026-08-11T12:00:00.09Z", 1],
    ["2026-08-11T12:00:00.123456788Z", "2026-08-11T12:00:00.123456789Z", -1],
    ["2026-08-11T12:00:00Z", "2026-08-11T12:00:00.000000001Z", -1],
    ["2026-08-11T13:00:00+02:00", "2026-08-11T12:00:00Z", -1],
  ])("%s and %s", (a, b, sign) => {
    expect(Math.sign(compareTimes(a, b))).toBe(sign);
    expect(Math.sign(compareTimes(b, a))).toBe(0 - sign);
  });

  test("as their milliseconds are, where those differ", () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const difference = (parseTime(a) ?? 0) - (parseTime(b) ?? 0);
        if (difference !== 0) expect(Math.sign(compareTimes(a, b))).toBe(Math.sign(difference));
      }),
    );
  });
});
