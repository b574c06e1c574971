import { reduceTurnView, type TurnView } from "@acp-kit/router";
import { describe, expect, test } from "vitest";
import { RESPONSE_LIMITS } from "../src/limits.ts";
import { nextTail, stalledFor } from "../src/liveness.ts";
import { EMPTY_SCREEN } from "../src/screen.ts";

const limits = RESPONSE_LIMITS;
const shown = (body: string, markAt = Number.NEGATIVE_INFINITY) => ({
  ...EMPTY_SCREEN,
  body,
  markAt,
});
const long = "x".repeat(limits.shortBodyCharacters + 1);

describe("the next tail is due", () => {
  test.each([
    ["3 s after the last one before the answer begins", shown(""), 0, 50_000, false, 53_000],
    ["after 8 s of silence behind text", shown("a"), 100_000, 0, false, 108_000],
    ["3 s after the last one in longer silence", shown("a"), 0, 50_000, false, 53_000],
    ["3 s after the last one when the plan moved", shown("a"), 100_000, 98_000, true, 101_000],
    ["after 8 s of silence behind a long text", shown(long), 100_000, 0, false, 108_000],
    ["a minute after the last mark", shown(long, 90_000), 100_000, 90_000, false, 150_000],
    ["never sooner for a plan behind a long text", shown(long, 90_000), 0, 90_000, true, 150_000],
  ])("%s", (_title, screen, contentAt, triedAt, planMoved, due) => {
    expect(nextTail(screen, { contentAt, triedAt, planMoved }, limits)).toBe(due);
  });
});

function view(...bodies: Parameters<typeof event>[0][]): TurnView {
  const first = reduceTurnView(undefined, event({ kind: "turn-start", who: "ana" }, 1));
  return bodies.reduce<TurnView>(
    (one, body, at) => reduceTurnView(one, event(body, at + 2)),
    first,
  );
}
const event = (body: object, seq: number) =>
  ({ ...body, seq, at: 0, turn: "t" }) as Parameters<typeof reduceTurnView>[1];
const tool = (status: string) => ({
  kind: "tool-start",
  id: "1",
  title: "npm test",
  toolKind: "execute",
  status,
  content: [],
});
const ask = { id: "q", requester: "ana", title: "", toolKind: "", subject: "", options: [] };

describe("an agent's silence", () => {
  test.each([
    ["of less than 2 min is not said", view(), 119_999, undefined],
    ["of 2 min is said", view(), 120_000, 120_000],
    [
      "under an open tool call is not said for 15 min",
      view(tool("in_progress")),
      899_999,
      undefined,
    ],
    ["under an open tool call is said after 15 min", view(tool("in_progress")), 900_000, 900_000],
    ["after a tool call is said after 2 min", view(tool("completed")), 120_000, 120_000],
    [
      "that waits for a person is not said",
      view({ kind: "permission-ask", ask }),
      10_000_000,
      undefined,
    ],
    [
      "of a turn that has ended is not said",
      view({ kind: "turn-end", outcome: { kind: "interrupted" } }),
      10_000_000,
      undefined,
    ],
    [
      "that waits for its files is not said",
      view({ kind: "status", phase: "fetching-files" }),
      10_000_000,
      undefined,
    ],
    [
      "that waits for the workspace is not said",
      view({ kind: "status", phase: "waiting-workspace" }),
      10_000_000,
      undefined,
    ],
    [
      "of a queued turn is not said",
      reduceTurnView(
        undefined,
        event({ kind: "turn-queued", who: "a", text: "", key: "", attempt: 1 }, 1),
      ),
      10_000_000,
      undefined,
    ],
  ])("%s", (_title, one, now, expected) => {
    expect(stalledFor(one, now, limits)).toBe(expected);
  });

  test("is broken by a hidden thought", () => {
    const thinking = reduceTurnView(view(), {
      seq: 2,
      at: 100_000,
      turn: "t",
      kind: "thought",
      text: "hm",
    });
    expect(stalledFor(thinking, 200_000, limits)).toBeUndefined();
  });
});
