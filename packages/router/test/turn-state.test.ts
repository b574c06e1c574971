import fc from "fast-check";
import { expect, test } from "vitest";
import {
  DEFAULT_TURN_LIMITS,
  reduceTurn,
  type TurnEffect,
  type TurnEvent,
  type TurnLimits,
  type TurnState,
} from "../src/index.ts";

const graceMs = DEFAULT_TURN_LIMITS.cancelGraceMs;

const completed = { kind: "completed", stopReason: "end_turn" } as const;
const failed = { kind: "failed", phase: "prompt", code: "x", message: "m" } as const;

const run = (events: readonly TurnEvent[]) => {
  let state: TurnState = { kind: "queued", since: 0 };
  const effects: string[] = [];
  for (const event of events) {
    const step = reduceTurn(state, event);
    state = step.state;
    effects.push(...step.effects.map((effect) => effect.kind));
  }
  return { state, effects };
};

const start: TurnEvent[] = [
  { kind: "started", at: 1 },
  { kind: "attached", at: 2 },
];

test("a turn attaches, is prompted and ends with the agent's stop reason", () => {
  const { state, effects } = run([...start, { kind: "responded", at: 3, stopReason: "end_turn" }]);
  expect(state).toEqual({ kind: "settled", outcome: completed });
  expect(effects).toEqual(["attach", "prompt", "wake-at", "drop-questions", "end"]);
});

test.each<[string, TurnEvent[], string[]]>([
  ["queued", [], ["drop-questions", "end"]],
  ["attaching", [{ kind: "started", at: 1 }], ["attach", "drop-questions", "end"]],
])("a cancel while %s ends the turn at once and never prompts", (_, before, effects) => {
  const cancel: TurnEvent = { kind: "cancelled", at: 3, cause: "superseded" };
  const result = run([...before, cancel, { kind: "attached", at: 4 }]);
  expect(result.state).toEqual({
    kind: "settled",
    outcome: { kind: "cancelled", cause: "superseded" },
  });
  expect(result.effects).toEqual(effects);
});

test("a cancel while running drops the questions, tells the agent, and waits for its answer", () => {
  const cancel: TurnEvent = { kind: "cancelled", at: 3, cause: "user" };
  const waiting = run([...start, cancel]);
  expect(waiting.state).toEqual({
    kind: "cancelling",
    cause: "user",
    deadline: 3 + graceMs,
  });
  expect(waiting.effects).toEqual([
    "attach",
    "prompt",
    "wake-at",
    "drop-questions",
    "cancel-agent",
    "wake-at",
  ]);
});

test.each<[string, TurnEvent]>([
  ["end_turn", { kind: "responded", at: 5, stopReason: "end_turn" }],
  ["an error", { kind: "failed", at: 5, outcome: failed }],
])("a cancelled turn ends as cancelled although the agent answers %s", (_, answer) => {
  const { state } = run([...start, { kind: "cancelled", at: 3, cause: "user" }, answer]);
  expect(state).toEqual({ kind: "settled", outcome: { kind: "cancelled", cause: "user" } });
});

test("an agent that does not come back from a cancel loses its session, not before the deadline", () => {
  const cancel: TurnEvent = { kind: "cancelled", at: 3, cause: "user" };
  const early = run([...start, cancel, { kind: "deadline-passed", at: 2 + graceMs }]);
  expect(early.state.kind).toBe("cancelling");
  const late = run([...start, cancel, { kind: "deadline-passed", at: 3 + graceMs }]);
  expect(late.state.kind).toBe("settled");
  expect(late.effects.slice(-3)).toEqual(["abandon-session", "drop-questions", "end"]);
});

test("a second cancel does not change the cause", () => {
  const { state } = run([
    ...start,
    { kind: "cancelled", at: 3, cause: "user" },
    { kind: "cancelled", at: 4, cause: "shutdown" },
  ]);
  expect(state).toMatchObject({ cause: "user" });
});

/** A turn whose only clock is the one it asks for: what it does, and when. */
function live(events: readonly TurnEvent[], limits: TurnLimits, until: number) {
  let state: TurnState = { kind: "queued", since: 0 };
  let wakeAt = Infinity;
  const done: (Exclude<TurnEffect, { kind: "wake-at" }> & { at: number })[] = [];
  const step = (event: TurnEvent) => {
    const { state: next, effects } = reduceTurn(state, event, limits);
    state = next;
    for (const effect of effects) {
      if (effect.kind === "wake-at") wakeAt = effect.at;
      else done.push({ ...effect, at: event.at });
    }
  };
  const wakeUntil = (at: number) => {
    while (wakeAt <= at) {
      const now = wakeAt;
      wakeAt = Infinity;
      step({ kind: "deadline-passed", at: now });
    }
  };
  for (const event of events) {
    wakeUntil(event.at - 1);
    step(event);
  }
  wakeUntil(until);
  return { state: state as TurnState, done };
}

