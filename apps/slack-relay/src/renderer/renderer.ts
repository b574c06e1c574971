import type { SlackPart, SlackRenderer } from "@acp-kit/slack-surface";

/** Text, questions and names of tools: the least that a turn needs. */
export const renderer: SlackRenderer = {
  render(view, { show }) {
    const parts: SlackPart[] = [];
    for (const segment of view.segments) {
      if (segment.kind === "text") parts.push(text(segment.text));
      if (segment.kind === "question") parts.push({ kind: "question", ask: segment.ask });
      if (segment.kind === "file") parts.push({ kind: "file", file: segment });
      if (segment.kind === "tool-start" && show.tools)
        parts.push(text(`\n${segment.tool.title}\n`));
    }
    if (!view.outcome) return { parts, tail: text("Working on it …") };
    const { kind } = view.outcome;
    return kind === "completed" ? { parts } : { parts: [...parts, text(`\n(${kind})`)] };
  },
  say: (_, markdown) => text(markdown),
  cards: ({ tools }) =>
    Array.from(tools, ({ id, title, status }) => ({
      ...{ id, title },
      status: status === "completed" ? ("complete" as const) : ("in_progress" as const),
    })),
};

function text(markdown: string): SlackPart {
  return { kind: "text", markdown };
}
