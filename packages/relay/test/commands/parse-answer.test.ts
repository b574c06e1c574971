import type { PermissionOption } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { isBareAnswer, parseAnswer } from "../../src/commands/parse-answer.ts";

const option = (id: string, kind: string): PermissionOption => ({ id, name: id, kind });
const once = option("once", "allow_once");
const always = option("always", "allow_always");
const no = option("no", "reject_once");
const never = option("never", "reject_always");
const usual = [once, always, no];
const chosen = (id: string) => ({ kind: "option", option: id });

describe("with the usual options", () => {
  test.each([
    ["1", chosen("once")],
    [" 2 ", chosen("always")],
    ["3.", chosen("no")],
    ["#1", chosen("once")],
    ["2)", chosen("always")],
    ["yes", chosen("once")],
    ["Y", chosen("once")],
    ["OK!", chosen("once")],
    ["ja", chosen("once")],
    ["Oui.", chosen("once")],
    ["да", chosen("once")],
    ["!yes", chosen("once")],
    ["!YES 2", chosen("always")],
    [".yes 1", chosen("once")],
    ["no", chosen("no")],
    ["Nein", chosen("no")],
    ["stop", chosen("no")],
    ["!no", chosen("no")],
    ["/no", chosen("no")],
    ["4", { kind: "unclear" }],
    ["0", { kind: "unclear" }],
    ["!yes 9", { kind: "unclear" }],
    ["yes but only in src/", { kind: "other" }],
    ["no, use pnpm", { kind: "other" }],
    ["1 2", { kind: "other" }],
    ["123", { kind: "other" }],
    ["!yes please", { kind: "unclear" }],
    ["", { kind: "other" }],
    ["constructor", { kind: "other" }],
  ])("%j is read as %j", (text, answer) => {
    expect(parseAnswer(text, usual)).toEqual(answer);
  });
});

describe("a plain yes never chooses more than this once", () => {
  test.each([
    ["only always is offered", [always, no]],
    ["two kinds of once are offered", [once, option("other", "allow_once")]],
    ["nothing allows", [no]],
    ["kinds are unknown", [option("a", "maybe")]],
  ])("when %s", (_title, options) => {
    expect(parseAnswer("yes", options)).toEqual({ kind: "unclear" });
  });
});

test("a plain no refuses this once, and never for good", () => {
  expect(parseAnswer("no", [once, never, no])).toEqual(chosen("no"));
  expect(parseAnswer("no", [once, never])).toEqual({ kind: "none" });
  expect(parseAnswer("no", [once])).toEqual({ kind: "none" });
});

test("an option that was not sent cannot be chosen", () => {
  for (const text of ["1", "2", "yes", "no", "!yes 1"]) {
    expect(parseAnswer(text, [])).not.toHaveProperty("option");
  }
});

test.each([
  ["1", true],
  ["!yes", true],
  ["!no", true],
  [".yes 2", true],
  ["yes", false],
  ["no", false],
  ["1 apple", false],
])("%j alone tells that it answers a question: %s", (text, expected) => {
  expect(isBareAnswer(text)).toBe(expected);
});
