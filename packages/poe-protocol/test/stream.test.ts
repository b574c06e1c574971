import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertDone,
  encodePoeEvent,
  KEEP_ALIVE,
  POE_ERROR_TYPES,
  type PoeComment,
  type PoeEvent,
  PoeProtocolError,
  PREAMBLE,
  type StreamState,
} from "../src/index.ts";
import { readVectors } from "./vectors.ts";

type Input = PoeEvent | PoeComment;
type Sequence = { id: string; events: Input[] };
type Valid = Sequence & { bytes?: string; bytes_any_of?: string[] };
type Refused = Sequence & { refuse_at: number | "end"; rule: string };

const vectors = readVectors<{ valid: Valid[]; refused: Refused[] }>("poe-sse.json");

/** Without the types, as a program that ignores them would call it. */
const encodeUntyped = encodePoeEvent as unknown as (
  state: StreamState,
  event: Input,
) => { frame: string; state: StreamState };

/** All frames of a sequence, or where it was refused and why. */
function encodeAll(events: readonly Input[]) {
  let state: StreamState = "start";
  let bytes = "";
  for (const [at, event] of events.entries()) {
    try {
      const encoded = encodeUntyped(state, event);
      state = encoded.state;
      bytes += encoded.frame;
    } catch (error) {
      if (!(error instanceof PoeProtocolError)) throw error;
      return { bytes, refusedAt: at, code: error.code };
    }
  }
  try {
    assertDone(state);
  } catch (error) {
    if (!(error instanceof PoeProtocolError)) throw error;
    return { bytes, refusedAt: "end", code: error.code };
  }
  return { bytes };
}

describe("golden vectors", () => {
  it.each(vectors.valid)("$id gives exactly its bytes", ({ events, bytes, bytes_any_of }) => {
    const encoded = encodeAll(events);
    expect(bytes_any_of ?? [bytes]).toContain(encoded.bytes);
    expect(encoded).not.toHaveProperty("refusedAt");
  });

  it.each(vectors.refused)("$id is refused: $rule", ({ events, refuse_at, rule }) => {
    const { bytes, refusedAt, code } = encodeAll(events);
    expect({ refusedAt, code }).toEqual({ refusedAt: refuse_at, code: rule });
    const before = refuse_at === "end" ? events : events.slice(0, refuse_at);
    expect(bytes, "nothing of the refused event is written").toBe(encodeAll(before).bytes);
  });
});

describe("frames", () => {
  it("the preamble fills 4 KiB and is one comment", () => {
    const { frame } = encodePoeEvent("start", PREAMBLE);
    expect(Buffer.byteLength(frame)).toBeGreaterThanOrEqual(4096);
    expect(frame).toMatch(/^: {4097}\n\n$/);
  });

  it("keys that the protocol does not have stay out of the data", () => {
    const event = { event: "text", data: { secret: 1, text: "x" } } as unknown as PoeEvent;
    expect(encodeUntyped("open", event).frame).toBe('event: text\ndata: {"text":"x"}\n\n');
  });

  it("the keys keep the protocol's order, however the data was built", () => {
    const { frame } = encodePoeEvent("open", {
      event: "error",
      data: { index: 1, error_type: "user_caused_error", text: "x", allow_retry: false },
    });
    expect(frame).toBe(
      'event: error\ndata: {"allow_retry":false,"text":"x","error_type":"user_caused_error","index":1}\n\n',
    );
  });

  it.each([
    ["a high half", "a\ud83d", "a\ufffd"],
    ["a low half", "\ude00b", "\ufffdb"],
    ["a whole pair", "\ud83d\ude00", "\ud83d\ude00"],
    ["the escape as a text", "\\ud83d", "\\ud83d"],
  ])("%s is written so that every JSON reader can encode it again", (_, text, read) => {
    const choices = [{ delta: { content: text } }];
    for (const event of [
      { event: "text", data: { text } },
      { event: "json", data: { choices } },
    ] as const) {
      const json = encodePoeEvent("open", event).frame.split("data: ")[1] ?? "";
      const data = JSON.parse(json);
      expect(data.text ?? data.choices[0].delta.content).toBe(read);
    }
  });

  it("a refusal names the event, the state and the code", () => {
    expect(() => encodeUntyped("failed", { event: "text", data: { text: "x" } })).toThrow(
      'Poe response in state "failed" cannot take "text" (after-error)',
    );
  });

  it("a message of a refusal never repeats what the agent said", () => {
    const event = { event: "text", data: { text: { secret: "s3cret" } } } as unknown as PoeEvent;
    expect(() => encodeUntyped("open", event)).toThrow(/^(?!.*s3cret)/);
  });
});

