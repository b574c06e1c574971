import type { EventBody, LogEvent } from "../src/events.ts";
import type { Display } from "../src/renderer.ts";
import { reduceTurnView, type TurnView } from "../src/turn-view.ts";

export const showAll: Display = { thoughts: true, plan: true, tools: true, toolDetails: true };
export const showUsual: Display = { thoughts: false, plan: true, tools: true, toolDetails: false };

export const start: EventBody = { kind: "turn-start", who: "ana" };
export const end: EventBody = {
  kind: "turn-end",
  outcome: { kind: "completed", stopReason: "end_turn" },
};

export const text = (text: string): EventBody => ({ kind: "text", text });
export const thought = (text: string): EventBody => ({ kind: "thought", text });

export function toolStart(
  id: string,
  title: string,
  more: Partial<Extract<EventBody, { kind: "tool-start" }>> = {},
): EventBody {
  return {
    kind: "tool-start",
    id,
    title,
    toolKind: "execute",
    status: "pending",
    content: [],
    ...more,
  };
}

/** One event a second, from second 0 on. */
export function numbered(bodies: readonly EventBody[]): LogEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: index * 1_000, turn: "t" }));
}

export function fold(...bodies: EventBody[]): TurnView {
  const [first, ...rest] = numbered(bodies);
  if (first === undefined) throw new Error("A view needs an event.");
  return rest.reduce(reduceTurnView, reduceTurnView(undefined, first));
}
