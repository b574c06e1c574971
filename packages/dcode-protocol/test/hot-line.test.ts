import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readHotLine } from "../src/hot-line.ts";
import { formatEvent, type KnownEvent, parseEvent } from "../src/index.ts";
import { parseEventBySchema } from "../src/parse.ts";
import { hotEvent, spoiltEvent, time } from "./arbitraries.ts";
import { textOf, vectors } from "./vectors.ts";

/** Whether a text is an event, and which: by JSON.parse and the schemas alone. */
function reference(json: string): unknown {
  try {
    return parseEventBySchema(JSON.parse(json));
  } catch {
    return "refused";
  }
}

function actual(json: string): unknown {
  try {
    return parseEvent(json);
  } catch {
    return "refused";
  }
}

const fragment = fc
  .record({
    seq: fc.oneof({ weight: 4, arbitrary: fc.nat() }, fc.maxSafeNat()),
    session_id: fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[0-9a-f]{19}$/) },
      fc.string(),
    ),
    type: fc.constantFrom("message.delta" as const, "message.reasoning" as const),
    at: time,
    payload: fc.record({
      turn_id: fc.oneof({ weight: 4, arbitrary: fc.stringMatching(/^[tx][1-9]$/) }, fc.string()),
      text: fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom('a\n\t"b"\\', "\u0000\u001f\u2028\ud800"),
      ),
    }),
  })
  .map((event) => formatEvent(event));

describe("a text gives the same event as JSON.parse and the schemas, or is refused by both", () => {
  test("for a message fragment in the daemon's layout, which is mostly read without JSON.parse", {
    timeout: 30_000,
  }, () => {
    let hot = 0;
    let all = 0;
    fc.assert(
      fc.property(fragment, (json) => {
        all += 1;
        if (readHotLine(json)) hot += 1;
        expect(actual(json)).toStrictEqual(reference(json));
      }),
      { numRuns: 500 },
    );
    expect(hot).toBeGreaterThan(all / 2);
  });

  test("for such a line with a few characters changed", { timeout: 30_000 }, () => {
    let hot = 0;
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      put: fc.oneof(
        fc.constantFrom(
          '"',
          "\\",
          "\\x",
          "\\u12",
          "\n",
          "{}",
          ",",
          "0",
          "99",
          '","text":"',
          "",
          '"}}',
          "\u2028",
        ),
        fc.string({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(fragment, fc.array(edit, { minLength: 1, maxLength: 2 }), (line, edits) => {
        let json = line;
        for (const { at, cut, put } of edits) {
          const index = at % (json.length + 1);
          json = json.slice(0, index) + put + json.slice(index + cut);
        }
        if (readHotLine(json)) hot += 1;
        expect(actual(json)).toStrictEqual(reference(json));
      }),
      { numRuns: 2000 },
    );
    expect(hot).toBeGreaterThan(100);
  });

  test("for every other event", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(fc.oneof(hotEvent, spoiltEvent), fc.nat(3), (event, indent) => {
        const json = JSON.stringify(event, null, indent);
        expect(actual(json)).toStrictEqual(reference(json));
      }),
      { numRuns: 500 },
    );
  });

  test.each([...vectors.events, ...vectors.rejected_events])("for the vector $id", (entry) => {
    expect(actual(textOf(entry))).toStrictEqual(reference(textOf(entry)));
  });
});

test.each([
  ["a day that its month does not have", "2026-02-29T12:00:00Z"],
  ["a day 31 of a short month", "2026-04-31T12:00:00Z"],
])("a fragment with %s is refused", (_, at) => {
  const event = {
    seq: 1,
    session_id: "s",
    type: "message.delta",
    at,
    payload: { turn_id: "t", text: "x" },
  };
  expect(actual(JSON.stringify(event))).toBe("refused");
});

test("a fragment of any size is read", () => {
  const event: KnownEvent = {
    seq: 1,
    session_id: "s",
    type: "message.delta",
    at: "2026-08-11T12:00:00Z",
    payload: { turn_id: "t1", text: '<"\\>\n'.repeat(2_000_000) },
  };
  expect(parseEvent(formatEvent(event))).toStrictEqual(event);
});
