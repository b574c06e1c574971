import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detailText } from "../../src/wording/detail-lines.ts";

describe("an edit shows the lines that differ", () => {
  test.each<[string, string | null, string, string]>([
    ["changed", "a\nb\nc", "a\nx\nc", "p\n```diff\n-b\n+x\n```"],
    ["added", "a\nc", "a\nb\nc", "p\n```diff\n+b\n```"],
    ["removed", "a\nb\nb\nc", "a\nb\nc", "p\n```diff\n-b\n```"],
    ["a new file", null, "a\nb", "p\n```diff\n+a\n+b\n```"],
    ["nothing", "a", "a", ""],
  ])("%s", (_, oldText, newText, shown) => {
    expect(detailText({ kind: "diff", path: "p", oldText, newText })).toBe(shown);
  });

  test("removed and added lines make the new text from the old one", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = detailText({
          kind: "diff",
          path: "p",
          oldText: before.join("\n"),
          newText: after.join("\n"),
        }).split("\n");
        const removed = diff.filter((line) => line.startsWith("-")).map((line) => line.slice(1));
        const added = diff.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
        const old: string[] = before;
        const made = [...old.keys(), old.length].map((at) =>
          old.toSpliced(at, removed.length, ...added).join(),
        );
        expect(made).toContain(after.join());
      }),
    );
  });
});
