import { formatEvent, type KnownEvent, parseEvent, parseEventValue } from "../src/index.ts";
import { parseEventBySchema } from "../src/parse.ts";

const EVENTS = 100_000;
const SLICE = 1_000;
const ROUNDS = 15;
const at = "2026-08-11T12:00:00.123456789Z";
const zero = "0001-01-01T00:00:00Z";
const envelope = { session_id: "19ff0b19e000000abcd", at };

/**
 * One turn as a daemon sends it: mostly deltas, a tool call with its progress every so often, and
 * every kind of event that is not frequent at least now and then.
 */
function eventAt(index: number): KnownEvent {
  const seq = index + 1;
  const step = index % 100;
  const turn = { turn_id: "t1" };
  const call = { tool_call_id: `call_${Math.floor(index / 50)}` };
  if (step === 10 || step === 60) {
    const input = {
      path: "src/reader.ts",
      old_string: "a\n".repeat(20),
      new_string: "b\n".repeat(20),
    };
    return {
      ...envelope,
      seq,
      type: "tool.requested",
      payload: { ...turn, ...call, name: "edit", input },
    };
  }
  if (step === 14 || step === 64) {
    const payload = {
      ...call,
      ok: true,
      output: "line of output\n".repeat(20),
      truncated: false,
      added: 20,
      removed: 20,
      duration_ms: 41,
      started_at: at,
      finished_at: at,
      diff: "@@ -1,1 +1,1 @@ a\n-a\n+b\n",
    };
    return { ...envelope, seq, type: "tool.completed", payload };
  }
  if ((step > 4 && step < 10) || (step > 10 && step < 14)) {
    return {
      ...envelope,
      seq,
      type: "progress",
      payload: { ...turn, ...call, name: "edit", kind: "arguments", done: step * 512 },
    };
  }
  if (step < 5)
    return {
      ...envelope,
      seq,
      type: "message.reasoning",
      payload: { ...turn, text: "Look at the " },
    };
  if (step === 99) {
    switch (Math.floor(index / 100) % 5) {
      case 0:
        return {
          ...envelope,
          seq,
          type: "turn.started",
          payload: { ...turn, text: "Please fix the reader." },
        };
      case 1:
        return {
          ...envelope,
          seq,
          type: "turn.completed",
          payload: {
            ...turn,
            reason: "done",
            usage: { input_tokens: 48_000, output_tokens: 512, context_tokens: 6_100 },
          },
        };
      case 2:
        return {
          ...envelope,
          seq,
          type: "tool.approval_required",
          payload: {
            ...turn,
            ...call,
            approval_id: "t1-0",
            tool: "bash",
            command: "npm install",
            boundary_crossed: "network",
            expires_at: zero,
          },
        };
      case 3:
        return {
          ...envelope,
          seq,
          type: "plan.updated",
          payload: {
            items: [
              { id: 1, text: "read", status: "done" },
              { id: 2, text: "write", status: "active" },
            ],
          },
        };
      default:
        return {
          ...envelope,
          seq,
          type: "tool.approval_resolved",
          payload: { approval_id: "t1-0", decision: "allow" },
        };
    }
  }
  const text = step % 4 === 0 ? '` << "x" >>\n' : " a few words";
  return { ...envelope, seq, type: "message.delta", payload: { ...turn, text } };
}

const lines = Array.from({ length: EVENTS }, (_, index) => formatEvent(eventAt(index)));
const values = lines.map((line) => JSON.parse(line) as unknown);
let sink = 0;

const tasks = {
  jsonParse: (index: number) => {
    if (JSON.parse(lines[index] as string) !== null) sink += 1;
  },
  parseEvent: (index: number) => {
    sink += parseEvent(lines[index] as string).seq;
  },
  validate: (index: number) => {
    sink += parseEventValue(values[index]).seq;
  },
  validateByZod: (index: number) => {
    sink += parseEventBySchema(values[index]).seq;
  },
};
type Task = keyof typeof tasks;
const names = Object.keys(tasks) as Task[];

/** Each task gets its own copy of the loop, so that the compiler inlines the task into it. */
const loops = Object.fromEntries(
  names.map((name) => [
    name,
    new Function("task", "from", "to", "for (let i = from; i < to; i += 1) task(i);"),
  ]),
) as Record<Task, (task: (index: number) => void, from: number, to: number) => void>;

// A slice at a time, the tasks in turn, the best of all rounds for each slice: what else the machine
// does falls on all of them alike, and mostly on none.
const bestMs = {} as Record<Task, number>;
for (const name of names) bestMs[name] = 0;
for (let from = 0; from < EVENTS; from += SLICE) {
  const best = {} as Record<Task, number>;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) {
      const start = process.hrtime.bigint();
      loops[name](tasks[name], from, from + SLICE);
      const took = Number(process.hrtime.bigint() - start) / 1e6;
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, took);
    }
  }
  for (const name of names) bestMs[name] += best[name];
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const decodeToJsonParse = round(bestMs.parseEvent / bestMs.jsonParse);
const validateToZod = round(bestMs.validate / bestMs.validateByZod);
process.stdout.write(
  `${JSON.stringify(
    {
      events: EVENTS,
      bytes: lines.reduce((sum, line) => sum + line.length, 0),
      ms: Object.fromEntries(names.map((name) => [name, round(bestMs[name])])),
      ratios: { decodeToJsonParse, validateToZod },
      limits: { decodeToJsonParse: 1.25, validateToZod: 0.5 },
      within: decodeToJsonParse <= 1.25 && validateToZod <= 0.5,
      sink,
    },
    null,
    2,
  )}\n`,
);
