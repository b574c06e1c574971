import fc from "fast-check";
import { expect, test } from "vitest";
import { type EventBody, type LogEvent, reduceTurnView, type TurnView } from "../src/index.ts";
import { anyTurn } from "./any-event.ts";

const log = (...bodies: EventBody[]): LogEvent[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1, at: (index + 1) * 10, turn: "t" }));

const fold = (events: readonly LogEvent[]): TurnView => {
  let view: TurnView | undefined;
  for (const event of events) view = reduceTurnView(view, event);
  if (!view) throw new Error("no events");
  return view;
};

test("texts that follow each other are one segment; a tool between them makes two", () => {
  const view = fold(
    log(
      { kind: "text", text: "a" },
      { kind: "text", text: "b" },
      {
        kind: "tool-start",
        id: "1",
        title: "Read",
        toolKind: "read",
        status: "pending",
        content: [],
      },
      { kind: "text", text: "c" },
    ),
  );
  expect(view.segments.map((segment) => segment.kind)).toEqual(["text", "tool-start", "text"]);
  expect(view.segments[0]).toEqual({ kind: "text", text: "ab" });
});

test("a tool keeps its start, takes what updates say, and ends with the first terminal status", () => {
  const view = fold(
    log(
      {
        kind: "tool-start",
        id: "1",
        title: "npm test",
        toolKind: "execute",
        status: "pending",
        content: [],
      },
      { kind: "tool-update", id: "1", status: "in_progress" },
      {
        kind: "tool-update",
        id: "1",
        status: "completed",
        content: [{ kind: "text", text: "ok" }],
      },
    ),
  );
  expect(view.tools).toEqual([
    {
      id: "1",
      title: "npm test",
      toolKind: "execute",
      status: "completed",
      content: [{ kind: "text", text: "ok" }],
      startedAt: 10,
      endedAt: 30,
    },
  ]);
  expect(view.segments.map((segment) => segment.kind)).toEqual(["tool-start", "tool-end"]);
});

test("an update for a tool that nobody started is a tool all the same", () => {
  const view = fold(log({ kind: "tool-update", id: "9", title: "Late", status: "failed" }));
  expect(view.tools).toMatchObject([{ id: "9", title: "Late", status: "failed", endedAt: 10 }]);
});

test("a question is open until its answer, and both stand in the order of the log", () => {
  const ask = {
    id: "q",
    requester: "ana",
    title: "Run",
    toolKind: "execute",
    subject: "ls",
    subjectFrom: "input" as const,
    subjectCut: false,
    options: [],
    expiresAt: 99,
  };
  const events = log(
    { kind: "permission-ask", ask },
    {
      kind: "permission-answer",
      permission: "q",
      end: "selected",
      option: { id: "y", name: "Yes", kind: "allow_once" },
      by: "ana",
    },
  );
  expect(fold(events.slice(0, 1)).asks).toEqual([ask]);
  const view = fold(events);
  expect(view.asks).toEqual([]);
  expect(view.segments.map((segment) => segment.kind)).toEqual(["question", "answer"]);
});

test("the turn's end closes open questions and gives the outcome", () => {
  const outcome = { kind: "completed", stopReason: "end_turn" } as const;
  const view = fold(log({ kind: "text", text: "a" }, { kind: "turn-end", outcome }));
  expect(view.outcome).toEqual(outcome);
  expect(view.asks).toEqual([]);
});

test("mood and plan are kept until they are changed", () => {
  const view = fold(
    log({ kind: "status", mood: "calm", plan: "2/5" }, { kind: "status", mood: "busy" }),
  );
  expect(view.status).toEqual({ mood: "busy", plan: "2/5" });
});

test("an event of another turn, and one that was folded already, change nothing", () => {
  const events = log({ kind: "text", text: "a" }, { kind: "text", text: "b" });
  const view = fold(events);
  expect(reduceTurnView(view, { ...(events[1] as LogEvent) })).toBe(view);
  expect(reduceTurnView(view, { kind: "text", text: "x", seq: 3, at: 1, turn: "u" })).toBe(view);
});

test("segments only grow at their end, and only a last text or thought still grows", () => {
  fc.assert(
    fc.property(anyTurn, (events) => {
      let view: TurnView | undefined;
      for (const event of events) {
        const before: TurnView | undefined = view;
        view = reduceTurnView(view, event);
        if (!before) continue;
        const now = view.segments;
        expect(now.length).toBeGreaterThanOrEqual(before.segments.length);
        before.segments.forEach((segment, index) => {
          const same = now[index];
          const last = index === before.segments.length - 1;
          if (last && "text" in segment && same && "text" in same && segment.kind !== "notice") {
            expect(same.kind).toBe(segment.kind);
            expect(same.text.startsWith(segment.text)).toBe(true);
          } else {
            expect(same).toBe(segment);
          }
        });
      }
    }),
  );
});

test("a fold is the same in one go and with an interruption at any event", () => {
  fc.assert(
    fc.property(anyTurn, fc.nat(40), (events, cut) => {
      if (events.length === 0) return;
      let view: TurnView | undefined;
      for (const event of events.slice(0, cut)) view = reduceTurnView(view, event);
      // Reading again from an earlier place gives events that were folded already.
      for (const event of events.slice(Math.max(0, cut - 3))) view = reduceTurnView(view, event);
      expect(view).toEqual(fold(events));
    }),
  );
});
