import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMarkdown } from "../../src/publish/cut-markdown.ts";

/** All pieces of a text. */
function cutAll(text: string, max = 500): readonly string[] {
  const bodies: string[] = [];
  for (let from = 0; from < text.length; ) {
    const { body, to } = cutMarkdown(text, from, max);
    bodies.push(body);
    expect(to).toBeGreaterThan(from);
    from = to;
  }
  return bodies;
}

/** Where a text is cut. */
function cutsOf(text: string, max = 500): readonly number[] {
  const cuts: number[] = [];
  for (let from = 0; from < text.length; from = cuts.at(-1) ?? text.length) {
    cuts.push(cutMarkdown(text, from, max).to);
  }
  return cuts;
}

const lines = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join("\n");

test("a text that fits is one piece, as it is", () => {
  expect(cutAll("# Title\n\nText.")).toEqual(["# Title\n\nText."]);
});

test("a text is cut behind a paragraph, where there is one in the second half", () => {
  const text = `${"a".repeat(300)}\n\n${"b".repeat(300)}`;
  expect(cutAll(text)).toEqual([`${"a".repeat(300)}\n\n`, "b".repeat(300)]);
});

describe("a fence that is cut", () => {
  const code = lines(60, (at) => `const line${at} = ${at};`);

  test("is closed and opened again, with its language, at the end of a line", () => {
    const bodies = cutAll(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`);
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies.slice(1)) expect(body).toMatch(/^```ts\n/);
    for (const body of bodies.slice(0, -1)) expect(body).toMatch(/;\n```$/);
    expect(bodies.at(-1)).toMatch(/\n```\n\nDone\.$/);
  });

  test("keeps its length, its kind, its indentation and its quote marks", () => {
    for (const [open, close] of [
      ["````md", "````"],
      ["~~~", "~~~"],
      ["  ```js", "  ```"],
      ["> ```js", "> ```"],
    ] as const) {
      const prefix = open.startsWith(">") ? "> " : "";
      const quoted = code.replaceAll(/^/gm, prefix);
      const [first = "", second = ""] = cutAll(`${open}\n${quoted}\n${close}\n`);
      expect(first.split("\n").at(-1)).toBe(close);
      expect(second.split("\n")[0]).toBe(open);
    }
  });

  test("in a list stays in its item", () => {
    const indented = code.replaceAll(/^/gm, "  ");
    const [first = "", second = ""] = cutAll(`- \`\`\`js\n${indented}\n  \`\`\`\n`);
    expect(first.split("\n").at(-1)).toBe("  ```");
    expect(second.split("\n")[0]).toBe("  ```js");
  });

  test.each([
    ["10. ", "    ", "-   ```js"],
    ["1. - ", "     ", "-    ```js"],
    ["- 10. ", "      ", "-   - ```js"],
    ["-\t", "\t", "-   ```js"],
    ["> 10. ", ">     ", "> -   ```js"],
    ["10. > ", "    > ", "-   > ```js"],
  ])(
    "in the item %j is opened in an item, as it would be a line of code so far in",
    (item, indent, opened) => {
      const indented = code.replaceAll(/^/gm, indent);
      const [first = "", second = ""] = cutAll(
        `${item}x\n${indent}\n${indent}\`\`\`js\n${indented}\n${indent}\`\`\`\n`,
      );
      expect(first.split("\n").at(-1)).toBe(`${indent}\`\`\``);
      expect(second.split("\n")[0]).toBe(opened);
    },
  );

  test("is not closed by a shorter one within it", () => {
    const text = `\`\`\`\`md\n\`\`\`js\n${code}\n\`\`\`\n\`\`\`\`\nend`;
    for (const body of cutAll(text).slice(1, -1)) {
      expect(body).toMatch(/^````md\n/);
      expect(body).toMatch(/\n````$/);
    }
  });

  test("repeats at most 32 characters of what is behind its mark", () => {
    const [, second = ""] = cutAll(`\`\`\`${"x".repeat(200)}\n${code}\n\`\`\``);
    expect(second.split("\n")[0]).toBe(`\`\`\`${"x".repeat(32)}`);
  });
});

test("a table that is cut repeats its head, and no row is cut", () => {
  const head = "| name | value |\n| --- | ---: |\n";
  const bodies = cutAll(`Values:\n\n${head}${lines(60, (at) => `| row ${at} | ${at} |`)}\n`);
  expect(bodies.length).toBeGreaterThan(2);
  for (const body of bodies.slice(1)) expect(body.startsWith(head)).toBe(true);
  const rows = bodies.flatMap((body) => body.match(/^\| row \d+ \| \d+ \|$/gm) ?? []);
  expect(rows).toHaveLength(60);
});

test("a table far within a list repeats its head in an item, as it would be lines of code", () => {
  const rows = lines(60, (at) => `    | row ${at} | ${at} |`);
  const bodies = cutAll(`10. Values:\n\n    | name | value |\n    | --- | ---: |\n${rows}\n`);
  expect(bodies.length).toBeGreaterThan(2);
  for (const body of bodies.slice(1)) {
    expect(body.startsWith("-   | name | value |\n    | --- | ---: |\n    | row")).toBe(true);
  }
});

test.each([
  ["close together", (at: number) => `- item ${at}\n    - below\n    - and this`],
  ["apart", (at: number) => `1${at}. item\n\n    what is said of it\n\n    - below\n`],
])(
  "a list of lists, %s, is cut before a line that stays what it is without the lines above",
  (_how, item) => {
    const bodies = cutAll(lines(60, item));
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies.slice(1)) expect(body).toMatch(/^(?:- item|\d+\. item)/);
  },
);

