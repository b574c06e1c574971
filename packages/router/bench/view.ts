import { type EventBody, type LogEvent, reduceTurnView, type TurnView } from "../src/index.ts";
import { cpuMs, round } from "./measure.ts";

const ROUNDS = 7;
const EVENTS = 20_000;

/** Turns that add as much to a view as they can, by what their n-th event is. */
const turns: Readonly<Record<string, (n: number) => EventBody>> = {
  "one-letter texts and thoughts in turn": (n) =>
    n % 2 === 0 ? { kind: "text", text: "a" } : { kind: "thought", text: "b" },
  "one long text": () => ({ kind: "text", text: "word " }),
  "tool calls that start and end": (n) => {
    const id = `call ${n >> 1}`;
    return n % 2 === 0
      ? { kind: "tool-start", id, title: id, toolKind: "read", status: "pending", content: [] }
      : { kind: "tool-update", id, status: "completed" };
  },
  "updates of many open calls": (n) => ({
    kind: "tool-update",
    id: `call ${(n * 7919) % 5_000}`,
    status: "in_progress",
  }),
};

function eventsOf(body: (n: number) => EventBody, count: number): LogEvent[] {
  return Array.from({ length: count }, (_, n) => ({ ...body(n), seq: n + 1, at: n, turn: "t" }));
}

/** µs per event, the least of all rounds. */
function measure(events: readonly LogEvent[]): number {
  const times: number[] = [];
  for (let n = -1; n < ROUNDS; n++) {
    let view: TurnView | undefined;
    const start = cpuMs();
    for (const event of events) view = reduceTurnView(view, event);
    // The first round warms up.
    if (n >= 0) times.push(((cpuMs() - start) / events.length) * 1_000);
    if (view?.seq !== events.length) throw new Error("Not all events were folded");
  }
  return Math.min(...times);
}

/** Cost of folding an event into a view, for turns of one length and of ten times that. */
export function benchView() {
  const results: Record<string, unknown> = {};
  for (const [name, body] of Object.entries(turns)) {
    const short = measure(eventsOf(body, EVENTS));
    const long = measure(eventsOf(body, 10 * EVENTS));
    results[name] = {
      micros: round(short),
      microsOfTenfold: round(long),
      ratio: round(long / short),
    };
  }
  return { limit: 1.5, events: EVENTS, ...results };
}
