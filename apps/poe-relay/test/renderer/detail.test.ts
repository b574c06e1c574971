import { detailLines } from "@acp-kit/relay";
import type { EventBody } from "@acp-kit/router";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderDetail } from "../../src/renderer/detail.ts";
import { markdown } from "./any-turn.ts";
import { bodyOf, fold, start, text, toolStart } from "./fold.ts";

function renderText(text: string): string {
  const lines = detailLines(text);
  return lines.length === 0 ? "" : renderDetail(lines);
}

test("a detail has at most twelve lines and one for a fence, and leaves no code block open", () => {
  const lines = fc.array(fc.oneof(markdown, fc.constantFrom("\n", "```\n", "\n```js\n", "~~~\n")), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(lines, (all) => {
      const detail = renderText(all.join("\n"));
      const shown = detail === "" ? [] : detail.split("\n");
      expect(shown.length).toBeLessThanOrEqual(13);
      let open = false;
      for (const line of shown) {
        expect(line).toMatch(/^>(?: |$)/);
        if (!open) expect(line).not.toMatch(/^> *~{3}/);
        if (open ? line === "> ```" : /^> ```[\w+-]*$/.test(line)) open = !open;
      }
      expect(open).toBe(false);
    }),
  );
});

describe("long lines", () => {
  test("are cut to 400 code points", () => {
    expect(renderText("🌲".repeat(401))).toBe(`> ${"🌲".repeat(399)}…`);
    expect(renderText("🌲".repeat(400))).toBe(`> ${"🌲".repeat(400)}`);
  });

  test("of two the second is not elided", () => {
    expect(renderText(`${"a".repeat(500)}\n${"b".repeat(500)}`)).not.toContain("elided");
  });

  test("of three the middle one is", () => {
    const detail = renderText(["a", "b", "c"].map((char) => char.repeat(400)).join("\n"));
    expect(detail).toContain("\n> … 1 lines elided …\n");
  });
});

test("an info string inside of a code block does not close it", () => {
  expect(renderText("```\na\n```js\nb")).toBe("> ```\n> a\n> '''js\n> b\n> ```");
});

test("what a tool has read embeds no image and names no parameter, but in code it may", () => {
  const detail = renderText("![](https://x.example/?q) --model\n```\n--model\n```");
  expect(detail).toBe("> [image](https://x.example/?q) --\u200Bmodel\n> ```\n> --model\n> ```");
});

describe("tool lines", () => {
  const completed = (id: string, words: string): EventBody => ({
    kind: "tool-update",
    id,
    status: "completed",
    content: [{ kind: "text", text: words }],
  });

  test("a result says its call's name again when text stands between them", () => {
    const view = fold(start, toolStart("1", "A"), text("m"), completed("1", "r"));
    expect(bodyOf(view)).toBe("> `🔧 A`\n\nm\n\n> `✓ A`\n> r");
  });

  test("a cancelled call is marked like a failed one", () => {
    const view = fold(start, toolStart("1", "A"), {
      kind: "tool-update",
      id: "1",
      status: "cancelled",
    });
    expect(bodyOf(view)).toBe("> `🔧 A`\n> `✗`");
  });

  test("a title with control characters is one line", () => {
    const view = fold(start, toolStart("1", "a\u001B[2K\u0085b\r\nc"));
    expect(bodyOf(view)).toBe("> `🔧 a [2K b c`");
  });
});