const progress = (at: number, awaited: "agent" | "tool" | "person" = "agent"): TurnEvent => ({
  kind: "progressed",
  at,
  awaited,
});
const { stallMs, toolStallMs } = DEFAULT_TURN_LIMITS;
const stalls = (events: readonly TurnEvent[], until: number, limits = DEFAULT_TURN_LIMITS) =>
  live(events, limits, until)
    .done.filter((effect) => effect.kind === "tell-stalled")
    .map(({ at }) => at);

test("a stall is said once, and again after a sign of life", () => {
  const events = [...start, progress(10 * stallMs)];
  expect(stalls(events, 99 * stallMs)).toEqual([2 + stallMs, 11 * stallMs]);
});

test("the clock of a stall starts with the prompt and is exact", () => {
  const events: TurnEvent[] = [
    { kind: "started", at: 7 },
    { kind: "attached", at: 5 * stallMs },
    progress(6 * stallMs - 1),
    progress(7 * stallMs - 2),
  ];
  expect(stalls(events, 99 * stallMs)).toEqual([8 * stallMs - 2]);
});

test("a turn that waits for its place or its session is never stalled", () => {
  expect(stalls([], 9 * toolStallMs)).toEqual([]);
  expect(stalls([{ kind: "started", at: 7 }], 9 * toolStallMs)).toEqual([]);
});

test("an open tool call is progress: its turn is not stalled before the limit for tool calls", () => {
  expect(stalls([...start, progress(10, "tool")], 99 * toolStallMs)).toEqual([10 + toolStallMs]);
  const ended = [...start, progress(10, "tool"), progress(20)];
  expect(stalls(ended, 99 * toolStallMs)).toEqual([20 + stallMs]);
});

test("an open question stops the clock of a stall; its answer starts it anew", () => {
  const asked = [...start, progress(10, "person")];
  expect(stalls(asked, 99 * toolStallMs)).toEqual([]);
  const answeredAt = 3 * toolStallMs;
  expect(stalls([...asked, progress(answeredAt)], 99 * toolStallMs)).toEqual([
    answeredAt + stallMs,
  ]);
});

test("without a ceiling a turn that works is never ended by the clock", () => {
  const events = Array.from({ length: 1_000 }, (_, hour) => progress((hour + 1) * 3_600_000));
  const { state } = live([...start, ...events], DEFAULT_TURN_LIMITS, 1_001 * 3_600_000);
  expect(state.kind).toBe("running");
});

test.each<[string, Partial<TurnLimits>, TurnEvent[], number, string]>([
  ["silence", { stallCeilingMs: 5 * stallMs }, [], 2 + 5 * stallMs, "stalled"],
  ["silence, said first", { stallCeilingMs: 1 }, [], 2 + stallMs, "stalled"],
  ["silence of a tool", { stallCeilingMs: 1 }, [progress(9, "tool")], 9 + toolStallMs, "stalled"],
  ["time", { turnCeilingMs: 100 }, [progress(50), progress(99)], 102, "limit"],
  ["time, also for a person", { turnCeilingMs: 100 }, [progress(50, "person")], 102, "limit"],
])("a ceiling for %s cancels the turn when it is reached", (_, limits, events, at, cause) => {
  const all = { ...DEFAULT_TURN_LIMITS, ...limits };
  const { state, done } = live([...start, ...events], all, at);
  expect(state).toEqual({ kind: "cancelling", cause, deadline: at + graceMs });
  expect(done.filter(({ kind }) => kind === "cancel-agent")).toMatchObject([{ at }]);
});

test("a ceiling for silence never ends a turn that waits for a person", () => {
  const limits = { ...DEFAULT_TURN_LIMITS, stallCeilingMs: 1 };
  const { state } = live([...start, progress(9, "person")], limits, 99 * toolStallMs);
  expect(state.kind).toBe("running");
});

const anyEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({ kind: fc.constant("started" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("attached" as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant("cancelled" as const),
    at: fc.nat(),
    cause: fc.constantFrom("user" as const, "shutdown" as const),
  }),
  fc.record({ kind: fc.constant("deadline-passed" as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant("progressed" as const),
    at: fc.nat(),
    awaited: fc.constantFrom("agent" as const, "tool" as const, "person" as const),
  }),
  fc.record({
    kind: fc.constant("responded" as const),
    at: fc.nat(),
    stopReason: fc.constant("end_turn"),
  }),
  fc.record({ kind: fc.constant("failed" as const), at: fc.nat(), outcome: fc.constant(failed) }),
);

test("whatever happens, a turn is prompted at most once and ends at most once, as its last effect", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
      const { state, effects } = run(events);
      expect(effects.filter((kind) => kind === "prompt").length).toBeLessThanOrEqual(1);
      const ends = effects.filter((kind) => kind === "end").length;
      expect(ends).toBe(state.kind === "settled" ? 1 : 0);
      if (ends === 1) expect(effects.at(-1)).toBe("end");
    }),
  );
});
