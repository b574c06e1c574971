import { describe, expect, test } from "vitest";
import {
  approvalGrants,
  type DcodeEvent,
  exitStatus,
  formatBody,
  formatEvent,
  isKnownEvent,
  type KnownEvent,
  parseBody,
  parseEvent,
  parseTime,
  sessionSchema,
  submitTurnRequestSchema,
  toolCompletedSchema,
  turnImageSchema,
  undoResultSchema,
  ZERO_TIME,
} from "../src/index.ts";
import { textOf, vectors } from "./vectors.ts";

/** The vectors that are tagged with a trap. */
function tagged(trap: string) {
  const accepted = vectors.events.filter((entry) => entry.traps?.includes(trap));
  const rejected = vectors.rejected_events.filter((entry) => entry.traps?.includes(trap));
  return { accepted, rejected };
}

function read(id: string): DcodeEvent {
  const entry = vectors.events.find((each) => each.id === id);
  if (!entry) throw new Error(`no vector ${id}`);
  return parseEvent(textOf(entry));
}

function readAs<Type extends KnownEvent["type"]>(id: string, type: Type) {
  const event = read(id);
  if (!isKnownEvent(event) || event.type !== type) throw new Error(`${id} is no ${type}`);
  return event.payload as Extract<KnownEvent, { type: Type }>["payload"];
}

const envelope = { seq: 1, session_id: "s", at: "2026-08-11T12:00:00Z" };

describe("T1: the zero time is no time, and is written where there is none", () => {
  test("reading", () => {
    expect(parseTime(ZERO_TIME)).toBeUndefined();
    expect(
      parseTime(readAs("session-resumed", "session.resumed").started_at as string),
    ).toBeUndefined();
  });
  test("writing", () => {
    const result = { tool_call_id: "c", ok: true, output: "", truncated: false };
    const written = JSON.parse(formatBody(toolCompletedSchema, result)) as Record<string, unknown>;
    expect(written).toMatchObject({ started_at: ZERO_TIME, finished_at: ZERO_TIME });
  });
});

test("T2: times keep their text, nanoseconds and offset included", () => {
  const { accepted } = tagged("T2");
  for (const entry of accepted) {
    const sent = JSON.parse(textOf(entry)) as { at: string };
    expect(parseEvent(textOf(entry)).at).toBe(sent.at);
  }
  expect(readAs("tool-completed-time-offset-west", "tool.completed").started_at).toMatch(/-03:00$/);
});

test("T3: an integer that the JSON parser has rounded is refused, never passed on", () => {
  const { rejected } = tagged("T3");
  expect(rejected.length).toBeGreaterThan(10);
  for (const entry of rejected)
    expect(() => parseEvent(textOf(entry)), entry.id).toThrow(/^invalid_input: /);
  expect(read("seq-largest-safe").seq).toBe(Number.MAX_SAFE_INTEGER);
});

test("T4: raw JSON may be anything, null and numbers beyond 2^53 included, and is not looked into", () => {
  const inputs = tagged("T4").accepted.map((entry) => parseEvent(textOf(entry)).payload);
  expect(inputs).toContain(null);
  expect(readAs("tool-requested-input-null", "tool.requested").input).toBeNull();
  expect(readAs("tool-requested-input-big-number", "tool.requested").input).toEqual({
    n: Number("12345678901234567890"),
    10: 1,
    2: 2,
  });
});

test("T5: escaped and raw characters are the same value, and writing does not escape HTML", () => {
  expect(readAs("delta-html-escapes", "message.delta").text).toBe("a <b> & c\u2028d");
  expect(readAs("delta-raw-characters", "message.delta").text).toBe("a <b> & c");
  expect(formatEvent(read("delta-html-escapes"))).toContain("a <b> & c\u2028d");
});

test("T6: a list that is null reads as empty", () => {
  expect(parseBody(undoResultSchema, { restored: null, refused: null })).toEqual({
    restored: [],
    refused: [],
  });
  expect(readAs("plan-updated-null", "plan.updated").items).toEqual([]);
});

describe("T7: absent and zero stay different", () => {
  test("usage: unknown, and known to be nothing", () => {
    expect(readAs("turn-completed-minimal", "turn.completed").usage).toBeUndefined();
    expect(readAs("turn-completed-zero-usage", "turn.completed").usage).toMatchObject({
      input_tokens: 0,
    });
  });
  test("exit 0 is has_exit without exit_code; without has_exit there is no exit status", () => {
    expect(exitStatus({ has_exit: true })).toBe(0);
    expect(exitStatus({ has_exit: true, exit_code: 2 })).toBe(2);
    expect(exitStatus({ exit_code: 2 })).toBeUndefined();
    expect(exitStatus({})).toBeUndefined();
  });
  test("a session: empty mode and no criteria are answers, an unknown window is absent, first_seq is 1", () => {
    const session = readAs("session-created-absent-and-zero", "session.created");
    expect(session).toMatchObject({ mode: "", done_criteria: 0, first_seq: 1 });
    expect(session).not.toHaveProperty("context_window");
  });
});