describe("a line that is too long is cut", () => {
  test("at a space", () => {
    const bodies = cutAll("word ".repeat(200));
    for (const body of bodies.slice(0, -1)) expect(body).toMatch(/word $/);
  });

  test("not within a letter of many parts", () => {
    // Of seven code points: behind one of these beginnings it would be whole by chance.
    const family = "👩‍👩‍👧‍👦";
    for (const before of ["", "x", "xx", "xxx", "xxxx", "xxxxx", "xxxxxx"]) {
      const bodies = cutAll(before + family.repeat(100));
      expect(bodies.length).toBeGreaterThan(1);
      expect(bodies.map((body) => body.replaceAll(family, "")).join("")).toBe(before);
    }
  });

  test.each([
    [
      "a link",
      `${"x".repeat(380)}[label](https://e.example/path)${"y".repeat(400)}`,
      "[label](https://e.example/path)",
    ],
    [
      "an address",
      `${"x".repeat(380)} https://e.example/a/very/long/path?x=1 ${"y".repeat(400)}`,
      "https://e.example/a/very/long/path?x=1",
    ],
    [
      "a label",
      `${"x".repeat(380)}[one two](https://e.example/path)${"y".repeat(400)}`,
      "[one two](https://e.example/path)",
    ],
    ["an entity", `${"x".repeat(416)}&lt;!channel&gt;${"y".repeat(400)}`, "&lt;"],
  ])("not within %s", (_what, text, whole) => {
    expect(cutAll(text).some((body) => body.includes(whole))).toBe(true);
  });
});

describe("emphasis", () => {
  /** Bold alone. */
  const find = (markdown: string) =>
    Array.from(markdown.matchAll(/\*\*[^*]*(\*\*)?/g), ({ 0: found, 1: end, index }) => ({
      from: index,
      to: end === undefined ? undefined : index + found.length,
      mark: "**",
    }));
  const cutBold = (text: string) => {
    const { body, to } = cutMarkdown(text, 0, 500, find);
    return [body, cutMarkdown(text, to, 500, find).body];
  };

  test("that a message has no more room for begins the next", () => {
    const text = `${"one ".repeat(90)}**${"two ".repeat(90)}three**`;
    expect(cutBold(text)[0]).toBe("one ".repeat(90));
    expect(cutBold(text)[1]).toMatch(/^\*\*two /);
  });

  test("that fills more than half of a message is closed, and opened again", () => {
    const [first = "", second = ""] = cutBold(`one **${"two ".repeat(200)}three**`);
    // Behind a space a mark would close nothing.
    expect(first).toMatch(/^one \*\*two .*two \u2060\*\*$/);
    expect(second).toMatch(/^\*\*two /);
  });
});

test("a message that begins within an item of an ordered list has its number, as the next item ends no paragraph", () => {
  const text = "Do:\n1. one\n2. two\n   and a half\n3. three\n";
  const bodyFrom = (start: string) => cutMarkdown(text, text.indexOf(start), 500).body;
  expect(bodyFrom("wo")).toBe("2. wo\n   and a half\n3. three\n");
  expect(bodyFrom("   and")).toBe("2.    and a half\n3. three\n");
  expect(bodyFrom("3.")).toBe("3. three\n");
  const noList = "It was in\n1984. So\n";
  expect(cutMarkdown(noList, noList.indexOf("o\n"), 500).body).toBe("o\n");
});

test.each(["- 5 or so", "# one", "1. one", "> one", "=== one", "| one"])(
  "%j in the middle of a line is no block where a message begins with it",
  (rest) => {
    const line = `${"word ".repeat(10)}${rest}`;
    const { body } = cutMarkdown(line, 50, 500);
    expect(body).toBe(`\u2060${rest}`);
    expect(cutMarkdown(`${"word ".repeat(9)}\n\n${rest}`, 47, 500).body).toBe(rest);
  },
);

const word = fc.constantFrom(
  "alpha",
  "beta ",
  "👍🏽",
  "é",
  "| a | b |",
  "```ts",
  "```",
  "~~~~",
  "- ",
  "> ",
  "# ",
  "|---|---|",
  "<x",
  "&amp;",
  "[l](http://a.b)",
);
const markdown = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 2, arbitrary: fc.constant("\n") },
      { weight: 1, arbitrary: fc.constant("\n\n") },
    ),
    { minLength: 50, maxLength: 600 },
  )
  .map((parts) => parts.join(""));

test("whatever the text: no piece is empty, too long or ill-formed, and nothing is lost or moved", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      let joined = "";
      for (let from = 0; from < text.length; ) {
        const { body, to } = cutMarkdown(text, from, 500);
        expect([...body].length).toBeLessThanOrEqual(500);
        expect(body.isWellFormed()).toBe(true);
        const piece = text.slice(from, to);
        expect(piece).not.toBe("");
        // What is added is before it and behind it.
        expect(body).toContain(piece);
        joined += piece;
        from = to;
      }
      expect(joined).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test("text that comes later moves no cut", () => {
  fc.assert(
    fc.property(markdown, fc.nat(), (text, seed) => {
      const whole = cutsOf(text);
      const cuts = cutsOf(text.slice(0, seed % (text.length + 1)));
      expect(whole.slice(0, Math.max(0, cuts.length - 1))).toEqual(cuts.slice(0, -1));
    }),
    { numRuns: 300 },
  );
});
