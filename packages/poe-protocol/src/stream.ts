import { PoeProtocolError, type PoeProtocolErrorCode } from "./errors.ts";
import {
  type ContentEvent,
  type DoneEvent,
  type ErrorEvent,
  formatEventData,
  isEventName,
  type MetaEvent,
  type PoeComment,
  type PoeEvent,
} from "./events.ts";

/**
 * Where a response stands: nothing but comments yet, `meta` sent, something to show sent, `error`
 * sent, `done` sent.
 */
export type StreamState = "start" | "open" | "answered" | "failed" | "done";

/** The bytes of one event as text (empty: nothing to write), and the state behind it. */
export type Encoded<State extends StreamState> = { frame: string; state: State };

/**
 * Next frame of a response. Pure: keep the returned state and pass it with the next event. The
 * overloads are the order that Poe demands, and the same order is checked at run time, where
 * nothing of a refused event is written.
 *
 * An empty `text` gives an empty frame and does not count as an answer.
 *
 * @throws PoeProtocolError `meta-first`, `meta-once`, `after-error`, `after-done`, `no-output`,
 * `unknown-event`, `bad-data`
 */
export function encodePoeEvent(state: "start", event: MetaEvent): Encoded<"open">;
export function encodePoeEvent(state: "start", event: PoeComment): Encoded<"start">;
export function encodePoeEvent(
  state: "open" | "answered",
  event: ContentEvent | PoeComment,
): Encoded<"open" | "answered">;
export function encodePoeEvent(state: "open" | "answered", event: ErrorEvent): Encoded<"failed">;
export function encodePoeEvent(
  state: "open" | "answered" | "failed",
  event: DoneEvent,
): Encoded<"done">;
export function encodePoeEvent(
  state: StreamState,
  input: PoeEvent | PoeComment,
): Encoded<StreamState> {
  if ("comment" in input) {
    const code = findDisorder(state, "comment");
    if (code !== undefined) throw outOfOrder(state, "a comment", code);
    return { frame: formatComment(input.comment), state };
  }
  const { event, data } = input;
  const code = findDisorder(state, event);
  if (code !== undefined) throw outOfOrder(state, JSON.stringify(event), code);
  const json = formatEventData(event, data);
  if (event === "text" && data.text === "") return { frame: "", state };
  return { frame: `event: ${event}\ndata: ${json}\n\n`, state: nextState(state, event) };
}

/** @throws PoeProtocolError `done-missing`: Poe would report that the bot just went away. */
export function assertDone(state: StreamState): asserts state is "done" {
  if (state === "done") return;
  throw new PoeProtocolError(`Poe response ended in state "${state}", without done`, {
    code: "done-missing",
  });
}

function findDisorder(
  state: StreamState,
  event: PoeEvent["event"] | "comment",
): PoeProtocolErrorCode | undefined {
  if (state === "done") return "after-done";
  if (state === "failed") return event === "done" ? undefined : "after-error";
  if (event === "comment") return undefined;
  if (!isEventName(event)) return "unknown-event";
  if (event === "meta") return state === "start" ? undefined : "meta-once";
  if (state === "start") return "meta-first";
  if (event === "done" && state === "open") return "no-output";
  return undefined;
}

function nextState(state: StreamState, event: PoeEvent["event"]): StreamState {
  switch (event) {
    case "meta":
      return "open";
    case "text":
    case "replace_response":
      return "answered";
    case "error":
      return "failed";
    case "done":
      return "done";
    case "suggested_reply":
    case "file":
    case "data":
    case "json":
      return state;
  }
}

function formatComment(text: string): string {
  if (typeof text !== "string" || /[\r\n]/.test(text)) {
    throw new PoeProtocolError("A comment is one line of text", { code: "bad-data" });
  }
  return `: ${text}\n\n`;
}

function outOfOrder(state: StreamState, what: string, code: PoeProtocolErrorCode) {
  return new PoeProtocolError(`Poe response in state "${state}" cannot take ${what} (${code})`, {
    code,
  });
}
