import type { PermissionAsk } from "@acp-kit/router";
import { expect, test } from "vitest";
import { decideAnswer } from "../../src/intake/decide-answer.ts";

const option = (id: string, kind: string) => ({ id, name: id, kind });
const usual = [
  option("always", "allow_always"),
  option("once", "allow_once"),
  option("no", "reject_once"),
];

function ask(part: Partial<PermissionAsk> = {}): PermissionAsk {
  return {
    ...{ id: "p1", requester: "U0ANA", title: "Run", toolKind: "execute", subject: "ls" },
    ...{ subjectFrom: "input", subjectCut: false, options: usual, expiresAt: 1 },
    ...part,
  };
}

test.each([
  ["yes", { kind: "answer", option: "once" }],
  ["Yes.", { kind: "answer", option: "once" }],
  ["!yes", { kind: "answer", option: "once" }],
  ["ja", { kind: "answer", option: "once" }],
  ["no", { kind: "answer", option: "no" }],
  ["!no", { kind: "answer", option: "no" }],
  ["yes, but only in src", { kind: "none" }],
  ["1", { kind: "none" }],
  ["#2", { kind: "none" }],
  ["!yes 1", { kind: "say", text: "useButtons" }],
  ["what is it?", { kind: "none" }],
])("%j says to the only question what it should", (text, expected) => {
  expect(decideAnswer(text, [ask()])).toMatchObject(expected);
});

test("a plain word never allows what is not shown whole, or more than once, but may refuse it", () => {
  const cut = ask({ subjectCut: true });
  expect(decideAnswer("yes", [cut])).toEqual({ kind: "say", text: "useButtons" });
  expect(decideAnswer("no", [cut])).toMatchObject({ kind: "answer", option: "no" });
  const always = ask({ options: [option("always", "allow_always")] });
  expect(decideAnswer("yes", [always])).toEqual({ kind: "say", text: "useButtons" });
  expect(decideAnswer("no", [always])).toMatchObject({ kind: "answer", option: undefined });
});

test("where several are open none is meant, and where none is a verdict alone is", () => {
  expect(decideAnswer("yes", [ask(), ask({ id: "p2" })])).toEqual({
    kind: "say",
    text: "manyQuestions",
  });
  expect(decideAnswer("hello", [ask(), ask({ id: "p2" })])).toEqual({ kind: "none" });
  expect(decideAnswer("yes", [])).toEqual({ kind: "none" });
  expect(decideAnswer("!yes", [])).toEqual({ kind: "say", text: "noQuestion" });
});
