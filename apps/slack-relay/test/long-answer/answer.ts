import type { Nodes, Table } from "mdast";
import { expect } from "vitest";
import { parse, readDelivered, readMarkdown } from "../loss-law/delivered.ts";

const LINES = 250;
const ROWS = 150;

const code = Array.from(
  { length: LINES },
  (_, at) => `  if (a < ${at} && b > 1) await call<T>(${at});`,
).join("\n");

/** Each row as its cells. */
const cells = Array.from({ length: ROWS }, (_, at) => [
  `row ${at} of it`,
  `a_${at}|b_${at}`,
  `see that ${at}`,
]);

const rows = cells.map(
  ([one, two, three], at) =>
    `| **${one}** | \`${two?.replace("|", "\\|")}\` | [${three}](https://example.com/${at}) |`,
);

const prose = (part: number, sentences: number) =>
  Array.from({ length: sentences }, (_, at) => `Sentence ${part}.${at} of the _answer_, is long.`);

/** Above 20,000 characters, with a fence of 9,000 and a table of 150 rows, each of which has to be cut. */
export const longAnswer = [
  "# Answer",
  prose(1, 110).join(" "),
  `\`\`\`ts\n${code}\n\`\`\``,
  prose(2, 20).join("\n\n"),
  `| name | value | link |\n| --- | :---: | ---: |\n${rows.join("\n")}`,
  `${prose(3, 30).join(" ")} The end.`,
].join("\n\n");

/** Fails when anything of it is missing, said twice, or in a message that is not well-formed by itself. */
export function expectLongAnswer(messages: readonly string[]): void {
  expect(longAnswer.length).toBeGreaterThan(20_000);
  expect(code.length).toBeGreaterThan(9_000);
  expect(readDelivered(messages)).toBe(readMarkdown(longAnswer));

  const blocks = messages.flatMap((source) =>
    parse(source).children.map((node) => ({ node, source: sourceOf(node, source) })),
  );
  const fences = blocks.flatMap(({ node, source }) =>
    node.type === "code" ? [{ ...node, source }] : [],
  );
  expect(fences.length).toBeGreaterThan(1);
  for (const { lang, source } of fences) {
    expect(lang).toBe("ts");
    expect(source).toMatch(/^```ts\n[\s\S]*\n```$/);
  }
  expect(fences.map(({ value }) => value).join("\n")).toBe(code);

  const tables = blocks.flatMap(({ node }) => (node.type === "table" ? [readTable(node)] : []));
  expect(tables.length).toBeGreaterThan(1);
  for (const { head, align } of tables) {
    expect(head).toEqual(["name", "value", "link"]);
    expect(align).toEqual([null, "center", "right"]);
  }
  expect(tables.flatMap((table) => table.rows)).toEqual(cells);
}

function readTable({ children, align }: Table) {
  const [head, ...rest] = children.map((row) => row.children.map(wordsOf));
  return { head, align, rows: rest };
}

function wordsOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(wordsOf).join("") : "";
}

function sourceOf({ position }: Nodes, source: string): string {
  return source.slice(position?.start.offset, position?.end.offset);
}
