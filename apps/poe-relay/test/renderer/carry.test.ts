import { type EventBody, MAX_CARRY_CHARS, reduceTurnView, type TurnView } from "@acp-kit/router";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderer } from "../../src/renderer/index.ts";
import { anyDisplay, anyTurn } from "./any-turn.ts";
import {
  end,
  fold,
  numbered,
  showAll,
  showUsual,
  start,
  text,
  thought,
  toolStart,
} from "./fold.ts";

/** What two messages show of a turn that was cut after so many events. */
function messages(events: readonly EventBody[], cut: number): [string, string] {
  const all = numbered(events);
  const views = [all.slice(0, cut), all.slice(cut)].map((part) =>
    part.reduce<TurnView | undefined>(reduceTurnView, undefined),
  );
  let carried: string | undefined;
  const [first = "", second = ""] = views.map((view) => {
    if (!view) return "";
    const context = { show: showUsual, now: 0, ...(carried !== undefined && { carried }) };
    const { parts, close = "", carry } = renderer.render(view, context);
    carried = carry;
    return parts.join("") + close;
  });
  return [first, second];
}

describe("a turn that is shown in two messages", () => {
  test.each<[string, EventBody[], string, string]>([
    [
      "in the middle of a code block",
      [text("Run:\n\n```sh\nnpm ci\n"), text("npm test\n```\nDone.")],
      "Run:\n\n```sh\nnpm ci\n```",
      "```sh\nnpm test\n```\nDone.",
    ],
    [
      "in the middle of a line of code",
      [text("```ts\nconst a"), text(" = 1;\n```")],
      "```ts\nconst a\n```",
      "```ts\n = 1;\n```",
    ],
    [
      "in the language of a code block",
      [text("```type"), text("script\na\n```")],
      "```type\n```",
      "```typescript\na\n```",
    ],
    ["in front of the end of one", [text("```\na\n"), text("```\nDone.")], "```\na\n```", "Done."],
    [
      "in the middle of the end of one",
      [text("```\na\n`"), text("``\nDone.")],
      "```\na\n`\n```",
      "Done.",
    ],
    [
      "in the middle of the mark of one",
      [text("a\n\n``"), text("`js\nx\n```\nb")],
      "a\n\n``",
      "```js\nx\n```\nb",
    ],
    [
      "in a block of four backticks",
      [text("````md\n```\n"), text("```\n````\nb")],
      "````md\n```\n````",
      "````md\n```\n````\nb",
    ],
    [
      "in a list",
      [text("1. a\n   ```sh\n   b\n"), text("   c\n   ```\n2. d")],
      "1. a\n   ```sh\n   b\n   ```",
      "   ```sh\n   c\n   ```\n2. d",
    ],
    [
      "in a list of two digits",
      [text("10. a\n    ```sh\n    b\n"), text("    c\n    ```\n    d")],
      "10. a\n    ```sh\n    b\n    ```",
      "-   ```sh\n    c\n    ```\n    d",
    ],
    ["in the middle of a character", [text("a \uD83C"), text("\uDF32 b")], "a ", "🌲 b"],
    ["in the middle of a flag", [text("a --mo"), text("del b")], "a --mo", "del b"],
    ["between sentences", [text("One. "), text("Two.")], "One. ", "Two."],
    [
      "behind a code block",
      [text("```\na\n```\n"), text("b\n```\nc\n```")],
      "```\na\n```\n",
      "b\n```\nc\n```",
    ],
    [
      "by a tool call",
      [text("```\na"), toolStart("1", "ls"), text("b")],
      "```\na\n```",
      "> `🔧 ls`\n\nb",
    ],
    [
      "by a hidden thought",
      [text("```\na\n"), thought("hm"), text("b\n```")],
      "```\na\n```",
      "```\nb\n```",
    ],
  ])("%s", (_, [first, ...others], before, after) => {
    const events = [start, ...(first ? [first] : []), ...others, end];
    expect(messages(events, 2)).toEqual([before, after]);
  });

  test("begins a third one like the second, when that showed nothing", () => {
    const { carry } = renderer.render(fold(start, text("```sh\na\n")), { show: showUsual, now: 0 });
    const rest = fold(thought("hm"));
    const context = { show: showUsual, now: 0, ...(carry !== undefined && { carried: carry }) };
    expect(renderer.render(rest, context)).toMatchObject({ parts: [""], carry: "```sh\n" });
  });

  test("opens no code block that is too deep in lists or too long to be kept", () => {
    for (const source of ["- - - - ```\na", `\`\`\`${"x".repeat(MAX_CARRY_CHARS)}\na`]) {
      const { carry } = renderer.render(fold(start, text(source)), { show: showUsual, now: 0 });
      expect(carry).toBeUndefined();
    }
  });
});

test("whatever was cut, no message leaves a code block open, and what it carries is short", () => {
  const isOpen = (body: string) => {
    const view = fold(start, text(body));
    return renderer.render(view, { show: showAll, now: 0 }).close?.includes("\n") === true;
  };
  fc.assert(
    fc.property(anyTurn, fc.nat({ max: 20 }), anyDisplay, (events, cut, show) => {
      const view = events.slice(0, 1 + cut).reduce<TurnView | undefined>(reduceTurnView, undefined);
      if (!view || view.outcome) return;
      const { parts, close = "", carry = "" } = renderer.render(view, { show, now: 0 });
      expect(carry.length).toBeLessThanOrEqual(MAX_CARRY_CHARS);
      // A quoted line is text in a reading line by line, so only bodies without one are looked at.
      const body = parts.join("") + close;
      if (!/^ *(?:>|[-*+]|\d)/m.test(body)) expect(isOpen(body)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("a body that goes on from another message only grows at its end", () => {
  const carried = fc.constantFrom("```sh\n", "```sh\n`", "```s", "``", "\uD83C", "   ~~~\n");
  fc.assert(
    fc.property(anyTurn, fc.nat({ max: 9 }), carried, (events, from, carried) => {
      let view: TurnView | undefined;
      let shown = "";
      for (const event of events.slice(1 + from)) {
        view = reduceTurnView(view, event);
        const { parts } = renderer.render(view, { show: showUsual, now: 0, carried });
        const body = parts.join("");
        if (!body.startsWith(shown)) expect(body).toBe(`${shown}…`);
        shown = body;
      }
    }),
    { numRuns: 500 },
  );
});
