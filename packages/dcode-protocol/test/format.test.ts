import fc from "fast-check";
import { expect, test } from "vitest";
import { formatBody, formatEvent, parseEvent, sessionSchema } from "../src/index.ts";
import { hotEvent } from "./arbitraries.ts";
import { textOf, vectors } from "./vectors.ts";

test.each(vectors.events)("what was read of $id and written again reads the same", (entry) => {
  const event = parseEvent(textOf(entry));
  const written = formatEvent(event);
  // A time that was absent comes back as the zero time, which is no time either.
  expect(parseEvent(written)).toEqual(event);
  expect(formatEvent(parseEvent(written))).toBe(written);
});

test("an event that was read and written reads the same, but for zeros that are left out", () => {
  fc.assert(
    fc.property(hotEvent, (value) => {
      const once = formatEvent(parseEvent(JSON.stringify(value)));
      expect(formatEvent(parseEvent(once))).toBe(once);
    }),
  );
});

test("keys that the schema does not declare are written last", () => {
  const session = {
    ...{ branch: "main", zone: 1 },
    id: "s",
    state: "idle",
    workspace: "/w",
    model: "m",
    sandbox_mode: "read-only",
    mode: "plan",
    created_at: "2026-08-11T12:00:00Z",
    last_seq: 3,
    first_seq: 2,
    done_criteria: 0,
  };
  expect(formatBody(sessionSchema, session)).toBe(
    '{"id":"s","state":"idle","workspace":"/w","model":"m","sandbox_mode":"read-only","mode":"plan",' +
      '"created_at":"2026-08-11T12:00:00Z","last_seq":3,"first_seq":2,"done_criteria":0,"branch":"main","zone":1}',
  );
});

test("an object without keys is not empty: usage and completion are written", () => {
  const event = parseEvent(
    '{"seq":1,"session_id":"","type":"turn.completed","at":"2026-08-11T12:00:00Z","payload":{"turn_id":"t1","reason":"done","completion":{"verification":""}}}',
  );
  expect(formatEvent(event)).toContain('"completion":{"verification":""}');
});
