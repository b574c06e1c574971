import type { AgentContent, LogEvent, Segment, TurnOutcome, TurnView } from "@acp-kit/router";
import type { ExportItem } from "@acp-kit/router/sqlite";

/** A conversation as text, a piece at a time. Pure; what people and agents said is in it as it is. */
export function* formatTranscript(items: Iterable<ExportItem>): Generator<string> {
  /** The text or thought that the last piece belongs to: what follows goes on in the same line. */
  let open = "";
  for (const item of items) {
    if (item.kind === "checkpoint") continue;
    const kind = item.kind === "event" && isFlowing(item.event) ? item.event.kind : "";
    if (open !== "" && kind !== open) yield "\n";
    switch (item.kind) {
      case "conversation":
        yield `${item.conversation}, events ${item.first} to ${item.last}\n`;
        break;
      case "view":
        yield formatView(item.view);
        break;
      case "event":
        if (kind === "thought" && open !== "thought") yield "[thinks] ";
        yield formatEvent(item.event);
        break;
    }
    open = kind;
  }
  if (open !== "") yield "\n";
}

function isFlowing({ kind }: LogEvent): boolean {
  return kind === "text" || kind === "thought";
}

function formatEvent(event: LogEvent): string {
  switch (event.kind) {
    case "turn-queued":
      return `\n${formatTime(event.at)}  ${event.who}${event.attempt > 1 ? ` (again, ${event.attempt})` : ""}\n> ${event.text.replaceAll("\n", "\n> ")}\n\n`;
    case "text":
    case "thought":
      return event.text;
    case "tool-start":
      return `[${event.toolKind}] ${event.title}\n`;
    case "permission-ask":
      return `[asks] ${event.ask.subject}\n`;
    case "permission-answer":
      return `[answer] ${event.option?.name ?? event.end}${event.by ? `, by ${event.by}` : ""}\n`;
    case "notice":
      return `[notice] ${event.text}\n`;
    case "file":
      return `[file] ${event.name}\n`;
    case "content":
      return formatContent(event);
    case "turn-end":
      return `[${formatOutcome(event.outcome)}] ${formatTime(event.at)}\n`;
    case "session-reset":
      return `[new session] ${event.who}\n`;
    default:
      return "";
  }
}

/** A turn whose events have been removed. */
function formatView({ startedAt, who = "", segments, outcome }: TurnView): string {
  const end = outcome ? `[${formatOutcome(outcome)}]\n` : "";
  return `\n${formatTime(startedAt)}  ${who}\n\n${Array.from(segments, formatSegment).join("")}${end}`;
}

function formatContent({ type, name, uri }: AgentContent): string {
  return `[${type}] ${name ?? uri ?? ""}\n`;
}

function formatSegment(segment: Segment): string {
  switch (segment.kind) {
    case "text":
      return `${segment.text}\n`;
    case "thought":
      return `[thinks] ${segment.text}\n`;
    case "tool-start":
      return `[${segment.tool.toolKind}] ${segment.tool.title}\n`;
    case "tool-end":
      return "";
    case "question":
      return `[asks] ${segment.ask.subject}\n`;
    case "answer":
      return `[answer] ${segment.option?.name ?? segment.end}\n`;
    case "file":
      return `[file] ${segment.name}\n`;
    case "content":
      return formatContent(segment.content);
    case "notice":
      return `[notice] ${segment.text}\n`;
  }
}

function formatOutcome(outcome: TurnOutcome): string {
  return outcome.kind === "cancelled" ? `cancelled, ${outcome.cause}` : outcome.kind;
}

function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