describe("laws", () => {
  it("an independent SSE parser reads back exactly the events, split anywhere", () => {
    fc.assert(
      fc.property(arbitraryResponse(), fc.array(fc.nat(400)), (events, cuts) => {
        const { bytes } = encodeAll(events);
        const shown = events.filter((event) => !isSilent(event));
        // JSON has no -0.
        expect(parseBack(bytes, cuts)).toEqual(JSON.parse(JSON.stringify(shown)));
      }),
    );
  });

  it("a sequence is accepted exactly when it follows the grammar of a response", () => {
    const kinds = {
      c: KEEP_ALIVE,
      m: { event: "meta", data: { content_type: "text/plain", suggested_replies: false } },
      t: { event: "text", data: { text: "x" } },
      z: { event: "text", data: { text: "" } },
      f: { event: "data", data: { metadata: "x" } },
      e: { event: "error", data: { allow_retry: true, text: "x" } },
      d: { event: "done", data: {} },
    } as const;
    const letter = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));
    const grammar = /^c*m[cfz]*(?:t[cfzt]*(?:ed|d)|ed)$/;
    const likely = fc
      .tuple(fc.array(letter, { maxLength: 2 }), fc.array(letter, { maxLength: 5 }))
      .map(([before, after]) => [...before, "m" as const, ...after, "d" as const]);
    fc.assert(
      fc.property(fc.oneof(fc.array(letter, { maxLength: 8 }), likely), (letters) => {
        const accepted = !("refusedAt" in encodeAll(letters.map((each) => kinds[each])));
        expect(accepted).toBe(grammar.test(letters.join("")));
      }),
      { numRuns: 2_000 },
    );
  });
});

function isSilent(event: Input): boolean {
  return "event" in event && event.event === "text" && event.data.text === "";
}

function parseBack(bytes: string, cuts: readonly number[]): Input[] {
  const events: Input[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event, data: JSON.parse(data) } as PoeEvent),
    onComment: (comment) => events.push({ comment }),
    onError: (error) => {
      throw error;
    },
  });
  let from = 0;
  for (const length of cuts) {
    parser.feed(bytes.slice(from, from + length));
    from += length;
  }
  parser.feed(bytes.slice(from));
  return events;
}

/** A whole legal response, in the shape that comes back: keys absent or explicit as written. */
function arbitraryResponse(): fc.Arbitrary<Input[]> {
  const text = fc.string({ unit: "binary" });
  const index = fc.option(fc.integer(), { nil: undefined, freq: 5 });
  const withIndex = <Data extends object>(data: fc.Arbitrary<Data>) =>
    fc.tuple(data, index).map(([all, at]) => (at === undefined ? all : { ...all, index: at }));
  const event = <Name extends string>(name: Name, data: fc.Arbitrary<object>) =>
    withIndex(data).map((all) => ({ event: name, data: all }) as unknown as Input);
  const comment = fc
    .string({ unit: "binary" })
    .map((line): PoeComment => ({ comment: line.replace(/[\r\n]/g, "") }));
  const meta = event(
    "meta",
    fc.record(
      {
        content_type: fc.constantFrom("text/markdown", "text/plain"),
        suggested_replies: fc.boolean(),
        refetch_settings: fc.boolean(),
      },
      { requiredKeys: ["content_type", "suggested_replies"] },
    ),
  );
  const content = fc.oneof(
    comment,
    event("text", fc.record({ text })),
    event("replace_response", fc.record({ text })),
    event("suggested_reply", fc.record({ text })),
    event("data", fc.record({ metadata: text })),
    event("json", fc.record({ choices: fc.array(fc.dictionary(text, fc.jsonValue())) })),
    event(
      "file",
      fc.record({
        url: text,
        content_type: text,
        name: text,
        inline_ref: fc.option(fc.string({ minLength: 1 })),
      }),
    ),
  );
  const answer = event("replace_response", fc.record({ text }));
  const error = event(
    "error",
    fc.record(
      {
        allow_retry: fc.boolean(),
        text,
        raw_response: text,
        error_type: fc.constantFrom(...POE_ERROR_TYPES),
      },
      { requiredKeys: ["allow_retry", "text"] },
    ),
  );
  const done = event("done", fc.constant({}));
  return fc
    .tuple(
      fc.array(comment, { maxLength: 2 }),
      meta,
      answer,
      fc.array(content),
      fc.option(error),
      done,
    )
    .map(([before, first, shown, middle, failed, last]) => [
      ...before,
      first,
      shown,
      ...middle,
      ...(failed === null ? [] : [failed]),
      last,
    ]);
}
