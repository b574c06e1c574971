import { readFileSync } from "node:fs";
import {
  approvalGrants,
  type KnownEvent,
  parseBody,
  parseEvent,
  sessionSchema,
} from "@acp-kit/dcode-protocol";
import { describe, expect, test } from "vitest";
import {
  createSessionState,
  reduceSession,
  type SessionState,
  type SessionStep,
} from "../src/index.ts";

type Sequence = { id: string; events: { seq: number }[]; expect: Record<string, unknown> };
const { sequences } = JSON.parse(
  readFileSync(new URL("vectors/dcode-events.json", import.meta.url), "utf8"),
) as { sequences: Sequence[] };

const fresh = (lastSeq = 0) =>
  createSessionState(
    parseBody(sessionSchema, {
      id: "s",
      state: "idle",
      workspace: "/w",
      model: "m",
      sandbox_mode: "workspace-write",
      mode: "assist",
      created_at: "2026-08-11T12:00:00Z",
      last_seq: lastSeq,
    }),
  );

type Seen = SessionStep & { event: KnownEvent };

function follow(events: readonly unknown[], state: SessionState = fresh()): Seen[] {
  const steps: Seen[] = [];
  for (const value of events) {
    const event = parseEvent(JSON.stringify(value)) as KnownEvent;
    const step = reduceSession(steps.at(-1)?.state ?? state, event);
    steps.push({ ...step, event });
  }
  return steps;
}

function sequence(id: string): Sequence {
  const found = sequences.find((each) => each.id === id);
  if (!found) throw new Error(`no sequence ${id}`);
  return found;
}

/** Results of tools under the request that they belong to. */
function toolsOf(steps: readonly Seen[]) {
  return steps.flatMap(({ event, call }) =>
    event.type === "tool.completed" && call
      ? [{ seq: call.requestedAt, name: call.name, output: event.payload.output }]
      : [],
  );
}

test("T14: two turns with one id are two turns", () => {
  const { events, expect: outcome } = sequence("turn-id-comes-again");
  const turns = new Map<number, { start_seq: number; end_seq?: number; text: string }>();
  for (const { event, turn } of follow(events)) {
    if (!turn) continue;
    const entry = turns.get(turn.seq) ?? { start_seq: turn.seq, text: "" };
    if (event.type === "message.delta") entry.text += event.payload.text;
    if (event.type === "turn.completed") entry.end_seq = event.seq;
    turns.set(turn.seq, entry);
  }
  expect([...turns.values()]).toEqual(outcome["turns"]);
});

test("T15: an approval id that comes again is another approval", () => {
  const { events, expect: outcome } = sequence("approval-id-comes-again");
  const resolved = follow(events).flatMap(({ event, approval }) =>
    event.type === "tool.approval_resolved" && approval
      ? [
          {
            seq: approval.seq,
            tool_call_id: approval.request.tool_call_id,
            decision: event.payload.decision,
            grants: approvalGrants(event.payload.decision),
          },
        ]
      : [],
  );
  expect(resolved).toEqual(outcome["approvals"]);
});

describe("T16: a tool call id", () => {
  test("that comes again is another call", () => {
    const { events, expect: outcome } = sequence("tool-call-id-comes-again");
    expect(toolsOf(follow(events))).toEqual(outcome["tools"]);
  });

  test("is known before the request, when its arguments arrive", () => {
    const { events, expect: outcome } = sequence("arguments-before-request");
    const steps = follow(events);
    expect(toolsOf(steps)).toEqual(outcome["tools"]);
    expect(new Set(steps.flatMap(({ call }) => call?.seq ?? []))).toEqual(
      new Set([outcome["first_seen_seq"]]),
    );
  });

  test("whose call never completed ends that one when it comes again", () => {
    const { events } = sequence("tool-call-id-comes-again");
    const [started, first, , again, result] = events as KnownEvent[];
    const steps = follow([started, first, again, result]);
    expect(steps.map(({ ended }) => ended.map((call) => call.seq))).toEqual([[], [], [2], []]);
    expect(toolsOf(steps)).toEqual([{ seq: 4, name: "grep", output: "second" }]);
  });
});

describe("T17: a call", () => {
  test("that never completes ends with its turn", () => {
    const { events, expect: outcome } = sequence("tool-never-completes");
    const steps = follow(events);
    expect(steps.at(-1)?.ended.map((call) => call.id)).toEqual(outcome["open_tools_at_end"]);
    expect(steps.at(-1)?.state).toMatchObject({ calls: [], approvals: [] });
  });

  test("ends in the order in which calls were first seen, not in that of their requests", () => {
    const call = (seq: number, type: string, more: object) => ({
      ...{ seq, session_id: "s1", type, at: "2026-08-11T12:00:00Z" },
      payload: { turn_id: "t1", ...more },
    });
    const arriving = { kind: "arguments", done: 0, name: "bash" };
    const steps = follow([
      call(1, "turn.started", {}),
      call(2, "progress", { ...arriving, tool_call_id: "b" }),
      call(3, "tool.requested", { tool_call_id: "a", name: "read", input: null }),
      call(4, "tool.requested", { tool_call_id: "b", name: "bash", input: null }),
      call(5, "turn.completed", { reason: "done" }),
    ]);
    expect(steps.at(-1)?.ended.map(({ seq, id }) => `${seq} ${id}`)).toEqual(["2 b", "3 a"]);
  });

  test("that completes without a request belongs to none", () => {
    const { events, expect: outcome } = sequence("completed-without-request");
    const orphans = follow(events).flatMap(({ event, call }) =>
      event.type === "tool.completed" && !call ? [event.payload.tool_call_id] : [],
    );
    expect(orphans).toEqual(outcome["orphan_results"]);
  });
});

