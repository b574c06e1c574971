import { type LogEvent, reduceTurnView, type TurnView } from "@acp-kit/router";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Counted } from "../../../../packages/router/test/counted.ts";
import { renderer } from "../../src/renderer/index.ts";
import { anyDisplay, anyTurn } from "./any-turn.ts";
import { numbered, showAll, start, text, toolStart } from "./fold.ts";

const context = (memo: object) => ({ show: showAll, now: 0, memo });

test("each segment is rendered once, however often its view is", () => {
  const memo = {};
  const bodies = Array.from({ length: 1_000 }, (_, at) => [
    toolStart(`${at}`, "ls"),
    { kind: "tool-update" as const, id: `${at}`, status: "failed" },
    text(`${at}. `),
  ]).flat();
  let view: TurnView | undefined;
  let reads = 0;
  for (const event of numbered([start, ...bodies])) {
    view = reduceTurnView(view, event);
    const segments = new Counted(view.segments);
    const { parts } = renderer.render({ ...view, segments }, context(memo));
    expect(parts.length).toBeGreaterThan(0);
    reads += segments.reads;
  }
  // A few looks at the end of the view for each of its states; all of them together would be 4.5 million.
  expect(reads).toBeLessThan(5 * bodies.length);
});

test("a long body comes in pieces, and what is added changes the last one only", () => {
  const memo = {};
  const bodies = Array.from({ length: 2_000 }, (_, at) => [toolStart(`${at}`, "ls"), text("a\n")]);
  let view: TurnView | undefined;
  let before: readonly string[] = [];
  for (const event of numbered([start, ...bodies.flat()])) {
    view = reduceTurnView(view, event);
    const { parts } = renderer.render(view, context(memo));
    const same = parts.findIndex((part, at) => part !== before[at]);
    if (same >= 0) expect(same).toBeGreaterThanOrEqual(before.length - 1);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(10_000);
    before = parts;
  }
  expect(before.length).toBeGreaterThan(3);
});

test("a view that is no continuation of the one before is rendered all the same", () => {
  const memo = {};
  const render = (...events: LogEvent[]) => {
    const view = events.reduce<TurnView | undefined>(reduceTurnView, undefined);
    return view && renderer.render(view, context(memo)).parts.join("");
  };
  const events = numbered([start, text("a"), toolStart("1", "ls"), text("b"), text("c")]);
  expect(render(...events)).toBe("a\n\n> `🔧 ls`\n\nbc");
  expect(render(...events.slice(0, 2))).toBe("a");
  expect(render(...numbered([start, text("x"), toolStart("1", "pwd"), text("y")]))).toBe(
    "x\n\n> `🔧 pwd`\n\ny",
  );
  expect(render(...events)).toBe("a\n\n> `🔧 ls`\n\nbc");
});

test("what is known of earlier views changes nothing of what is shown", () => {
  fc.assert(
    fc.property(anyTurn, anyDisplay, fc.array(fc.nat({ max: 30 })), (events, show, returns) => {
      const memo = {};
      let view: TurnView | undefined;
      const views = events.map((event) => {
        view = reduceTurnView(view, event);
        return view;
      });
      const order = [...views, ...returns.flatMap((at) => views[at] ?? []), ...views.slice(-2)];
      for (const one of order) {
        const shown = renderer.render(one, { show, now: 0, memo });
        expect(shown).toEqual(renderer.render(one, { show, now: 0 }));
      }
    }),
    { numRuns: 200 },
  );
});
