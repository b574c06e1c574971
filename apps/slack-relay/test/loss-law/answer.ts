import type { Step } from "@acp-kit/demo-agent";
import fc from "fast-check";

/** What an agent answers to one message. */
export type Answer = { readonly steps: readonly Step[]; readonly markdown: string };

type Shape =
  | { readonly kind: "paragraph"; readonly words: number; readonly style: number }
  | { readonly kind: "list"; readonly items: number; readonly isOrdered: boolean }
  | { readonly kind: "quote" | "heading"; readonly words: number }
  | { readonly kind: "fence"; readonly lines: number; readonly tag: string }
  | { readonly kind: "table"; readonly rows: number; readonly columns: number };

type Part = {
  readonly shape: Shape;
  readonly size: number;
  readonly everyMs: number;
  /** What the agent does before it says this. */
  readonly before: "nothing" | "thought" | "tool" | "question";
};

/** Mostly short, now and then longer than a message. */
const long = (usual: number, rare: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: usual }) },
    fc.integer({ min: usual, max: rare }),
  );

const shape: fc.Arbitrary<Shape> = fc.oneof(
  fc.record({ kind: fc.constant("paragraph" as const), words: long(40, 900), style: fc.nat() }),
  fc.record({ kind: fc.constant("list" as const), items: long(6, 60), isOrdered: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("quote" as const, "heading" as const), words: long(8, 20) }),
  fc.record({
    kind: fc.constant("fence" as const),
    lines: long(12, 600),
    tag: fc.constantFrom("", "ts", "text"),
  }),
  fc.record({
    kind: fc.constant("table" as const),
    rows: long(6, 160),
    columns: fc.integer({ min: 1, max: 5 }),
  }),
);

const part: fc.Arbitrary<Part> = fc.record({
  shape,
  size: fc.integer({ min: 1, max: 300 }),
  everyMs: fc.integer({ min: 0, max: 40 }),
  before: fc.oneof(
    { weight: 5, arbitrary: fc.constant("nothing" as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("thought" as const, "tool" as const, "question" as const),
    },
  ),
});

/** How long one part takes at most to be said, in milliseconds. */
const PART_MS = 1_500;

/** @param id - Makes the words of one answer differ from those of any other. */
export function anyAnswer(id: string): fc.Arbitrary<Answer> {
  return fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => writeAnswer(id, parts));
}

function writeAnswer(id: string, parts: readonly Part[]): Answer {
  let count = 0;
  const word = () => {
    count += 1;
    return `${id}w${count}`;
  };
  const words = (wanted: number) => Array.from({ length: wanted }, word);
  const texts: string[] = [];
  const steps = parts.flatMap(({ shape: one, size, everyMs, before }, at): readonly Step[] => {
    const text = `${write(one, words)}\n\n`;
    texts.push(text);
    const pieces = Math.ceil(text.length / size);
    const pace = { size, everyMs: Math.min(everyMs, Math.floor(PART_MS / pieces)) };
    return [...doing(before, `${id}-${at}`), { kind: "text", text, pace }];
  });
  return { steps, markdown: texts.join("") };
}

function write(one: Shape, words: (count: number) => readonly string[]): string {
  switch (one.kind) {
    case "paragraph":
      return emphasize(words(one.words), one.style).join(" ");
    case "list":
      return words(one.items)
        .map(
          (word, at) =>
            `${one.isOrdered ? `${at + 1}.` : "-"} ${at % 3 === 0 ? `**${word}**` : word}`,
        )
        .join("\n");
    case "quote":
      return `> ${emphasize(words(one.words), one.words).join(" ")}`;
    case "heading":
      return `## ${words(one.words).join(" ")}`;
    case "fence":
      return `\`\`\`${one.tag}\n${words(one.lines).join(" = 1;\n")}\n\`\`\``;
    case "table": {
      const row = () => `| ${emphasize(words(one.columns), one.rows, 1).join(" | ")} |`;
      const rule = `|${" --- |".repeat(one.columns)}`;
      return [row(), rule, ...Array.from({ length: one.rows }, row)].join("\n");
    }
  }
}

/** Words in stretches of which some are emphasized; where a message ends between the marks of one, they are letters. */
function emphasize(
  words: readonly string[],
  style: number,
  size = 1 + (style % 7),
): readonly string[] {
  return Array.from({ length: Math.ceil(words.length / size) }, (_, nth) => {
    const stretch = words.slice(nth * size, (nth + 1) * size).join(" ");
    const mark = ["", "**", "`", "_", "", "***", "~~"][(nth * style) % 7] ?? "";
    return `${mark}${stretch}${mark}`;
  });
}

function doing(before: Part["before"], id: string): readonly Step[] {
  const toolCall = { toolCallId: `tool-${id}`, title: `tool-${id}` };
  switch (before) {
    case "nothing":
      return [];
    case "thought":
      return [{ kind: "thought", text: `thinking about ${id}`, pace: { size: 5, everyMs: 5 } }];
    case "tool":
      return [
        {
          kind: "update",
          update: {
            sessionUpdate: "tool_call",
            ...toolCall,
            kind: "execute",
            status: "in_progress",
          },
        },
        { kind: "wait", ms: 200 },
        {
          kind: "update",
          update: {
            sessionUpdate: "tool_call_update",
            toolCallId: toolCall.toolCallId,
            status: "completed",
          },
        },
      ];
    case "question":
      return [
        {
          kind: "ask",
          toolCall: { ...toolCall, kind: "execute", rawInput: { command: "ls" } },
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
      ];
  }
}
