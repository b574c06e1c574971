import { describe, expect, test } from "vitest";
import {
  findFreeAt,
  formatNear,
  formatOver,
  formatWait,
  QUOTAS,
  type Quota,
  type Spent,
  standingOf,
} from "../../src/people/limits.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;

function quota(name: Quota["name"]): Quota {
  const found = QUOTAS.find((one) => one.name === name);
  if (!found) throw new Error(`no quota ${name}`);
  return found;
}

const turns = quota("turnsPerUserPerHour");
const cost = quota("costPerUserPerDay");
const at = (...times: number[]): Spent[] => times.map((time) => ({ at: time * MIN, amount: 1 }));
const now = HOUR;

describe("where somebody stands with a limit", () => {
  test.each([
    ["of 10 turns the next one is the 1st", turns, 10, 0, "free"],
    ["of 10 turns the next one is the 7th", turns, 10, 6, "free"],
    ["of 10 turns the next one is the 8th", turns, 10, 7, "near"],
    ["of 10 turns the next one is the last", turns, 10, 9, "near"],
    ["all turns are used", turns, 10, 10, "over"],
    ["a sum is below 80 %", cost, 5, 3.99, "free"],
    ["a sum is at 80 %", cost, 5, 4, "near"],
    ["a sum is just below the limit", cost, 5, 4.99, "near"],
    ["a sum is the limit", cost, 5, 5, "over"],
  ] as const)("%s", (_, quota, limit, used, standing) => {
    expect(standingOf(quota, limit, used)).toBe(standing);
  });

  test.each([
    ["the oldest leaves the window", 3, at(5, 10, 20), 5],
    [
      "as many have left as are too many, after the limit has become smaller",
      2,
      at(5, 10, 20, 30),
      20,
    ],
  ])("there is room again when %s", (_, limit, spent, minute) => {
    expect(findFreeAt(turns, limit, spent, now)).toBe(minute * MIN + HOUR);
  });
});

describe("what people are told", () => {
  test.each([
    [
      "turnsPerUserPerHour",
      20,
      "You have used up your limit of 20 turns an hour. You can go on in 12 min.",
    ],
    [
      "turnsPerConversationPerHour",
      1,
      "This conversation has used up its limit of 1 turn an hour. It can go on in 12 min.",
    ],
    [
      "tokensPerUserPerDay",
      2_000_000,
      "You have used up your limit of 2,000,000 tokens a day. You can go on in 12 min.",
    ],
    [
      "costPerUserPerDay",
      5,
      "You have used up your budget of 5.00 a day. You can go on in 12 min.",
    ],
    [
      "minutesPerProjectPerDay",
      60,
      "This project has used up its limit of 60 minutes a day. It can go on in 12 min.",
    ],
    ["costPerDay", 5, "This bot has used up its budget for the day. It can go on in 12 min."],
  ] as const)("whose turn does not start because of %s", (name, limit, text) => {
    expect(formatOver(quota(name), limit, now + 12 * MIN, now)).toBe(text);
  });

  test.each([
    ["turnsPerUserPerHour", 10, 7, "8 of your limit of 10 turns an hour are used."],
    ["minutesPerUserPerDay", 60, 48.4, "48 of your limit of 60 minutes a day are used."],
    ["costPerProjectPerDay", 10, 8.5, "8.50 of this project's budget of 10.00 a day are used."],
    ["costPerDay", 60, 48.4, "This bot has used most of its budget for the day."],
  ] as const)("who is near %s", (name, limit, used, text) => {
    expect(formatNear(quota(name), limit, used)).toBe(text);
  });

  test.each([
    [1, "1 min"],
    [59 * MIN, "59 min"],
    [HOUR, "1 h"],
    [3 * HOUR + 20 * MIN, "3 h 20 min"],
    [-5, "1 min"],
  ])("%i ms are %s", (ms, text) => {
    expect(formatWait(ms)).toBe(text);
  });
});
