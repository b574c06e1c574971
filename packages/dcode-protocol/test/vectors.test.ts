import { describe, expect, test } from "vitest";
import type { z } from "zod";
import * as protocol from "../src/index.ts";
import {
  ApprovalDecision,
  approvalGrants,
  approvalRemembered,
  approvalValid,
  EventType,
  exitStatus,
  formatBody,
  formatEvent,
  httpStatus,
  Mode,
  PlanStatus,
  ProgressKind,
  ProtocolError,
  parseBody,
  parseEvent,
  parseTime,
  SessionState,
  StopReason,
  sessionStateValid,
  VERSION,
  validMode,
  WORKSPACE_DONE_DIR,
  ZERO_TIME,
} from "../src/index.ts";
import { schemas } from "./schemas.ts";
import { type Expectation, statusVectors, textOf, vectors } from "./vectors.ts";

function schemaOf(type: string): z.ZodType {
  const schema = schemas.get(type);
  if (!schema) throw new Error(`no schema for ${type}`);
  return schema;
}

function valueAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

/** What came, less what reading changes: null in an optional key is absent, a null list empty. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, content]) => content !== null));
}

function check(read: unknown, expectation: Expectation): void {
  const value = valueAt(read, expectation.path);
  if ("value" in expectation) expect(value).toEqual(expectation.value);
  if (expectation.absent) expect(value).toBeUndefined();
  if (expectation.no_time) expect(parseTime(value as string)).toBeUndefined();
  if (expectation.epoch_ms !== undefined) {
    expect(parseTime(value as string)).toBe(expectation.epoch_ms);
  }
  if (expectation.grants !== undefined) {
    expect(approvalGrants(value as string)).toBe(expectation.grants);
  }
  if (expectation.exit !== undefined) {
    expect(exitStatus(value as object) ?? null).toBe(expectation.exit);
  }
  if (expectation.accepted) expect(value).toBeDefined();
}

function refusal(action: () => unknown): ProtocolError {
  try {
    action();
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("every accepted event is read with all its keys", () => {
  test.each(vectors.events)("$id", (entry) => {
    const text = textOf(entry);
    const sent = JSON.parse(text) as { payload: unknown };
    const event = parseEvent(text);
    expect(event).toMatchObject({
      ...sent,
      payload: expect.anything() as unknown,
      ...(sent.payload === null && { payload: null }),
    });
    if (typeof sent.payload === "object" && sent.payload !== null) {
      expect(event.payload).toMatchObject(withoutNulls(sent.payload) as object);
    } else {
      expect(event.payload).toEqual(sent.payload);
    }
    for (const expectation of entry.expect ?? []) check(event, expectation);
  });
});

describe("every rejected event is refused as invalid_input", () => {
  test.each(vectors.rejected_events)("$id: $why", (entry) => {
    const error = refusal(() => parseEvent(textOf(entry)));
    expect(error.code).toBe("invalid_input");
    expect(error.text).toMatch(/^Event/);
  });
});

for (const [type, { accepted, rejected }] of Object.entries(vectors.types)) {
  const schema = schemaOf(type);
  describe(`${type} is read`, () => {
    test.each(accepted)("$id", (entry) => {
      const sent: unknown = JSON.parse(textOf(entry));
      const read = parseBody(schema, sent);
      if (Array.isArray(sent)) expect(read).toMatchObject(sent);
      else expect(read).toMatchObject(withoutNulls(sent) as object);
      for (const expectation of entry.expect ?? []) check(read, expectation);
    });
  });
  describe(`${type} is refused`, () => {
    test.each(rejected)("$id: $why", (entry) => {
      expect(refusal(() => parseBody(schema, JSON.parse(textOf(entry)))).code).toBe(
        "invalid_input",
      );
    });
  });
}

describe("what is written has the daemon's keys in the daemon's order", () => {
  test.each(vectors.writes)("$id", ({ type, value, json }) => {
    const text =
      type === "Event"
        ? formatEvent(value as protocol.DcodeEvent)
        : formatBody(schemaOf(type) as z.ZodObject, value as Record<string, unknown>);
    expect(text).toBe(json);
  });
});

describe("every event of a log is read", () => {
  test.each(vectors.sequences)("$id", ({ events, expect: outcome }) => {
    const read = events.map((event) => parseEvent(JSON.stringify(event)));
    expect(read.map((event) => event.seq)).toEqual(
      outcome["seqs"] ?? events.map((event) => (event as protocol.DcodeEvent).seq),
    );
  });
});

describe("the small functions", () => {
  test.each(vectors.functions.decision)("approval answer $input", (row) => {
    expect(approvalValid(row.input)).toBe(row.valid);
    expect(approvalRemembered(row.input)).toBe(row.remembered);
    expect(approvalGrants(row.input)).toBe(row.grants);
  });
  test.each(vectors.functions.session_state_valid)("session state $input", (row) => {
    expect(sessionStateValid(row.input)).toBe(row.expect);
  });
  test.each(vectors.functions.valid_mode)("mode $input", (row) => {
    expect(validMode(row.input)).toBe(row.expect);
  });
  test.each(vectors.functions.error_text)("error text $expect", ({ input, expect: text }) => {
    expect(new ProtocolError(input.code, input.message).message).toBe(text);
  });
  test.each(statusVectors.cases)("HTTP status of code $code", ({ code, status }) => {
    expect(httpStatus(code)).toBe(status);
    expect(new ProtocolError(code, "").status).toBe(status);
  });
});

test("the closed sets hold exactly the known names", () => {
  const { constants } = vectors;
  expect(Object.values(EventType)).toEqual(constants.event_types);
  expect(Object.values(Mode)).toEqual(constants.modes);
  expect(Object.values(PlanStatus)).toEqual(constants.plan_statuses);
  expect(Object.values(StopReason)).toEqual(constants.stop_reasons);
  expect(Object.values(ProgressKind)).toEqual(constants.progress_kinds);
  expect(Object.values(SessionState)).toEqual(constants.session_states);
  expect(Object.values(protocol.ErrorCode)).toEqual(Object.keys(statusVectors.codes));
  expect(Object.values(ApprovalDecision)).toEqual(
    vectors.functions.decision.filter((row) => row.valid).map((row) => row.input),
  );
  expect([VERSION, WORKSPACE_DONE_DIR, ZERO_TIME]).toEqual([
    constants.version,
    constants.workspace_done_dir,
    constants.zero_time,
  ]);
});
