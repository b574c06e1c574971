import { describe, expect, test } from "vitest";
import {
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
    ["nothing was used", 10, [], { kind: "free", used: 0 }],
    ["the next turn is the 7th of 10", 10, at(1, 2, 3, 4, 5, 6), { kind: "free", used: 6 }],
    ["the next turn is the 8th of 10", 10, at(1, 2, 3, 4, 5, 6, 7), { kind: "near", used: 7 }],
    ["all are used: the oldest frees one", 3, at(5, 10, 20), { kind: "over", used: 3 }],
  ])("%s", (_, limit, spent, expected) => {
    expect(standingOf(turns, limit, spent, now)).toMatchObject(expected);
  });

  test("what was used becomes free when the oldest of it leaves the window", () => {
    const over = standingOf(turns, 3, at(5, 10, 20), now);
    expect(over).toMatchObject({ kind: "over", freeAt: 5 * MIN + HOUR });
  });

  test("a limit that has become smaller waits for as many as are too many", () => {
    const over = standingOf(turns, 2, at(5, 10, 20, 30), now);
    expect(over).toMatchObject({ kind: "over", freeAt: 20 * MIN + HOUR });
  });

  test("a sum is over once it reaches the limit, not before", () => {
    const spent = (amount: number) => [{ at: 0, amount }];
    expect(standingOf(cost, 5, spent(4.99), now).kind).toBe("near");
    expect(standingOf(cost, 5, spent(3.99), now).kind).toBe("free");
    expect(standingOf(cost, 5, spent(5), now)).toMatchObject({ freeAt: 24 * HOUR });
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
