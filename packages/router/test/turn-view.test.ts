import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type EventBody,
  hasAnswer,
  type LogEvent,
  openTools,
  reduceTurnView,
  type TurnView,
} from "../src/index.ts";
import { anyTurn } from "./any-event.ts";

const log = (...bodies: EventBody[]): LogEvent[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1, at: (index + 1) * 10, turn: "t" }));

const fold = (events: readonly LogEvent[]): TurnView => {
  let view: TurnView | undefined;
  for (const event of events) view = reduceTurnView(view, event);
  if (!view) throw new Error("no events");
  return view;
};

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

const kinds = (view: TurnView) => Array.from(view.segments, (segment) => segment.kind);

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
  expect(kinds(view)).toEqual(["text", "tool-start", "text"]);
  expect(view.segments.at(0)).toEqual({ kind: "text", text: "ab" });
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
  expect([...view.tools]).toEqual([
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
  expect(kinds(view)).toEqual(["tool-start", "tool-end"]);
});

test("an update for a tool that nobody started is a tool all the same", () => {
  const view = fold(log({ kind: "tool-update", id: "9", title: "Late", status: "failed" }));
  expect([...view.tools]).toMatchObject([
    { id: "9", title: "Late", status: "failed", endedAt: 10 },
  ]);
});

test("a question is open until its answer, and both stand in the order of the log", () => {
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
  expect(kinds(view)).toEqual(["question", "answer"]);
});

test("a question asked again while it is open is one question, and after its end a new one", () => {
  const asking: EventBody = { kind: "permission-ask", ask };
  const end: EventBody = { kind: "permission-answer", permission: "q", end: "cancelled" };
  expect(kinds(fold(log(asking, asking, end)))).toEqual(["question", "answer"]);
  expect(fold(log(asking, asking)).asks).toEqual([ask]);
  expect(kinds(fold(log(asking, end, asking)))).toEqual(["question", "answer", "question"]);
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
        [...before.segments].forEach((segment, index) => {
          const same = now.at(index);
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

test("a view stays as it was, whatever is folded into it, in whatever order", () => {
  fc.assert(
    fc.property(anyTurn, fc.array(fc.nat(), { maxLength: 5 }), (events, starts) => {
      const views: TurnView[] = [];
      for (const event of events) views.push(reduceTurnView(views.at(-1), event));
      const before = views.map((view) => JSON.stringify(view));
      for (const start of starts) {
        let view = views[start % views.length];
        for (const event of events) {
          view = view && reduceTurnView(view, { ...event, seq: view.seq + 1 });
        }
      }
      expect(views.map((view) => JSON.stringify(view))).toEqual(before);
    }),
  );
});

test("a view that was kept as JSON goes on like the one that it was", () => {
  fc.assert(
    fc.property(anyTurn, fc.nat(40), (events, cut) => {
      if (events.length === 0) return;
      const kept = JSON.parse(JSON.stringify(fold(events.slice(0, 1 + cut)))) as TurnView;
      const view = events.slice(1 + cut).reduce(reduceTurnView, kept);
      expect(JSON.stringify(view)).toBe(JSON.stringify(fold(events)));
    }),
  );
});

test.each<[string, EventBody[], boolean]>([
  ["words", [{ kind: "text", text: "hi" }], true],
  ["white space", [{ kind: "text", text: " \n" }], false],
  ["an image", [{ kind: "content", type: "image", contentType: "image/png" }], true],
  [
    "a file",
    [{ kind: "file", path: "d/n", name: "n", contentType: "", bytes: 1, sha256: "" }],
    true,
  ],
  ["thoughts", [{ kind: "thought", text: "hm" }], false],
  ["a notice of the relay", [{ kind: "notice", level: "info", text: "x" }], false],
  ["a tool call", [{ kind: "tool-update", id: "1", status: "completed" }], false],
])(
  "a turn that ended without an answer is one that said and sent nothing: %s",
  (_, bodies, has) => {
    expect(hasAnswer(fold(log(...bodies, { kind: "status", mood: "calm" })))).toBe(has);
  },
);

test("what was said before a turn was cancelled stays in its view", () => {
  const outcome = { kind: "cancelled", cause: "user" } as const;
  const view = fold(log({ kind: "text", text: "half" }, { kind: "turn-end", outcome }));
  expect([...view.segments]).toEqual([{ kind: "text", text: "half" }]);
  expect(view.outcome).toEqual(outcome);
});

test("tool calls that go on are told oldest first", () => {
  const start = (id: string): EventBody => ({
    kind: "tool-start",
    id,
    title: id,
    toolKind: "read",
    status: "pending",
    content: [],
  });
  const view = fold(
    log(start("a"), start("b"), start("c"), { kind: "tool-update", id: "b", status: "failed" }),
  );
  expect(openTools(view).map(({ id }) => id)).toEqual(["a", "c"]);
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