test("T22: session.created says less than the answer that created the session", () => {
  const { events } = sequence("carried-events");
  const [created] = follow(events.slice(0, 1), fresh(7));
  expect(created).toMatchObject({ event: { payload: { last_seq: 0 } }, state: { historyEnd: 7 } });
});

test("T23: what was carried over sets no mode and no error, and answers nothing", () => {
  const { events, expect: outcome } = sequence("carried-events");
  const steps = follow(events, fresh(outcome["carried_up_to_seq"] as number));
  const orphans = steps.flatMap(({ event, approval }) =>
    event.type === "tool.approval_resolved" && !approval ? [event.payload.approval_id] : [],
  );
  expect(steps.every(({ history }) => history)).toBe(true);
  expect(orphans).toEqual(outcome["orphan_resolutions"]);
  expect(steps.at(-1)?.state).toMatchObject({ mode: outcome["current_mode"] });
  expect(steps.at(-1)?.state.error ?? null).toBe(outcome["current_error"]);
});

test("T25: a record file with a seq twice and a gap is followed to its end", () => {
  const { events, expect: outcome } = sequence("record-file-duplicate-and-gap");
  const steps = follow(events);
  expect(steps.map(({ event }) => event.seq)).toEqual(outcome["seqs"]);
  expect(steps.at(-1)?.state).toMatchObject({ position: 9, name: "x" });
});

test("an unknown event moves the position and nothing else", () => {
  const { events, expect: outcome } = sequence("unknown-event-moves-position");
  const steps = follow(events);
  const text = steps
    .map(({ event }) => (event.type === "message.delta" ? event.payload.text : ""))
    .join("");
  expect(steps.at(-1)?.state.position).toBe(outcome["position"]);
  expect(text).toBe(outcome["text"]);
});

test("every sequence of the vectors has its test here", () => {
  expect(sequences.map(({ id }) => id).sort()).toEqual([
    "approval-id-comes-again",
    "arguments-before-request",
    "carried-events",
    "completed-without-request",
    "record-file-duplicate-and-gap",
    "tool-call-id-comes-again",
    "tool-never-completes",
    "turn-id-comes-again",
    "unknown-event-moves-position",
  ]);
});

describe("live events", () => {
  const at = "2026-08-11T12:00:00Z";
  const event = (seq: number, type: string, payload: unknown) => ({
    seq,
    session_id: "s",
    type,
    at,
    payload,
  });

  test("set the mode; an old daemon's without a sandbox leaves the sandbox", () => {
    const [changed, old] = follow([
      event(1, "session.mode_changed", { mode: "auto", sandbox_mode: "full-access" }),
      event(2, "session.mode_changed", { mode: "plan" }),
    ]);
    expect(changed?.state).toMatchObject({ mode: "auto", sandboxMode: "full-access" });
    expect(old?.state).toMatchObject({ mode: "plan", sandboxMode: "full-access" });
  });

  test("keep an error until the next turn begins", () => {
    const steps = follow([
      event(1, "session.error", { code: "auth", message: "no key" }),
      event(2, "turn.completed", { turn_id: "t1", reason: "error" }),
      event(3, "turn.started", { turn_id: "t2" }),
    ]);
    expect(steps.map(({ state }) => state.error?.code)).toEqual(["auth", "auth", undefined]);
  });

  test("of a typed command belong to no turn", () => {
    const [, step] = follow([
      event(1, "turn.completed", { turn_id: "t1", reason: "done" }),
      event(2, "tool.requested", {
        turn_id: "x2",
        tool_call_id: "x2-1",
        name: "bash",
        input: {},
        typed: true,
      }),
    ]);
    expect(step?.call).toEqual({ seq: 2, id: "x2-1", name: "bash", requestedAt: 2 });
    expect(step).not.toHaveProperty("turn");
  });

  test("complete a batch in any order, each under its own request", () => {
    const result = (id: string) => ({ tool_call_id: id, ok: true, output: id, truncated: false });
    const steps = follow([
      event(1, "turn.started", { turn_id: "t1" }),
      event(2, "tool.requested", { turn_id: "t1", tool_call_id: "a", name: "read", input: {} }),
      event(3, "tool.requested", { turn_id: "t1", tool_call_id: "b", name: "grep", input: {} }),
      event(4, "progress", { turn_id: "t1", tool_call_id: "a", kind: "files", done: 25 }),
      event(5, "tool.completed", result("b")),
      event(6, "tool.completed", result("a")),
    ]);
    expect(steps[3]?.call?.seq).toBe(2);
    expect(toolsOf(steps)).toEqual([
      { seq: 3, name: "grep", output: "b" },
      { seq: 2, name: "read", output: "a" },
    ]);
  });

  test("do not change the state they are applied to", () => {
    const state = Object.freeze({
      ...fresh(),
      calls: Object.freeze([]),
      approvals: Object.freeze([]),
    });
    const before = structuredClone(state);
    follow(
      [event(1, "tool.requested", { turn_id: "t1", tool_call_id: "a", name: "read", input: {} })],
      state as unknown as SessionState,
    );
    expect(state).toEqual(before);
  });
});
