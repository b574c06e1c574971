/** What it costs to show one more chunk, by how much of the turn was shown before. */
import process from "node:process";
import { type EventBody, type LogEvent, reduceTurnView, type TurnView } from "@acp-kit/router";
import { renderer } from "../src/renderer/index.ts";

const ROUNDS = 7;
const CHUNKS = 200;

const call = (id: string): EventBody[] => [
  { kind: "tool-start", id, title: id, toolKind: "read", status: "pending", content: [] },
  {
    kind: "tool-update",
    id,
    status: "completed",
    content: [{ kind: "text", text: `$ cat ${id}\nline\nline` }],
  },
];

/** Turns by what they consist of, with tools and details shown or not. */
const turns = {
  "hidden tools": { step: (n: number) => call(`call ${n}`), tools: false },
  "tools with details": { step: (n: number) => call(`call ${n}`), tools: true },
  "one long text": {
    step: (n: number): EventBody[] => [
      { kind: "text", text: `A line of the answer, the ${n}th.\n` },
    ],
    tools: true,
  },
};

/** µs of CPU for each of the last chunks of a turn that has so many steps before them. */
function measure(step: (n: number) => EventBody[], steps: number, tools: boolean): number {
  const show = { thoughts: false, plan: true, tools, toolDetails: tools };
  const bodies = Array.from({ length: steps }, (_, n) => step(n)).flat();
  const events = bodies.map((body, n): LogEvent => ({ ...body, seq: n + 1, at: n, turn: "t" }));
  const start = events.reduce<TurnView | undefined>(reduceTurnView, undefined);
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const memo = {};
    let view = start;
    let shown = 0;
    if (view) renderer.render(view, { show, now: 0, memo });
    const before = process.cpuUsage();
    for (let n = 0; n < CHUNKS; n++) {
      view = reduceTurnView(view, { kind: "text", text: "word ", seq: 1e9 + n, at: n, turn: "t" });
      const last = renderer.render(view, { show, now: 0, memo }).parts.at(-1) ?? "";
      shown += last.length;
    }
    const { user, system } = process.cpuUsage(before);
    if (!(shown > 0)) throw new Error("nothing was shown");
    // The first round warms up.
    if (round >= 0) times.push((user + system) / CHUNKS);
  }
  return Math.min(...times);
}

/** One line per kind of turn: a chunk behind a short turn, and one behind a turn of twenty times that. */
export function benchRendering(): readonly object[] {
  return Object.entries(turns).map(([name, { step, tools }]) => {
    const short = measure(step, 500, tools);
    const long = measure(step, 10_000, tools);
    return {
      measure: `rendering one more chunk, ${name}`,
      unit: "µs of CPU per chunk",
      steps: [500, 10_000],
      short: Math.round(short * 100) / 100,
      long: Math.round(long * 100) / 100,
      ratio: Math.round((100 * long) / short) / 100,
    };
  });
}
