import { formatStatus } from "@acp-kit/relay";
import { describe, expect, test } from "vitest";
import { renderChecklist } from "../../src/renderer/checklist.ts";
import { escapeFlags } from "../../src/renderer/flags.ts";
import { escapeLabel } from "../../src/renderer/label.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { renderFooter, renderSpinner } from "../../src/renderer/status-line.ts";
import { bodyOf, end, fold, start } from "./fold.ts";
import { allVectors, displayOf, eventOf, vectorsOf } from "./vectors.ts";

/** What the file has cases for, and who passes them. */
const owners = new Map([
  ["body", { cases: 66, owner: "here" }],
  ["escapeFlags", { cases: 24, owner: "here" }],
  ["escapeFlagsStream", { cases: 6, owner: "here" }],
  ["statusLine", { cases: 5, owner: "here" }],
  ["footer", { cases: 3, owner: "here" }],
  ["spinner", { cases: 12, owner: "here" }],
  ["checklist", { cases: 12, owner: "here" }],
  ["attach", { cases: 13, owner: "the router: it takes directives out of text" }],
  ["frames", { cases: 13, owner: "the surface: it writes the stream" }],
  ["flushDelay", { cases: 8, owner: "the pacer" }],
  ["flushNow", { cases: 9, owner: "the pacer" }],
]);

test("every case of the file is passed here or has another owner", () => {
  const counts = new Map<string, number>();
  for (const { fn } of allVectors) counts.set(fn, (counts.get(fn) ?? 0) + 1);
  expect(counts).toEqual(new Map([...owners].map(([fn, { cases }]) => [fn, cases])));
});

describe("body", () => {
  test.each(vectorsOf("body"))("$id", ({ input, expect: expected }) => {
    const view = fold(start, ...input.updates.map(eventOf));
    expect(bodyOf(view, displayOf(input.options))).toBe(expected);
  });
});

describe("escapeFlags", () => {
  test.each(vectorsOf("escapeFlags"))("$id", ({ input, expect: expected }) => {
    expect(escapeFlags(input)).toBe(expected);
    expect(renderMarkdown(input, false).text).toBe(expected);
  });
});

describe("escapeFlagsStream", () => {
  test.each(
    vectorsOf<"escapeFlagsStream", readonly string[] | { joined: string }>("escapeFlagsStream"),
  )("$id", ({ input, expect: expected }) => {
    const shown = input.map(
      (_, index) => renderMarkdown(input.slice(0, index + 1).join(""), true).text,
    );
    const letOut = shown.map((body, index) => body.slice(shown[index - 1]?.length ?? 0));
    if ("joined" in expected) {
      expect(renderMarkdown(input.join(""), false).text).toBe(expected.joined);
      expect(expected.joined.startsWith(letOut.join(""))).toBe(true);
    } else {
      expect(letOut).toEqual(expected);
    }
  });
});

describe("statusLine", () => {
  test.each(vectorsOf("statusLine"))("$id", ({ input, expect: expected }) => {
    expect(formatStatus(input, escapeLabel)).toBe(expected);
  });
});

describe("footer", () => {
  test.each(vectorsOf("footer"))("$id", ({ input, expect: expected }) => {
    const footer = input.body === "" ? "" : renderFooter(input.status);
    expect(footer === "" ? input.body : `${input.body}\n\n${footer}`).toBe(expected);
  });

  test("a turn that ends without output has no footer", () => {
    const view = fold(start, { kind: "status", mood: "steady", plan: "2/5" }, end);
    expect(bodyOf(view)).not.toContain("steady");
  });
});

describe("spinner", () => {
  test.each(vectorsOf("spinner"))("$id", ({ input, expect: expected }) => {
    const frame = input.animate ? input.frame : undefined;
    expect(renderSpinner(input.status, input.label ?? "", "", frame)).toBe(expected);
  });
});

describe("checklist", () => {
  test.each(vectorsOf("checklist"))("$id", ({ input, expect: expected }) => {
    expect(renderChecklist(input)).toBe(expected);
  });
});
