import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type ContentEvent,
  createPoeWriter,
  type DoneEvent,
  type ErrorEvent,
  encodePoeEvent,
  KEEP_ALIVE,
  type MetaEvent,
  type PoeEvent,
  type TextEvent,
} from "../src/index.ts";

const meta: MetaEvent = {
  event: "meta",
  data: { content_type: "text/markdown", suggested_replies: false },
};
const text: TextEvent = { event: "text", data: { text: "x" } };
const error: ErrorEvent = { event: "error", data: { allow_retry: true, text: "x" } };
const done: DoneEvent = { event: "done", data: {} };

/** Compiled, never called: each line marked so must not compile, and `tsc` fails when one does. */
export function wrongOrders(any: PoeEvent, content: ContentEvent) {
  // @ts-expect-error text before meta
  encodePoeEvent("start", text);
  // @ts-expect-error done before meta
  encodePoeEvent("start", done);
  // @ts-expect-error meta twice
  encodePoeEvent("open", meta);
  // @ts-expect-error meta after text
  encodePoeEvent("answered", meta);
  // @ts-expect-error text after error
  encodePoeEvent("failed", text);
  // @ts-expect-error error twice
  encodePoeEvent("failed", error);
  // @ts-expect-error a comment between error and done
  encodePoeEvent("failed", KEEP_ALIVE);
  // @ts-expect-error done twice
  encodePoeEvent("done", done);
  // @ts-expect-error a comment after done
  encodePoeEvent("done", KEEP_ALIVE);
  // @ts-expect-error an event that may be anything
  encodePoeEvent("open", any);
  // @ts-expect-error a state that may be before meta
  encodePoeEvent("open" as "start" | "open", content);
  // @ts-expect-error allow_retry left to a default
  encodePoeEvent("open", { event: "error", data: { text: "x" } });
  // @ts-expect-error an error type that Poe drops
  encodePoeEvent("open", { event: "error", data: { ...error.data, error_type: "agent_died" } });
  // @ts-expect-error an event that the protocol does not have
  encodePoeEvent("open", { event: "ping", data: {} });
  // @ts-expect-error a key that the event does not have
  encodePoeEvent("open", { event: "text", data: { text: "x", markdown: true } });
  const opening = createPoeWriter(() => {});
  // @ts-expect-error text before meta
  opening.text("x");
  // @ts-expect-error done before meta
  opening.done();
  const answer = opening.meta();
  // @ts-expect-error meta twice
  answer.meta();
  // @ts-expect-error content after the end: an end gives nothing to go on with
  answer.fail(error.data).text("x");
  // @ts-expect-error an error without its done
  answer.send(error);
}

describe("the types", () => {
  it("lead through a response in the order that Poe demands", () => {
    const opened = encodePoeEvent("start", meta);
    expectTypeOf(opened.state).toEqualTypeOf<"open">();
    const answered = encodePoeEvent(opened.state, text);
    expectTypeOf(answered.state).toEqualTypeOf<"open" | "answered">();
    const kept = encodePoeEvent(answered.state, KEEP_ALIVE);
    const failed = encodePoeEvent(kept.state, error);
    expectTypeOf(failed.state).toEqualTypeOf<"failed">();
    const ended = encodePoeEvent(failed.state, done);
    expectTypeOf(ended.state).toEqualTypeOf<"done">();
    expect([opened, answered, kept, failed, ended].map((step) => step.state)).toEqual([
      "open",
      "answered",
      "answered",
      "failed",
      "done",
    ]);
  });
});
