import { reduceTurnView, type TurnView } from "@acp-kit/router";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderer } from "../../src/renderer/index.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { anyDisplay, anyTurn, markdown } from "./any-turn.ts";

test("a body only grows at its end while its view advances, wherever that began", () => {
  fc.assert(
    fc.property(anyTurn, fc.nat({ max: 9 }), anyDisplay, (events, from, show) => {
      let view: TurnView | undefined;
      let shown = "";
      for (const event of events.slice(from)) {
        view = reduceTurnView(view, event);
        const { parts, tail } = renderer.render(view, { show, now: event.at });
        const body = parts.join("");
        if (!body.startsWith(shown)) expect(body).toBe(`${shown}…`);
        if ((tail === undefined) !== (view.outcome !== undefined)) expect(tail).toBe(view.outcome);
        shown = body;
      }
    }),
    { numRuns: 500 },
  );
});

test("a body does not depend on what was rendered before it", () => {
  fc.assert(
    fc.property(anyTurn, anyDisplay, (events, show) => {
      let grown: TurnView | undefined;
      for (const event of events) {
        grown = reduceTurnView(grown, event);
        const context = { show, now: event.at };
        // Equal, but none of its parts has been seen before.
        const afresh = JSON.parse(JSON.stringify(grown)) as TurnView;
        expect(renderer.render(grown, context)).toEqual(renderer.render(afresh, context));
      }
    }),
    { numRuns: 100 },
  );
});

test("a running text lacks no more than a token at its end, or the rest of a line with an open code span or link", () => {
  const chunks = fc.array(markdown, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(chunks, (all) => {
      const text = all.join("");
      const running = renderMarkdown(text, true).text;
      const ended = renderMarkdown(text).text;
      expect(ended.startsWith(running)).toBe(true);
      const held = ended.slice(running.length);
      // Where a code span or a link is open, its end decides about the rest of the line.
      const isOpen = /`|\]\(/.test(text.slice(text.lastIndexOf("\n") + 1));
      if (isOpen) expect(held).not.toContain("\n");
      else expect(held).toMatch(/^(?:--?\u200B?\w{0,17}|(?:\\?[<&])?!?\[?|(?:\[image)?\])$/);
    }),
    { numRuns: 1_000 },
  );
});

test("no reserved flag is left outside of code, wherever the text was cut", () => {
  const flag = fc.constantFrom("--model", "--model_a", "--thinking", "--show_tools", "--provider");
  const word = fc.constantFrom("use", "参数", "x.", "(", " ", "\n", "-", "!");
  fc.assert(
    fc.property(fc.array(fc.oneof(flag, word), { maxLength: 12 }), fc.nat(), (words, cut) => {
      const text = words.join(" ");
      const at = text.length === 0 ? 0 : cut % text.length;
      const first = renderMarkdown(text.slice(0, at), true);
      const whole = renderMarkdown(text, false, first.lines).text;
      expect(whole.startsWith(first.text)).toBe(true);
      expect(whole).not.toMatch(/--(?:model|model_\w+|thinking|show_tools|provider)\b/);
      expect(whole.replaceAll("\u200B", "")).toBe(text);
    }),
  );
});
