import { reduceTurnView, type TurnView } from "@acp-kit/router";
import { defuse, type SlackPart } from "@acp-kit/slack-surface";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyDisplay, anyTurnOf } from "../../../../packages/router/test/any-turn.ts";
import { Counted } from "../../../../packages/router/test/counted.ts";
import {
  end,
  fold,
  numbered,
  showAll,
  start,
  text,
  thought,
  toolStart,
} from "../../../../packages/router/test/turn-events.ts";
import { renderer } from "../../src/renderer/index.ts";
import { parseTree } from "../../src/renderer/parse-tree.ts";
import { withPlainBreaks } from "../../src/renderer/settled.ts";
import { anyPieces } from "./any-markdown.ts";
import { bodyOf, stretchesOf, toolEnd } from "./fold.ts";
import { lettersOf } from "./letters.ts";

const isSoak = process.env["ACP_KIT_SOAK"] === "1";
const timeout = isSoak ? 300_000 : 30_000;
const markdown = anyPieces.map((pieces) => pieces.join("")).filter((all) => all !== "");
const anyTurn = anyTurnOf(markdown);

const messagesIn = (parts: readonly SlackPart[]) => parts.filter(({ kind }) => kind !== "text");

test("parts only grow at their end while a view advances, wherever that began", { timeout }, () => {
  fc.assert(
    fc.property(anyTurn, fc.nat({ max: 9 }), anyDisplay, (events, from, show) => {
      let view: TurnView | undefined;
      let before: readonly SlackPart[] = [];
      const memo = {};
      for (const event of events.slice(from)) {
        view = reduceTurnView(view, event);
        const { parts, tail } = renderer.render(view, { show, now: event.at, memo });
        const told = stretchesOf(before);
        const now = stretchesOf(parts).slice(0, told.length);
        const last = told.length - 1;
        expect(now.slice(0, last)).toEqual(told.slice(0, last));
        expect((now[last] ?? "").slice(0, told[last]?.length)).toBe(told[last]);
        expect(messagesIn(parts).slice(0, messagesIn(before).length)).toEqual(messagesIn(before));
        expect(tail === undefined).toBe(view.outcome !== undefined);
        before = parts;
      }
    }),
    { numRuns: isSoak ? 5_000 : 150 },
  );
});

test("what is known of earlier views changes nothing of what is shown", { timeout }, () => {
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
    { numRuns: isSoak ? 2_000 : 60 },
  );
});

test("nobody is mentioned by anything that an agent wrote", { timeout }, () => {
  fc.assert(
    fc.property(anyTurn, anyDisplay, (events, show) => {
      let view: TurnView | undefined;
      for (const event of events) {
        view = reduceTurnView(view, event);
        const { parts, tail } = renderer.render(view, { show, now: 0 });
        const titles = renderer.cards(view, show).map(({ title }) => title);
        const shown = [...stretchesOf(parts), ...titles, ...(tail ? stretchesOf([tail]) : [])];
        expect(shown.map(defuse)).toEqual(shown);
      }
    }),
    { numRuns: isSoak ? 2_000 : 60 },
  );
});

test("each segment is rendered once, however often its view is", () => {
  const memo = {};
  const bodies = Array.from({ length: 500 }, (_, at) => [
    toolStart(`${at}`, "ls"),
    toolEnd(`${at}`, "failed"),
    text(`${at}. `),
  ]).flat();
  let view: TurnView | undefined;
  let reads = 0;
  for (const event of numbered([start, ...bodies])) {
    view = reduceTurnView(view, event);
    const segments = new Counted(view.segments);
    renderer.render({ ...view, segments }, { show: showAll, now: 0, memo });
    reads += segments.reads;
  }
  // A few looks at the end of the view for each of its states; all of them together would be a million.
  expect(reads).toBeLessThan(5 * bodies.length);
});

test("each letter of a text is shown, in its order, whatever tools are called in the middle of it", {
  timeout,
}, () => {
  const piece = anyPieces.map((pieces) => pieces.join(""));
  const pieces = fc.array(piece, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(pieces, anyDisplay, (texts, show) => {
      const bodies = texts.flatMap((each, at) => [
        ...(each === "" ? [] : [text(each)]),
        ...[toolStart(`${at}`, "-"), toolEnd(`${at}`, "completed")],
      ]);
      const view = fold(start, ...bodies, end);
      const shown = bodyOf(view, show);
      let from = 0;
      for (const letter of lettersOf(parseTree(withPlainBreaks(texts.join(""))))) {
        const at = shown.indexOf(letter, from);
        expect(at, `${letter} in ${JSON.stringify(shown)}`).toBeGreaterThanOrEqual(0);
        from = at + letter.length;
      }
    }),
    { numRuns: isSoak ? 10_000 : 200 },
  );
});

test("a thought is quoted without the empty lines behind it, while it grows and when it has ended", () => {
  const thinking = fold(start, thought("Hm.\n\nSo"), thought(".\n\n"));
  expect(bodyOf(thinking)).toBe("> _Thinking…_\n> Hm.\n>\n> So.");
  const ended = fold(start, thought("Hm.\n\nSo.\n\n"), text("Done."), end);
  expect(bodyOf(ended)).toBe("> _Thinking…_\n> Hm.\n>\n> So.\n\nDone.");
});

test("code that something else comes into the middle of is opened again behind it", () => {
  const code = fold(
    start,
    text("```sh\nnpm ci\nnpm"),
    toolStart("1", "ls"),
    text(" test\n```\nDone."),
    end,
  );
  expect(bodyOf(code)).toBe("```sh\nnpm ci\nnpm\n```\n\n> 🔧 `ls`\n\n```sh\n test\n```\nDone.");
  const ended = fold(start, text("```sh\nnpm ci\n"), toolStart("1", "ls"), text("```\nDone."), end);
  expect(bodyOf(ended)).toBe("```sh\nnpm ci\n```\n\n> 🔧 `ls`\n\nDone.");
});

test.each([
  ["Let me look", "Found it.", "Let me look\n\nFound it."],
  ["Let me look: ", "Found it.", "Let me look: Found it."],
  ["Hel", "lo", "Hello"],
  ["| a |\n| - |\n", "| B |", "| a |\n| - |\n| B |"],
  ["```\nls", "Ls\n```", "```\nlsLs\n```"],
])("behind a hidden tool, %j goes on with %j as %j", (before, after, shown) => {
  const view = fold(
    start,
    text(before),
    toolStart("1", "ls"),
    toolEnd("1", "completed"),
    text(after),
    end,
  );
  expect(bodyOf(view, { ...showAll, tools: false })).toBe(shown);
});