describe("T8: requests leave optional keys out", () => {
  test("on writing; an empty text is written", () => {
    expect(formatBody(submitTurnRequestSchema, { text: "", images: [] })).toBe('{"text":""}');
  });
  test("and null is tolerated on reading", () => {
    const request = parseBody(submitTurnRequestSchema, { text: "x", images: null });
    expect(request.images).toBeUndefined();
  });
  test("a turn that was submitted with an empty text starts without one", () => {
    expect(readAs("turn-started-no-text", "turn.started").text).toBeUndefined();
  });
});

test("T9: pictures are padded base64 of the standard alphabet, which Node's decoder does not insist on", () => {
  const picture = (data: string) => () =>
    parseBody(turnImageSchema, { media_type: "image/png", data });
  for (const data of ["aGVsbG8=", "aGVs\r\nbG8=", ""]) expect(picture(data)).not.toThrow();
  for (const data of ["aGVsbG8", "-_-_", "data:image/png;base64,aGVsbG8="]) {
    expect(Buffer.from(data, "base64").length).toBeGreaterThan(0);
    expect(picture(data)).toThrow("TurnImage: data: must be padded base64");
  }
  expect(picture("A".repeat(20_000_000))).not.toThrow();
});

describe("T10: unknown names and keys pass, and an unknown answer grants nothing", () => {
  test("an unknown event keeps its payload and its seq", () => {
    const event = read("unknown-type");
    expect(isKnownEvent(event)).toBe(false);
    expect(event).toMatchObject({
      seq: 95,
      type: "session.notice",
      payload: { code: "family_unmeasured" },
    });
  });
  test("a name that every object inherits is an unknown event too", () => {
    expect(isKnownEvent(read("inherited-type-name"))).toBe(false);
  });
  test("unknown keys are kept", () => {
    expect(read("unknown-envelope-key")).toMatchObject({ trace: "abc", payload: { lang: "en" } });
  });
  test.each(["ALLOW", "allow_forever", "", " allow", "yes"])("the answer %j", (decision) => {
    const event = parseEvent(
      JSON.stringify({
        ...envelope,
        type: "tool.approval_resolved",
        payload: { approval_id: "t1-0", decision },
      }),
    );
    expect(
      (event as Extract<KnownEvent, { type: "tool.approval_resolved" }>).payload.decision,
    ).toBe(decision);
    expect(approvalGrants(decision)).toBe(false);
  });
});

test("T11: stricter than the daemon: exact keys, one value; the last of two equal keys counts", () => {
  const { rejected } = tagged("T11");
  expect(rejected.map((entry) => entry.id)).toEqual(["key-case", "trailing-data"]);
  for (const entry of rejected)
    expect(() => parseEvent(textOf(entry)), entry.id).toThrow(/^invalid_input: /);
  expect(readAs("delta-duplicate-key", "message.delta").text).toBe("last");
});

test("T12: an event whose time was zeroed for comparison is read, its empty session id included", () => {
  expect(read("golden-zeroed")).toMatchObject({ session_id: "", at: ZERO_TIME });
});

test("T13: session ids are opaque", () => {
  const { id, ...rest } = readAs("session-created", "session.created");
  expect(id).toMatch(/^[0-9a-f]{19}$/);
  for (const other of ["01J4ZK3W9V8Q2M7N6P5R4T3S2A", "x", ""]) {
    expect(parseBody(sessionSchema, { ...rest, id: other }).id).toBe(other);
  }
});

test("T18: an approval without a deadline is not over", () => {
  const { expires_at: expiresAt } = readAs(
    "approval-required-zero-expiry",
    "tool.approval_required",
  );
  expect(parseTime(expiresAt)).toBeUndefined();
});

test("T19: from_seq and to_seq of a compaction are no event seqs: they may pass the event's own", () => {
  const event = read("compacted");
  expect(event.seq).toBeLessThan((event.payload as { to_seq: number }).to_seq);
});

test("T20: the context band is an ordinal, and its fraction may pass 1", () => {
  expect(readAs("context-band", "context.band")).toEqual({ band: 2, fraction: 0.64 });
  expect(readAs("context-band-over-one", "context.band").fraction).toBeGreaterThan(1);
});

test("T21: input tokens are a sum over rounds and may pass what the context holds", () => {
  const { usage } = readAs("turn-completed-full", "turn.completed");
  expect(usage?.input_tokens).toBeGreaterThan(usage?.context_tokens ?? 0);
  expect(usage).not.toHaveProperty("cache_write_tokens");
});

test("T22: the session in session.created has not counted that event", () => {
  expect(readAs("session-created", "session.created").last_seq).toBe(0);
});

test("T24: a command that failed is ok: the tool did run", () => {
  const result = readAs("tool-completed-exit-two", "tool.completed");
  expect([result.ok, exitStatus(result)]).toEqual([true, 2]);
});

test("T25: a record file may hold a seq twice and skip some: every line is read", () => {
  const record = vectors.sequences.find((entry) => entry.id === "record-file-duplicate-and-gap");
  const lines = record?.events.map((event) => JSON.stringify(event)) ?? [];
  expect(lines.map((line) => parseEvent(line).seq)).toEqual([1, 2, 2, 9]);
});
