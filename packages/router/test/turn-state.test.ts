import fc from "fast-check";
import { expect, test } from "vitest";
import { CANCEL_GRACE_MS, reduceTurn, type TurnEvent, type TurnState } from "../src/index.ts";

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
  expect(effects).toEqual(["attach", "prompt", "drop-questions", "end"]);
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
    deadline: 3 + CANCEL_GRACE_MS,
  });
  expect(waiting.effects).toEqual([
    "attach",
    "prompt",
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
  const early = run([...start, cancel, { kind: "deadline-passed", at: 2 + CANCEL_GRACE_MS }]);
  expect(early.state.kind).toBe("cancelling");
  const late = run([...start, cancel, { kind: "deadline-passed", at: 3 + CANCEL_GRACE_MS }]);
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
