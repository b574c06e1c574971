import type { PermissionAsk } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { EMPTY_STATE } from "../src/delivery-state.ts";
import { decideIntake, type Message, type Situation } from "../src/intake.ts";

const ask: PermissionAsk = {
  id: "q1",
  requester: "ana",
  title: "",
  toolKind: "execute",
  subject: "ls",
  subjectFrom: "input",
  subjectCut: false,
  options: [
    { id: "once", name: "Yes", kind: "allow_once" },
    { id: "no", name: "No", kind: "reject_once" },
  ],
  expiresAt: 0,
};
const running = { turn: "t1", who: "ana", key: "m1", asks: [] };
const asking: Situation = {
  running: { ...running, asks: [ask] },
  state: { ...EMPTY_STATE, questions: ["q1"] },
  isShown: false,
};
const busy: Situation = { running, state: EMPTY_STATE, isShown: false };
const idle: Situation = { running: undefined, state: EMPTY_STATE, isShown: false };
const lapsed: Situation = { ...idle, state: { ...EMPTY_STATE, questions: ["q1"] } };
const decide = (text: string, situation: Situation, from: Partial<Message> = {}) =>
  decideIntake({ text, key: "m2", user: "ana", role: "user", ...from }, situation);

const prompt = { kind: "prompt" };
const notYours = { kind: "say", text: "notYours" };
const answer = (option?: string) => ({ kind: "answer", permission: "q1", option });

describe("a message", () => {
  test.each([
    ["while nothing runs is a prompt", "hi", idle, prompt],
    ["while a turn runs is a prompt", "hi", busy, prompt],
    ["that is a number without a question is a prompt", "1", busy, prompt],
    ["that stops ends the running turn", "!stop", busy, { kind: "stop", turn: "t1" }],
    ["that stops may have any sigil", " .STOP ", busy, { kind: "stop", turn: "t1" }],
    ["that stops nothing says so", "!stop", idle, { kind: "say", text: "nothingRuns" }],
    ["that only says stop is a prompt", "stop", busy, prompt],
    ["of one dot follows the running turn", ".", busy, { kind: "continue", until: "t1" }],
    ["that continues does the same", "!continue", busy, { kind: "continue", until: "t1" }],
    [
      "of one dot shows the rest of an ended turn",
      ".",
      idle,
      { kind: "continue", until: undefined },
    ],
    ["of three dots is a prompt", "...", busy, prompt],
    [
      "of one dot is told where the answer is shown",
      ".",
      { ...busy, isShown: true },
      { kind: "say", text: "shownAbove" },
    ],
    [
      "of one dot follows the turn that the parked response was to show",
      ".",
      { ...busy, state: { ...EMPTY_STATE, until: "t2" } },
      { kind: "continue", until: "t2" },
    ],
    ["with a digit answers the question shown last", "1", asking, answer("once")],
    ["with a word answers it too", "no", asking, answer("no")],
    [
      "with a number that is no option is asked again",
      "7",
      asking,
      { kind: "say", text: "whichOption" },
    ],
    [
      "that is no answer counts as no and is passed on",
      "no, use pnpm",
      asking,
      { kind: "refuse-and-prompt", turn: "t1", permission: "q1", option: "no" },
    ],
    ["that stops at a question ends the turn", "!stop", asking, { kind: "stop", turn: "t1" }],
    ["with a digit after the question ended is left to the store", "1", lapsed, answer()],
    ["with !yes without a question says so", "!Yes", busy, { kind: "say", text: "noQuestion" }],
    ["with !no while nothing runs does too", "!no", idle, { kind: "say", text: "noQuestion" }],
    ["with a space behind the sigil is a prompt", "! yes 1", busy, prompt],
    ["with the full stop of a phone answers it too", "!No.", asking, answer("no")],
    ["with a verdict and a number chooses the option", "！yes 2", asking, answer("no")],
    ["with !yes after the question ended is left to the store", "!yes", lapsed, answer()],
    ["with other words after the question ended is a prompt", "go on", lapsed, prompt],
    [
      "about a question that was never shown is a prompt",
      "1",
      { ...asking, state: EMPTY_STATE },
      prompt,
    ],
  ] as const)("%s", (_title, text, situation, expected) => {
    expect(decide(text, situation as Situation)).toEqual(expected);
  });

  test("that started the asking turn is never an answer to it", () => {
    expect(decide("do it", asking, { key: "m1" })).toEqual(prompt);
    expect(decide("1", asking, { key: "m1" })).toEqual(prompt);
  });

  test("that answered a question answers no other one when it comes again", () => {
    const answers = [{ key: "m2", permission: "q1" }];
    const state = { ...EMPTY_STATE, questions: ["q2"], answers };
    const second = { ...running, asks: [{ ...ask, id: "q2" }] };
    expect(decide("1", { running: second, state, isShown: false })).toEqual(answer());
  });

  test("without an id is never taken for an earlier one", () => {
    const nameless = { ...running, key: "", asks: [ask] };
    expect(decide("1", { ...asking, running: nameless }, { key: "" })).toEqual(answer("once"));
  });
});

describe("somebody else", () => {
  const bob = { user: "bob" };
  test.each([
    ["cannot answer the question", "1", asking, notYours],
    ["cannot refuse it", "no", asking, notYours],
    ["does not refuse it with a message of their own", "what is this?", asking, prompt],
    ["cannot stop the turn", "!stop", busy, notYours],
  ] as const)("%s", (_title, text, situation, expected) => {
    expect(decide(text, situation, bob)).toEqual(expected);
  });

  test.each(["approver", "operator"] as const)("who is an %s can", (role) => {
    expect(decide("1", asking, { ...bob, role })).toEqual(answer("once"));
    expect(decide("!stop", busy, { ...bob, role })).toEqual({ kind: "stop", turn: "t1" });
  });

  test("without an id is not the requester", () => {
    expect(decide("1", asking, { user: "" })).toEqual(notYours);
  });
});
