import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMarkdown } from "../../../../packages/slack-surface/src/publish/cut-markdown.ts";
import { planStream } from "../../../../packages/slack-surface/src/publish/plan-stream.ts";
import {
  nothingPublished,
  type PublishedState,
} from "../../../../packages/slack-surface/src/publish/publication.ts";
import { findEmphasis } from "../../src/renderer/emphasis.ts";
import { renderMarkdown } from "../../src/renderer/markdown.ts";
import { readDelivered, readMarkdown } from "../loss-law/delivered.ts";

const numRuns = process.env["ACP_KIT_SOAK"] === "1" ? 20_000 : 60;

const words = fc.array(fc.constantFrom("one", "two,", "three", "重点", "x."), {
  minLength: 1,
  maxLength: 6,
});
const phrase = words.map((each) => each.join(" "));
const inline = fc.oneof(
  { weight: 4, arbitrary: phrase },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom("**", "*", "_", "~~", "***", "`", "``", "__"), phrase)
      .map(([mark, each]) => mark + each.replace(/[,.]$/, "") + mark),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "**a _b c_ d**",
        "_a **b** c_",
        "snake_case_name",
        "2 * 3",
        "2*3",
        "src/*.ts",
        "- 5",
        "x || y",
      ],
      ...[
        "1. go",
        "# no",
        "> no",
        "`a*b`",
        "\\*x",
        "[a *b* c](https://e.example/x_y_)",
        "__init__",
        "a | b",
      ],
    ),
  },
);
const line = fc.array(inline, { minLength: 1, maxLength: 12 }).map((each) => each.join(" "));
const block = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(line, { minLength: 1, maxLength: 3 })
      .map((each) => `p ${each.join("\np ")}`),
  },
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((each) => each.map((one) => `- p ${one}`).join("\n")),
  fc
    .tuple(fc.constantFrom("", "p\n"), fc.array(line, { minLength: 1, maxLength: 4 }))
    .map(([head, each]) => head + each.map((one, at) => `${at + 1}. ${one}`).join("\n")),
  line.map((each) => `> p ${each}`),
  line.map((each) => `## p ${each}`),
  fc
    .array(phrase, { minLength: 1, maxLength: 5 })
    .map((each) => `\`\`\`ts\n${each.join(" *\n")}\n\`\`\``),
  fc
    .array(fc.tuple(inline, inline), { minLength: 1, maxLength: 5 })
    .map((rows) =>
      [
        "| a | b |",
        "| --- | --- |",
        ...rows.map(([a, b]) => `| ${a.replaceAll("|", "/")} | ${b.replaceAll("|", "/")} |`),
      ].join("\n"),
    ),
);
const markdown = fc
  .array(block, { minLength: 1, maxLength: 6 })
  .map((each) =>
    each.map((one, at) => `${one.replace("| a |", `| a${at}${one.length} |`)}\n\n`).join(""),
  );

test("wherever the platform ends the streams of a growing text, all of it is read once, and no mark as a letter", () => {
  const moments = fc.array(
    fc.record({ units: fc.integer({ min: 1, max: 60 }), ends: fc.boolean() }),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(markdown, moments, (source, steps) => {
      const messages = stream(source, steps);
      expect(readDelivered(messages)).toBe(readMarkdown(source));
    }),
    { numRuns },
  );
});

/** Longer than a message. */
const longEmphasis = fc
  .tuple(fc.constantFrom("**", "_", "~~", "***", "`"), fc.integer({ min: 80, max: 400 }), words)
  .map(([mark, count, some]) => {
    const all = Array.from(
      { length: count },
      (_, at) => some[at % some.length]?.replace(/\W$/, "") ?? "",
    );
    return `p ${mark}${all.join(" ")}${mark} p`;
  });

test("wherever a text is cut into messages, all of it is read once, and no mark as a letter", () => {
  const anyText = fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: markdown },
        longEmphasis.map((each) => `${each}\n\n`),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((each) => each.join(""));
  fc.assert(
    fc.property(anyText, fc.integer({ min: 500, max: 700 }), (source, max) => {
      const { text } = renderMarkdown(source, false);
      const bodies: string[] = [];
      for (let from = 0; from < text.length; ) {
        const { body, to } = cutMarkdown(text, from, max, findEmphasis);
        bodies.push(body);
        from = to;
      }
      expect(readDelivered(bodies)).toBe(readMarkdown(source));
    }),
    { numRuns: numRuns * 2 },
  );
});

/** What streams show of a text that comes in pieces, behind some of which the platform ends the one that is open. */
function stream(
  source: string,
  steps: readonly { units: number; ends: boolean }[],
): readonly string[] {
  const messages: string[] = [];
  let state: PublishedState = nothingPublished;
  const show = (text: string, isFinal: boolean) => {
    for (;;) {
      const step = planStream(
        state,
        { text },
        {
          ...{ isFinal, isDue: false, now: 0, shown: new Map(), before: new Set<string>() },
          find: findEmphasis,
        },
      );
      if (!step) return;
      const { stream: open, sealed } = state;
      if (step.kind === "start") {
        messages.push("");
        const { from } = step;
        state = {
          sealed,
          open: undefined,
          stream: { ts: "", from, to: from, startedAt: 0, touchedAt: 0 },
        };
      } else if (!open || step.kind === "cards") throw new Error(step.kind);
      else if (step.kind === "stop") {
        state = { sealed: [...sealed, { ts: "", to: open.to }], open: undefined };
        if (isFinal && open.to === text.length) return;
      } else {
        messages.push(`${messages.pop()}${step.chunk}`);
        state = {
          ...state,
          stream: { ...open, to: step.to, ...(step.isClosed && { isClosed: true }) },
        };
      }
    }
  };
  for (let at = 0, nth = 0; at < source.length; nth += 1) {
    const { units, ends } = steps[nth % steps.length] ?? { units: 1, ends: false };
    at += units;
    show(renderMarkdown(source.slice(0, at), true).text, false);
    const { stream: open, sealed } = state;
    // One that tells nothing is deleted.
    if (ends && open && open.to > open.from) {
      state = { sealed: [...sealed, { ts: "", to: open.to }], open: undefined };
    }
  }
  show(renderMarkdown(source, false).text, true);
  return messages;
}
