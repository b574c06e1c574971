import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type LogEvent,
  oneQuestionAtATime,
  type PermissionAsk,
  reduceTurnView,
  type Segment,
  type TurnView,
} from "../src/index.ts";
import { anyTurn } from "./any-event.ts";

const ask = (id: string): Segment => ({ kind: "question", ask: { id } as PermissionAsk });
const ended = (permission: string, end: "selected" | "cancelled" | "expired"): Segment => ({
  kind: "answer",
  permission,
  end,
});
const text: Segment = { kind: "text", text: "t" };

const short = (segment: Segment): string =>
  segment.kind === "question"
    ? `?${segment.ask.id}`
    : segment.kind === "answer"
      ? `!${segment.permission}`
      : "t";

test.each<[string, Segment[], string]>([
  ["a question stands where it was asked", [text, ask("a"), text], "t ?a t"],
  [
    "the next one comes behind the first one's end",
    [ask("a"), ask("b"), text, ended("a", "selected")],
    "?a t !a ?b",
  ],
  [
    "what was withdrawn unseen is left out",
    [ask("a"), ask("b"), ended("b", "cancelled"), ended("a", "selected")],
    "?a !a",
  ],
  [
    "what somebody chose unseen is shown",
    [ask("a"), ask("b"), ended("b", "selected"), ended("a", "expired")],
    "?a ?b !b !a",
  ],
  ["an end without its beginning stands for itself", [ended("z", "selected"), ask("a")], "!z ?a"],
])("%s", (_, segments, shown) => {
  expect([...oneQuestionAtATime(segments)].map(short).join(" ")).toBe(shown);
});

test("what is shown only grows at its end, and the oldest open question is always there", () => {
  fc.assert(
    fc.property(anyTurn, (events: LogEvent[]) => {
      let view: TurnView | undefined;
      let before: string[] = [];
      for (const event of events) {
        view = reduceTurnView(view, event);
        const segments = [...oneQuestionAtATime(view.segments)];
        const now = segments.map(short);
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
        const [oldest] = view.asks;
        if (oldest)
          expect(segments.some((one) => one.kind === "question" && one.ask.id === oldest.id)).toBe(
            true,
          );
      }
    }),
  );
});
