import { EMPTY_BUDGET, type PoeBudget, reduceBudget } from "./budget.ts";
import type { ContentEvent, ErrorEvent, MetaEvent, PoeComment, PoeEvent } from "./events.ts";
import { encodePoeEvent, type StreamState } from "./stream.ts";

/** A response before `meta`. */
export type PoeOpening = {
  /** @returns itself, for `.send(PREAMBLE).meta()` */
  send(comment: PoeComment): PoeOpening;
  /** Default: Markdown, no suggested replies. */
  meta(data?: MetaEvent["data"]): PoeAnswer;
};

/** A response behind `meta`. Any call after `fail` or `done` is refused. */
export type PoeAnswer = {
  readonly state: StreamState;
  readonly budget: PoeBudget;
  text(text: string): void;
  replaceResponse(text: string): void;
  send(event: ContentEvent | PoeComment): void;
  /** `error`, and `done` in the same write: nothing may come between the two. */
  fail(error: ErrorEvent["data"]): void;
  /** @throws PoeProtocolError `no-output` when there was nothing to show */
  done(): void;
};

/**
 * Writes one response in the order that Poe demands: the types offer `meta` first, then content,
 * then one of the two ends. For a loop that waits for each write use `encodePoeEvent` itself.
 *
 * @param write - Gets whole frames as text, to be sent as UTF-8. Called synchronously.
 * @throws PoeProtocolError from every method, with the codes of `encodePoeEvent`
 */
export function createPoeWriter(write: (frame: string) => void): PoeOpening {
  let state: StreamState = "start";
  let budget = EMPTY_BUDGET;

  /** The types above stand for the order; the run-time check is what holds for stale objects. */
  const encode = (event: PoeEvent | PoeComment): string => {
    const encoded = (
      encodePoeEvent as (
        state: StreamState,
        event: PoeEvent | PoeComment,
      ) => {
        frame: string;
        state: StreamState;
      }
    )(state, event);
    state = encoded.state;
    budget = reduceBudget(budget, event);
    return encoded.frame;
  };
  const send = (event: PoeEvent | PoeComment): void => {
    const frame = encode(event);
    if (frame !== "") write(frame);
  };

  const answer: PoeAnswer = {
    get state() {
      return state;
    },
    get budget() {
      return budget;
    },
    text: (text) => send({ event: "text", data: { text } }),
    replaceResponse: (text) => send({ event: "replace_response", data: { text } }),
    send,
    fail: (data) => write(encode({ event: "error", data }) + encode({ event: "done", data: {} })),
    done: () => send({ event: "done", data: {} }),
  };
  const opening: PoeOpening = {
    send: (comment) => {
      send(comment);
      return opening;
    },
    meta: (data = { content_type: "text/markdown", suggested_replies: false }) => {
      send({ event: "meta", data });
      return answer;
    },
  };
  return opening;
}
