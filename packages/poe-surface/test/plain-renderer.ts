import {
  type MarkupRenderer,
  oneQuestionAtATime,
  type Segment,
  type TurnView,
} from "@acp-kit/router";

/** The least markup that lets a test tell the pieces apart. A `{{` of the agent is open until its `}}`. */
export const plainRenderer: MarkupRenderer<string> = {
  render(view, { show, carried = "" }) {
    const segments = Array.from(oneQuestionAtATime(view.segments), (segment) =>
      renderSegment(segment, show.thoughts),
    );
    const body = segments.join("");
    const parts = [(body === "" ? "" : carried + body) + renderOutcome(view)];
    if (view.outcome) return { parts };
    const isOpen = (carried + body).lastIndexOf("{{") > (carried + body).lastIndexOf("}}");
    return { parts, tail: renderTail(view), ...(isOpen && { close: "}}", carry: "{{" }) };
  },
  say: (kind, markdown) => `(${kind}) ${markdown}`,
};

function renderSegment(segment: Segment, thoughts: boolean): string {
  switch (segment.kind) {
    case "text":
      return segment.text;
    case "thought":
      return thoughts ? `<${segment.text}>` : "";
    case "tool-start":
      return `[${segment.tool.title}]`;
    case "question": {
      const { subject, options } = segment.ask;
      return `? ${subject} ${options.map(({ name }, at) => `${at + 1} ${name}`).join(" ")}`;
    }
    case "answer":
      return `{${segment.option?.id ?? segment.end}}`;
    case "notice":
      return segment.level === "warning" ? `(!) ${segment.text}` : "";
    default:
      return "";
  }
}

function renderTail({ phase, plan }: TurnView): string {
  return [`~${phase}~`, ...plan.map(({ content, status }) => `${status} ${content}`)].join("\n");
}

function renderOutcome({ outcome }: TurnView): string {
  if (!outcome || outcome.kind === "completed") return "";
  if (outcome.kind === "failed" && outcome.code === "not-admitted") return outcome.message;
  return outcome.kind === "cancelled" ? "(cancelled)" : `(${outcome.kind})`;
}
