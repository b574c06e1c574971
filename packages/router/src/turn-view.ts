import type {
  AgentContent,
  BusyWorkspace,
  LogEvent,
  PermissionAsk,
  PermissionEnd,
  PermissionOption,
  PlanEntry,
  SentFile,
  Status,
  ToolContent,
  TurnOutcome,
  TurnPhase,
  Usage,
} from "./events.ts";
import { PersistentList, type Sequence } from "./persistent-list.ts";
import { ToolList } from "./tool-list.ts";

/** A tool call, its `toolKind` and `status` in the agent's own words; times in milliseconds since the epoch. */
export type ToolView = {
  readonly id: string;
  readonly title: string;
  readonly toolKind: string;
  readonly status: string;
  readonly content: readonly ToolContent[];
  readonly startedAt: number;
  readonly endedAt?: number;
};

/**
 * A stretch of a turn, in the order in which it happened. Segments are only ever added at the end, and only the last
 * one still grows, if it is a `text` or a `thought`: what a reader has rendered of the earlier ones stays true.
 */
export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thought"; readonly text: string }
  /** A tool call as it was when it started; its present state stands in {@link TurnView.tools}. */
  | { readonly kind: "tool-start"; readonly tool: ToolView }
  /** A tool call as it was when an update said that it had ended; a call may say so more than once. */
  | { readonly kind: "tool-end"; readonly tool: ToolView }
  | { readonly kind: "question"; readonly ask: PermissionAsk }
  | {
      readonly kind: "answer";
      readonly permission: string;
      readonly end: PermissionEnd;
      readonly option?: PermissionOption;
      readonly by?: string;
      readonly remembered?: "now" | "before";
    }
  | ({ readonly kind: "file" } & SentFile)
  | { readonly kind: "content"; readonly content: AgentContent }
  | { readonly kind: "notice"; readonly level: "info" | "warning"; readonly text: string };

/**
 * What a reader should see of one turn, or of the part of it that it has read. Never changes, and is kept as JSON; there
 * its sequences are arrays, as they may be in any view.
 */
export type TurnView = {
  readonly turn: string;
  /** The last event folded in. */
  readonly seq: number;
  readonly who?: string;
  readonly queued?: { readonly since: number; readonly behind?: string };
  /** Milliseconds since the epoch: first event of the turn, and its newest sign of life. */
  readonly startedAt: number;
  readonly lastProgressAt: number;
  readonly phase: TurnPhase | "queued" | "thinking" | "writing" | "working";
  /** What it waits for in the phase `waiting-workspace`. */
  readonly busy?: BusyWorkspace;
  readonly segments: Sequence<Segment>;
  /** Tool calls as they are now, oldest first. */
  readonly tools: Sequence<ToolView>;
  readonly plan: readonly PlanEntry[];
  readonly status: Status;
  readonly model?: string;
  /** Open questions, oldest first. */
  readonly asks: readonly PermissionAsk[];
  readonly usage?: Usage;
  readonly title?: string;
  readonly outcome?: TurnOutcome;
};

const terminalStatuses: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** True when a tool call with this status will not change any more. */
export function isToolEnded(status: string): boolean {
  return terminalStatuses.has(status);
}

function withPhase(
  view: TurnView,
  { phase, busy }: Extract<LogEvent, { kind: "status" }>,
): TurnView {
  if (phase === undefined) return view;
  const { busy: _, ...rest } = view;
  return { ...rest, phase, ...(busy && { busy }) };
}

/** A view of a turn of which nothing is known yet. */
export function createTurnView(turn: string, at: number): TurnView {
  return {
    turn,
    seq: 0,
    startedAt: at,
    lastProgressAt: at,
    phase: "waiting",
    segments: noSegments,
    tools: noTools,
    plan: [],
    status: {},
    asks: [],
  };
}

/** Tool calls that go on, oldest first. */
export function openTools({ tools }: TurnView): readonly ToolView[] {
  return Array.from(tools).filter((tool) => tool.endedAt === undefined);
}

/** True when the agent has said or sent something, as against having thought and used tools only. */
export function hasAnswer({ segments }: TurnView): boolean {
  for (const segment of segments) {
    if (segment.kind === "text" && segment.text.trim() !== "") return true;
    if (segment.kind === "file" || segment.kind === "content") return true;
  }
  return false;
}

/**
 * Folds one event into what a reader should see of its turn. Pure, exhaustive. What it costs does not depend on how
 * much was folded in before.
 *
 * Start with `undefined` at any event: a view that starts in the middle of a turn shows the rest of it.
 * Events of another turn, and events without one, leave the view as it is; so do events at or below `view.seq`.
 */
