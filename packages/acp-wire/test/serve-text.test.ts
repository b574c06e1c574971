import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipText, flattenPrompt, isSessionId, titleOf, toolKindFor } from "../src/index.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;

describe("a prompt as one text", () => {
  it.each([
    ["joins its blocks with a blank line", [text("a"), text("b")], "a\n\nb"],
    [
      "takes embedded text",
      [{ type: "resource", resource: { uri: "file:///a", text: "inline" } } as const],
      "inline",
    ],
    [
      "leaves out embedded bytes",
      [{ type: "resource", resource: { uri: "file:///a", blob: "AA==" } } as const],
      "",
    ],
    [
      "names links",
      [{ type: "resource_link", name: "a.ts", uri: "file:///a.ts" } as const],
      "a.ts: file:///a.ts",
    ],
    [
      "leaves out images and sound",
      [
        { type: "image", data: "", mimeType: "image/png" } as const,
        text("x"),
        { type: "audio", data: "", mimeType: "audio/wav" } as const,
      ],
      "x",
    ],
    ["leaves out what is of no known kind", [{ type: "hologram", text: "no" }, text("x")], "x"],
    ["is trimmed", [text("  a \n"), text(" "), text("b  ")], "a \n\n\nb"],
    ["is empty for nothing", [], ""],
    [
      "survives blocks without their fields",
      [{ type: "text" }, { type: "resource" }, { type: "resource_link" }],
      "",
    ],
  ])("%s", (_, blocks, expected) => {
    expect(flattenPrompt(blocks)).toBe(expected);
  });
});

describe("a title", () => {
  it("is one line of at most 80 code points", () => {
    expect(titleOf("  fix\n\nthe   tests ")).toBe("fix the tests");
    expect(titleOf("🌲".repeat(80))).toBe("🌲".repeat(80));
    expect(titleOf("🌲".repeat(81))).toBe(`${"🌲".repeat(77)}...`);
  });
});

describe("clipping", () => {
  it("keeps a text that fits, and says how much it left out", () => {
    expect(clipText("x".repeat(8_000))).toBe("x".repeat(8_000));
    expect(clipText("x".repeat(8_003))).toBe(`${"x".repeat(8_000)}\n…(3 more chars truncated)`);
    expect(clipText("é🌲", 3)).toBe("é\n…(1 more chars truncated)");
  });

  it("never cuts a character in two", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (value, max) => {
        const whole = value.toWellFormed();
        const head = clipText(whole, max).split("\n…(")[0] ?? "";
        expect(whole.startsWith(head)).toBe(true);
        expect(head.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("the kind of a tool", () => {
  it.each([
    ["read_file", "read"],
    ["ls", "read"],
    ["glob", "read"],
    ["grep", "search"],
    ["edit_file", "edit"],
    ["multiedit", "edit"],
    ["write_file", "edit"],
    ["bash", "execute"],
    ["web_search", "search"],
    ["FindFiles", "search"],
    ["strReplace", "edit"],
    ["catalog", "read"],
    ["run_tests", "execute"],
    ["todo", "other"],
    ["", "other"],
  ])("%s is %s", (name, kind) => expect(toolKindFor(name)).toBe(kind));
});

describe("a session id", () => {
  it("that passes never leaves its directory", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", ".", "/", "\\", "\0", "-", "_", " ", "é", ":") }),
        (id) => {
          const safe = id !== "" && id !== "." && id !== ".." && /^[a._-]+$/.test(id);
          expect(isSessionId(id)).toBe(safe);
        },
      ),
    );
  });
});
