import { readFileSync } from "node:fs";
import {
  AttachScanner,
  formatAttached,
  parseAttachDirective,
  type ScannedPart,
} from "@acp-kit/router/attachments";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

type Vector = {
  id: string;
  fn: string;
  input: { updates: { text: string }[]; upload_fails?: boolean };
  expect: { body: string; files: { path: string; name: string; inline: boolean }[] };
};

const vectorFile = new URL("../vectors/attach-directives.json", import.meta.url);
const { tag, cases } = JSON.parse(readFileSync(vectorFile, "utf8")) as {
  tag: string;
  cases: Vector[];
};

function scan(chunks: readonly string[]): ScannedPart[] {
  const scanner = new AttachScanner(tag);
  return [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.flush()];
}

/** What a chat shows of it. */
function show(parts: readonly ScannedPart[], fails = false) {
  const outcome = fails
    ? ({ kind: "failed" } as const)
    : ({ kind: "sent", reference: "{ref}" } as const);
  const body = parts.map((part) =>
    part.kind === "text" ? part.text : formatAttached(part, outcome),
  );
  const files = parts.flatMap((part) => {
    if (part.kind === "text" || fails) return [];
    const { path, name, inline } = part;
    return [{ path, name, inline }];
  });
  return { body: body.join(""), files };
}

const text = (value: string): ScannedPart => ({ kind: "text", text: value });

describe("AttachScanner", () => {
  it.each(cases)("shows $id as it has always been shown", ({ input, expect: expected }) => {
    const chunks = input.updates.map((update) => update.text);
    expect(show(scan(chunks), input.upload_fails)).toEqual(expected);
  });

  it.each(cases)("finds the same in $id however it is cut", ({ input, expect: expected }) => {
    const whole = input.updates.map((update) => update.text).join("");
    expect(show(scan([...whole]), input.upload_fails)).toEqual(expected);
    for (let at = 0; at <= whole.length; at += 1) {
      const parts = scan([whole.slice(0, at), whole.slice(at)]);
      expect(show(parts, input.upload_fails)).toEqual(expected);
    }
  });

  it("lets text out at once, and holds only what may become a directive", () => {
    const scanner = new AttachScanner(tag);
    expect(scanner.push("hello")).toEqual([text("hello")]);
    expect(scanner.push(" <!--")).toEqual([text(" <!--")]);
    expect(scanner.push("\n  ")).toEqual([text("\n")]);
    expect(scanner.push("<!")).toEqual([]);
    expect(scanner.push("x")).toEqual([text("  <!x")]);
    expect(scanner.push("\n<!-- a")).toEqual([text("\n")]);
    expect(scanner.flush()).toEqual([text("<!-- a")]);
  });

  it("holds no line for ever", () => {
    const scanner = new AttachScanner(tag);
    const long = `<!-- ${tag} path="${"a".repeat(20_000)}" -->`;
    expect(scanner.push(long)).toEqual([text(long)]);
    expect(scanner.push("\nb")).toEqual([text("\nb")]);
  });

  it("a text without a directive comes out as it went in, however it is cut", () => {
    const piece = fc.constantFrom(
      "<!--",
      "-->",
      "\n",
      " ",
      "\t",
      "a",
      "<",
      "!",
      "-",
      tag,
      "é",
      "\r",
    );
    fc.assert(
      fc.property(fc.array(fc.array(piece).map((words) => words.join(""))), (chunks) => {
        const whole = chunks.join("");
        const parts = scan(chunks);
        expect(parts.every((part) => part.kind === "text")).toBe(true);
        expect(show(parts).body).toBe(whole);
      }),
    );
  });
});

describe("parseAttachDirective", () => {
  it.each([
    ['<!-- TAG inline path="a" -->', { path: "a", name: "a", inline: true }],
    ['<!--TAG path="a b" name="" -->\r\n', { path: "a b", name: "a b", inline: false }],
    ['<!-- TAG path="/x/y.txt"-->', { path: "/x/y.txt", name: "y.txt", inline: false }],
    ['<!-- TAG name="n" path="a" inline -->', { path: "a", name: "n", inline: true }],
  ])("%j is a directive", (line, directive) => {
    expect(parseAttachDirective(line.replace("TAG", tag), tag)).toEqual({
      kind: "attach",
      ...directive,
    });
  });

  it.each([
    '<!-- TAGx path="a" -->',
    '<!-- TAGpath="a" -->',
    "<!-- TAG path=a -->",
    '<!-- TAG xpath="a" -->',
    '<!-- TAG path="a" --> x',
    'x <!-- TAG path="a" -->',
    "<!-->",
    "<!-- TAG -->",
    '<!-- TAG name="path=" -->',
  ])("%j is none", (line) => {
    expect(parseAttachDirective(line.replace("TAG", tag), tag)).toBeUndefined();
  });
});
