import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readHotEvent } from "../src/hot-event.ts";
import { parseEvent, parseEventValue } from "../src/index.ts";
import { parseEventBySchema } from "../src/parse.ts";
import { hotEvent, spoiltEvent } from "./arbitraries.ts";
import { jsonOf, textOf, vectors } from "./vectors.ts";

/** The event, or the text of the refusal. */
function outcome(read: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return { event: read(value) };
  } catch (error) {
    return { refused: String(error) };
  }
}

describe("the fast path and the schemas give the same", () => {
  test("for a valid event of a frequent kind, which the fast path takes", {
    timeout: 30_000,
  }, () => {
    fc.assert(
      fc.property(hotEvent, (event) => {
        expect(readHotEvent(event)).toBe(event);
        expect(parseEventBySchema(event)).toStrictEqual(event);
      }),
      { numRuns: 500 },
    );
  });

  test("for one that is spoilt", { timeout: 30_000 }, () => {
    let taken = 0;
    fc.assert(
      fc.property(spoiltEvent, (event) => {
        if (readHotEvent(event)) taken += 1;
        expect(outcome(parseEventValue, event)).toStrictEqual(outcome(parseEventBySchema, event));
      }),
      { numRuns: 1000 },
    );
    // Else the property would compare the schemas with themselves.
    expect(taken).toBeGreaterThan(100);
  });

  test("for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(outcome(parseEventValue, value)).toStrictEqual(outcome(parseEventBySchema, value));
      }),
    );
  });

  test.each([...vectors.events, ...vectors.rejected_events])("for the vector $id", (entry) => {
    const value = jsonOf(textOf(entry));
    expect(outcome(parseEventValue, value)).toStrictEqual(outcome(parseEventBySchema, value));
  });
});

test("an own key __proto__ is dropped, from the envelope and from the payload", () => {
  const event = parseEvent(
    '{"seq":1,"session_id":"s","type":"message.delta","at":"2026-08-11T12:00:00Z","__proto__":{"a":1},' +
      '"payload":{"turn_id":"t1","text":"x","__proto__":{"b":1}}}',
  );
  expect(Object.keys(event)).not.toContain("__proto__");
  expect(Object.keys(event.payload as object)).toEqual(["turn_id", "text"]);
});
