import type { EventBody, TurnOutcome } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import {
  end,
  fold,
  showAll,
  start,
  text,
  toolStart,
} from "../../../../packages/router/test/turn-events.ts";
import { renderer } from "../../src/renderer/index.ts";
import { bodyOf } from "./fold.ts";

const mood: EventBody = { kind: "status", mood: "calm", plan: "" };
const ended = (outcome: TurnOutcome): EventBody => ({ kind: "turn-end", outcome });

describe("the status line stands under a finished answer, and under nothing else:", () => {
  test.each<[string, TurnOutcome, boolean]>([
    ["an answer that is whole", { kind: "completed", stopReason: "end_turn" }, true],
    ["one that was cut short", { kind: "completed", stopReason: "max_tokens" }, true],
    ["not a refusal", { kind: "completed", stopReason: "refusal" }, false],
    ["not a stopped turn", { kind: "cancelled", cause: "user" }, false],
    ["not a failure", { kind: "failed", phase: "prompt", code: "x", message: "No." }, false],
  ])("%s", (_, outcome, isShown) => {
    const body = bodyOf(fold(start, mood, text("a"), ended(outcome)));
    expect(body.endsWith("\n\n_calm_")).toBe(isShown);
    expect(body.includes("calm")).toBe(isShown);
  });

  test("not an answer that goes on, nor one without a word", () => {
    expect(bodyOf(fold(start, mood, text("a")))).toBe("a");
    expect(bodyOf(fold(start, mood, end))).not.toContain("calm");
  });
});

test("a plan without entries shows nothing", () => {
  const tool = toolStart("t1", "npm test", { status: "in_progress" });
  const shown = (...events: EventBody[]) => {
    const view = fold(start, text("a"), tool, ...events);
    const { parts, tail } = renderer.render(view, { show: showAll, now: 0 });
    return { parts, tail, cards: renderer.cards(view, showAll) };
  };
  const without = shown();
  const entry = { content: "Read", priority: "medium", status: "pending" } as const;
  expect(shown({ kind: "plan", entries: [entry] })).not.toEqual(without);
  expect(shown({ kind: "plan", entries: [] })).toEqual(without);
});
