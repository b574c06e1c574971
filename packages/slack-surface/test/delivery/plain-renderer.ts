import type { TurnOutcome, TurnView } from "@acp-kit/router";
import type { SlackPart, SlackRenderer } from "../../src/index.ts";

/** The least that shows which part is which. */
export const plainRenderer: SlackRenderer = {
  render(view, { show }) {
    const parts: SlackPart[] = [];
    for (const segment of view.segments) {
      if (segment.kind === "text") parts.push(text(segment.text));
      if (segment.kind === "question") parts.push({ kind: "question", ask: segment.ask });
      if (segment.kind === "notice") parts.push(text(segment.text));
      if (segment.kind === "file") parts.push({ kind: "file", file: segment });
      if (segment.kind === "tool-start" && show.tools)
        parts.push(text(`\n[${segment.tool.title}]\n`));
    }
    if (!view.outcome) return { parts, tail: text(`~${view.phase}~`) };
    return { parts: [...parts, text(sayOutcome(view.outcome))] };
  },
  say: (_, markdown) => text(markdown),
  mrkdwn: () => [],
  findEmphasis: () => [],
  cards: (view: TurnView) =>
    Array.from(view.tools, ({ id, title, status }) => ({
      id,
      title,
      status: status === "completed" ? ("complete" as const) : ("in_progress" as const),
    })),
};

function sayOutcome(outcome: TurnOutcome): string {
  return outcome.kind === "completed" ? "" : `\n(${outcome.kind})`;
}

function text(markdown: string): SlackPart {
  return { kind: "text", markdown };
}
