import type { EventBody, LogEvent, PermissionAsk } from "@acp-kit/router";
import fc from "fast-check";
import { expect, test } from "vitest";
import { composeBody, findAdded } from "../src/compose.ts";
import {
  createReader,
  currentView,
  hasBegun,
  openAsks,
  type ReaderStart,
  reduceReader,
  repeatQuestions,
} from "../src/reader.ts";
import { plainRenderer } from "./plain-renderer.ts";

const show = { thoughts: true, plan: true, tools: true, toolDetails: false };
const log = (...events: [turn: string | undefined, body: EventBody][]): LogEvent[] =>
  events.map(([turn, body], at) => ({
    ...body,
    seq: at + 1,
    at: 0,
    ...(turn !== undefined && { turn }),
  }));
const read = (events: readonly LogEvent[], start: Partial<ReaderStart>) =>
  events.reduce(
    reduceReader,
    createReader({ own: ["t2"], after: 0, othersAfter: 0, backlog: 0, ...start }),
  );
const body = (...args: Parameters<typeof read>) =>
  composeBody(read(...args), plainRenderer, { show, now: 0 }).pieces.join("");
const text = (said: string): EventBody => ({ kind: "text", text: said });
const start: EventBody = { kind: "turn-start", who: "ana" };
const end: EventBody = { kind: "turn-end", outcome: { kind: "completed", stopReason: "end_turn" } };
const cancelled = (cause: "user" | "limit"): EventBody => ({
  kind: "turn-end",
  outcome: { kind: "cancelled", cause },
});
const ask: PermissionAsk = {
  id: "q1",
  requester: "ana",
  title: "",
  toolKind: "execute",
  subject: "ls",
  subjectFrom: "input",
  subjectCut: false,
  options: [],
  expiresAt: 0,
};

const twoTurns = log(
  ["t1", start],
  ["t1", text("first ")],
  ["t1", text("rest")],
  ["t1", end],
  ["t2", start],
  ["t2", text("second")],
  ["t2", end],
);

test("what was not delivered of an earlier turn stands before the own one, under a heading", () => {
  expect(body(twoTurns, { othersAfter: 2 })).toBe(
    "(notice) You have not seen this yet:\n\nrest\n\n---\n\nsecond",
  );
});

test("what was delivered is not shown again", () => {
  expect(body(twoTurns, { othersAfter: 4 })).toBe("second");
});

test("the own turn is shown from its own start, whatever was delivered since", () => {
  expect(body(twoTurns, { after: 4, othersAfter: 6 })).toBe("second");
});

test("a turn that was ended on purpose before it was read is left out", () => {
  const events = log(
    ["t1", start],
    ["t1", text("a")],
    ["t1", cancelled("user")],
    ["t2", text("b")],
  );
  expect(body(events, { backlog: 4 })).toBe("b");
});

test("a turn that a limit ended is shown", () => {
  const events = log(["t1", text("a")], ["t1", cancelled("limit")], ["t2", text("b")]);
  expect(body(events, { backlog: 3 })).toContain("a(cancelled)");
});

test("a turn that is stopped while it is read stays", () => {
  const events = log(["t1", text("a")], ["t1", cancelled("user")], ["t2", text("b")]);
  expect(body(events, { backlog: 1 })).toContain("a(cancelled)");
});

test("what the agent said between turns is shown once, where it was said", () => {
  const events = log(
    ["t1", end],
    [undefined, text("by the ")],
    [undefined, text("way")],
    ["t2", text("b")],
  );
  expect(body(events, { othersAfter: 1 })).toBe(
    "(notice) You have not seen this yet:\n\nby the way\n\n---\n\nb",
  );
});

test("an update that comes after its turn ended goes to its turn", () => {
  const events = log(["t1", text("a")], ["t1", end], ["t2", text("b")], ["t1", text("!")]);
  expect(body(events, {})).toContain("a!\n\n---\n\nb");
});

test("an event is folded in once", () => {
  const [first] = twoTurns;
  if (!first) throw new Error("no event");
  const reader = read(twoTurns, {});
  expect(reduceReader(reader, first)).toBe(reader);
});

test("the current turn is the one that has begun and not ended", () => {
  const queued: EventBody = { kind: "turn-queued", who: "ana", text: "", key: "m", attempt: 1 };
  const events = log(["t1", start], ["t2", queued], ["t1", end], ["t2", start]);
  expect(currentView(read(events.slice(0, 2), {}))?.turn).toBe("t1");
  expect(currentView(read(events.slice(0, 3), {}))).toBeUndefined();
  expect(hasBegun(read(events.slice(0, 3), {}), "t2")).toBe(false);
  expect(currentView(read(events, {}))?.turn).toBe("t2");
  expect(hasBegun(read(events, {}), "t2")).toBe(true);
});

test("a question that still waits is shown again once, and its answer ends it", () => {
  const reader = repeatQuestions(read([], {}), "t1", [ask], 0);
  expect(composeBody(reader, plainRenderer, { show, now: 0 }).pieces.join("")).toContain("? ls");
  expect(repeatQuestions(reader, "t1", [ask], 0)).toBe(reader);
  expect(openAsks(reader).map(({ id }) => id)).toEqual(["q1"]);
  const answered = reduceReader(reader, {
    seq: 9,
    at: 0,
    turn: "t1",
    kind: "permission-answer",
    permission: "q1",
    end: "cancelled",
  });
  expect(openAsks(answered)).toEqual([]);
});

test("what a text has behind another one is found piece by piece, as it would be in one", () => {
  const pieces = fc.array(fc.constantFrom("", "a", "b", "ab"), { maxLength: 4 });
  fc.assert(
    fc.property(pieces, pieces, (now, before) => {
      const [text, start] = [now.join(""), before.join("")];
      const added = text.startsWith(start) ? text.slice(start.length) : undefined;
      expect(findAdded(now, before)).toBe(added);
    }),
  );
});