export function reduceTurnView(view: TurnView | undefined, event: LogEvent): TurnView {
  const turn = event.turn ?? view?.turn ?? "";
  if (view && (view.turn !== turn || event.seq <= view.seq)) return view;
  const next = { ...(view ?? createTurnView(turn, event.at)), seq: event.seq };
  switch (event.kind) {
    case "turn-queued":
      return {
        ...next,
        who: event.who,
        phase: "queued",
        queued: { since: event.at, ...(event.behind !== undefined && { behind: event.behind }) },
      };
    case "turn-start": {
      const { queued: _, ...running } = next;
      return {
        ...running,
        who: event.who,
        startedAt: event.at,
        lastProgressAt: event.at,
        phase: "waiting",
        ...(event.model !== undefined && { model: event.model }),
      };
    }
    case "session-attached":
      return { ...next, phase: "waiting" };
    case "text":
      return appended({ ...next, phase: "writing" }, "text", event.text, event.at);
    case "thought":
      return appended({ ...next, phase: "thinking" }, "thought", event.text, event.at);
    case "tool-start": {
      const { id, title, toolKind, status, content } = event;
      const tool: ToolView = { id, title, toolKind, status, content, startedAt: event.at };
      return withTool(next, "tool-start", ended(tool, event.at), event.at);
    }
    case "tool-update": {
      const before = ToolList.of(next.tools).get(event.id);
      const tool: ToolView = {
        id: event.id,
        title: event.title ?? before?.title ?? "",
        toolKind: event.toolKind ?? before?.toolKind ?? "other",
        status: event.status ?? before?.status ?? "in_progress",
        content: event.content ?? before?.content ?? [],
        startedAt: before?.startedAt ?? event.at,
        ...(before?.endedAt !== undefined && { endedAt: before.endedAt }),
      };
      const saysEnded = event.status !== undefined && isToolEnded(event.status);
      return withTool(next, saysEnded ? "tool-end" : undefined, ended(tool, event.at), event.at);
    }
    case "plan":
      return { ...next, plan: event.entries, lastProgressAt: event.at };
    case "status":
      return {
        ...withPhase(next, event),
        status: {
          ...next.status,
          ...(event.mood !== undefined && { mood: event.mood }),
          ...(event.plan !== undefined && { plan: event.plan }),
        },
      };
    case "usage": {
      const { used, size, cost } = event;
      return { ...next, usage: { used, size, ...(cost && { cost }) } };
    }
    case "config":
      return event.model === undefined ? next : { ...next, model: event.model };
    case "title":
      return { ...next, title: event.title };
    case "permission-ask":
      if (next.asks.some(({ id }) => id === event.ask.id)) return next;
      return {
        ...withSegment(next, { kind: "question", ask: event.ask }, event.at),
        asks: [...next.asks, event.ask],
      };
    case "permission-answer": {
      const { permission, end, option, by, remembered } = event;
      return {
        ...withSegment(
          next,
          {
            kind: "answer",
            permission,
            end,
            ...(option !== undefined && { option }),
            ...(by !== undefined && { by }),
            ...(remembered && { remembered }),
          },
          event.at,
        ),
        asks: next.asks.filter((ask) => ask.id !== permission),
      };
    }
    case "file": {
      const { kind, path, name, contentType, bytes, sha256, at } = event;
      return withSegment(next, { kind, path, name, contentType, bytes, sha256 }, at);
    }
    case "content": {
      const { kind, seq: _, at, turn: __, ...content } = event;
      return withSegment(next, { kind, content }, at);
    }
    case "notice":
      return withSegment(next, { kind: "notice", level: event.level, text: event.text }, event.at);
    case "steered":
    case "reaction":
    case "stalled":
    case "commands":
    case "unknown-update":
    case "session-reset":
      return next;
    case "turn-end":
      return { ...next, asks: [], outcome: event.outcome };
  }
}

const noSegments: Sequence<Segment> = PersistentList.of<Segment>([]);
const noTools: Sequence<ToolView> = ToolList.of([]);

function appended(view: TurnView, kind: "text" | "thought", text: string, at: number): TurnView {
  const segments = PersistentList.of(view.segments);
  const last = segments.at(-1);
  return {
    ...view,
    segments:
      last?.kind === kind
        ? segments.with(-1, { kind, text: last.text + text })
        : segments.push({ kind, text }),
    lastProgressAt: at,
  };
}

function withSegment(view: TurnView, segment: Segment, at: number): TurnView {
  const segments = PersistentList.of(view.segments).push(segment);
  return { ...view, segments, lastProgressAt: at };
}

function withTool(
  view: TurnView,
  kind: "tool-start" | "tool-end" | undefined,
  tool: ToolView,
  at: number,
): TurnView {
  const { segments } = view;
  return {
    ...view,
    phase: "working",
    lastProgressAt: at,
    tools: ToolList.of(view.tools).set(tool),
    segments: kind ? PersistentList.of(segments).push({ kind, tool }) : segments,
  };
}

function ended(tool: ToolView, at: number): ToolView {
  return tool.endedAt === undefined && isToolEnded(tool.status) ? { ...tool, endedAt: at } : tool;
}
