import { describe, expect, test } from "vitest";
import { createAccess as createAccessWith, isOpenToEverybody } from "../../src/people/access.ts";
import type { AccessRule, Person } from "../../src/people/access-rule.ts";

const createAccess = (rules: readonly AccessRule[]) =>
  createAccessWith({ rules, app: "poe-relay" });
const at = (bot: string, user: string): Person => ({ surface: "poe", bot, user });

const rules: readonly AccessRule[] = [
  { users: ["u-ana"], role: "operator", bots: ["shop"] },
  { users: ["u-ana", "u-bob"], role: "user" },
  { users: ["u-bob"], role: "operator" },
  { users: [], role: "operator" },
];

describe("roleOf", () => {
  const access = createAccess(rules);
  test.each([
    ["the first rule that matches wins", "shop", "u-ana", "operator"],
    ["a rule for one bot says nothing about another", "infra", "u-ana", "user"],
    ["a later rule never raises a role", "shop", "u-bob", "user"],
    ["no rule is no role", "shop", "u-eve", undefined],
    ["ids are compared exactly", "shop", "u-AnA", undefined],
    ["an empty id matches no rule", "shop", "", undefined],
  ])("%s", (_, bot, user, role) => {
    expect(access.roleOf(at(bot, user))).toBe(role);
  });
});

test("C10: without rules, and with an empty list of users, nobody is admitted", () => {
  for (const access of [createAccess([]), createAccess([{ users: [], role: "operator" }])]) {
    expect(access.admit(at("shop", "u-ana")).kind).toBe("refused");
    expect(access.admit(at("shop", "")).kind).toBe("refused");
  }
});

test('C10: "*" admits everybody, and it can be told that it does', () => {
  const open: AccessRule = { users: ["*"], role: "user", bots: ["shop"] };
  const access = createAccess([open]);
  expect(access.admit(at("shop", "anyone"))).toEqual({ kind: "admitted", role: "user" });
  expect(access.admit(at("infra", "anyone")).kind).toBe("refused");
  const on = (surface: string, bot: string) => ({ surface, bot });
  expect(isOpenToEverybody([open], on("poe", "shop"))).toBe(true);
  expect(isOpenToEverybody([open], on("poe", "infra"))).toBe(false);
  expect(isOpenToEverybody(rules, on("poe", "shop"))).toBe(false);
  const inChannel = { users: ["*"], role: "user", slack: { channel: "C1" } } as const;
  expect(isOpenToEverybody([inChannel], on("poe", "shop"))).toBe(false);
  expect(isOpenToEverybody([inChannel], on("slack", "shop"))).toBe(true);
});

describe("a refusal", () => {
  const refusal = (user: string) => {
    const admission = createAccess([]).admit(at("shop", user));
    return admission.kind === "refused" ? admission.text : "";
  };

  test("tells the person their id", () => {
    expect(refusal("u-0123abc=")).toContain("`u-0123abc=`");
  });

  test("shows no markup and no control character of a hostile id, and no more than a line of it", () => {
    const text = refusal(`u\`](http://evil)\n\u202e${"x".repeat(5_000)}`);
    expect(text).toMatch(/^[^\n]{1,300}$/);
    expect(text.split("`")).toHaveLength(3);
    expect(text).not.toMatch(/[()[\]\u202e]/);
  });

  test("says so when the message came without an id", () => {
    expect(refusal("")).toContain("without a user id");
  });
});
