import { describe, expect, test } from "vitest";
import { asError, ProtocolError, parseBody, parseEvent, sessionSchema } from "../src/index.ts";

const coded = () => new ProtocolError("no_active_turn", "nothing runs");

describe("asError finds a ProtocolError", () => {
  test("itself", () => {
    const error = coded();
    expect(asError(error)).toBe(error);
  });

  test("behind any number of causes", () => {
    const error = coded();
    let thrown: unknown = error;
    for (let depth = 0; depth < 20_000; depth += 1) thrown = new Error("outer", { cause: thrown });
    expect(asError(thrown)).toBe(error);
  });

  test("among the members of an aggregate, depth first, the first of them", () => {
    const first = coded();
    const later = coded();
    const inner = new AggregateError([new Error("plain"), new Error("outer", { cause: first })]);
    expect(asError(new AggregateError([new Error("plain"), inner, later]))).toBe(first);
  });

  test("in a cause before the members", () => {
    const cause = coded();
    expect(asError(new AggregateError([coded()], "both", { cause }))).toBe(cause);
  });

  test("behind a cycle", () => {
    const error = coded();
    const loop: Error = new Error("loop");
    loop.cause = new AggregateError([loop, error], "round and round");
    expect(asError(loop)).toBe(error);
  });
});

describe("asError finds none", () => {
  const cycle = new Error("cycle");
  cycle.cause = cycle;
  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a string", "internal"],
    ["a plain error", new Error("internal")],
    [
      "an object of the same shape",
      { name: "ProtocolError", code: "internal", message: "x", text: "x" },
    ],
    ["a cause of the same shape", new Error("x", { cause: { code: "internal", message: "x" } })],
    ["a cycle", cycle],
    ["an empty aggregate", new AggregateError([])],
  ])("in %s", (_, thrown) => {
    expect(asError(thrown)).toBeUndefined();
  });
});

test("a ProtocolError is written as the wire's body", () => {
  expect(JSON.stringify(coded())).toBe('{"code":"no_active_turn","message":"nothing runs"}');
});

test("what is refused is named by type and field, and never quoted", () => {
  const secret = "sk-very-secret";
  const refused = (action: () => unknown) => {
    try {
      action();
      return "accepted";
    } catch (error) {
      return String((error as ProtocolError).text);
    }
  };
  const texts = [
    refused(() => parseEvent(`{"seq":1,"text":"${secret}`)),
    refused(() =>
      parseEvent(
        JSON.stringify({ seq: secret, session_id: "", type: "x", at: "x", payload: null }),
      ),
    ),
    refused(() =>
      parseEvent(
        `{"seq":1,"session_id":"","type":"plan.updated","at":"2026-08-11T12:00:00Z","payload":{"items":[{"id":"${secret}","text":"","status":""}]}}`,
      ),
    ),
    refused(() => parseBody(sessionSchema, { id: "x", created_at: secret })),
  ];
  expect(texts.join("\n")).not.toContain(secret);
  expect(texts[1]).toMatch(/^Event: seq: /);
  expect(texts[2]).toMatch(/^Event plan\.updated: payload\.items\.0\.id: /);
  expect(texts[3]).toMatch(/^Session: state: /);
});
