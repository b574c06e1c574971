import type { ErrorEvent, FileEvent } from "@acp-kit/poe-protocol";
import type { ResponseLimits } from "./limits.ts";

/** What one response has put before its reader. */
export type Screen = {
  /** The part that stays. */
  readonly body: string;
  /** What stands behind the body for now, as it is on screen; absent when nothing does. */
  readonly tail?: string;
  /** When the newest tail was sent, and the newest one that was a mark. */
  readonly tailAt: number;
  readonly markAt: number;
  /** Set by `done` and `fail`: nothing is sent any more. */
  readonly ended: boolean;
};

export type ScreenStep =
  /** The whole body as it should stand now. */
  | { readonly kind: "body"; readonly body: string }
  /** The body as it stands, with this behind it. */
  | { readonly kind: "grow"; readonly added: string }
  /** The whole body, sent as a whole. */
  | { readonly kind: "replace"; readonly body: string }
  /** Text that a later step takes away again; `close` ends the body in front of it. */
  | { readonly kind: "tail"; readonly text: string; readonly close?: string; readonly at: number }
  /** A file beside the text: it changes nothing of it. */
  | { readonly kind: "file"; readonly file: FileEvent["data"] }
  | { readonly kind: "done" }
  /** `error`, and with it the end. */
  | { readonly kind: "fail"; readonly error: ErrorEvent["data"] };

/** One event of the response; `fail` is `error` and `done`. */
export type Frame =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "replace"; readonly text: string }
  | { readonly kind: "file"; readonly file: FileEvent["data"] }
  | { readonly kind: "done" }
  | { readonly kind: "fail"; readonly error: ErrorEvent["data"] };

type TailStep = Extract<ScreenStep, { kind: "tail" }>;

type Step = { readonly screen: Screen; readonly frames: readonly Frame[] };

export const EMPTY_SCREEN: Screen = {
  body: "",
  tailAt: Number.NEGATIVE_INFINITY,
  markAt: Number.NEGATIVE_INFINITY,
  ended: false,
};

/**
 * Next screen, and the frames that bring it about. Pure.
 *
 * A body that grows is sent as what was added, any other as a whole. A tail never outlives the next step: it is taken
 * away before text goes on and before the end, because the platform keeps the last state for good.
 */
export function reduceScreen(screen: Screen, step: ScreenStep, limits: ResponseLimits): Step {
  if (screen.ended) return { screen, frames: [] };
  switch (step.kind) {
    case "body":
      return step.body.startsWith(screen.body)
        ? growBody(screen, step.body.slice(screen.body.length))
        : replaceBody(screen, step.body);
    case "grow":
      return growBody(screen, step.added);
    case "replace":
      return replaceBody(screen, step.body);
    case "tail":
      return screen.body.length <= limits.shortBodyCharacters
        ? showSpinner(screen, step, limits)
        : showMark(screen, step, limits);
    case "file": {
      const { screen: bare, frames } = withoutTail(screen);
      return { screen: bare, frames: [...frames, step] };
    }
    case "done":
    case "fail": {
      const { screen: last, frames } = withoutTail(screen);
      const end: Frame = step.kind === "done" ? { kind: "done" } : step;
      return { screen: { ...last, ended: true }, frames: [...frames, end] };
    }
  }
}

function growBody(screen: Screen, added: string): Step {
  if (added === "") return { screen, frames: [] };
  const { screen: bare, frames } = withoutTail(screen);
  const body = screen.body + added;
  return { screen: { ...bare, body }, frames: [...frames, { kind: "text", text: added }] };
}

function replaceBody(screen: Screen, body: string): Step {
  const { tail: _, ...bare } = screen;
  return { screen: { ...bare, body }, frames: [{ kind: "replace", text: body }] };
}

/** The body is sent again with the tail behind it: while it is short, that is cheap and can be corrected. */
function showSpinner(
  screen: Screen,
  { text, close = "", at }: TailStep,
  limits: ResponseLimits,
): Step {
  const tail = screen.body === "" ? text : `${close}\n\n${text}`;
  const isRepeat = tail === screen.tail && at - screen.tailAt < limits.spinnerRepeatMs;
  if (isRepeat || text === "") return { screen, frames: [] };
  return {
    screen: { ...screen, tail, tailAt: at },
    frames: [{ kind: "replace", text: screen.body + tail }],
  };
}

/** The tail's first line is appended, now and then: what it costs does not depend on the body. */
function showMark(
  screen: Screen,
  { text, close = "", at }: TailStep,
  limits: ResponseLimits,
): Step {
  const line = text.split("\n", 1)[0] ?? "";
  if (line === "" || at - screen.markAt < limits.markMs) return { screen, frames: [] };
  const added = screen.tail === undefined ? `${close}\n\n${line}` : `\n${line}`;
  return {
    screen: { ...screen, tail: (screen.tail ?? "") + added, tailAt: at, markAt: at },
    frames: [{ kind: "text", text: added }],
  };
}

function withoutTail(screen: Screen): Step {
  if (screen.tail === undefined) return { screen, frames: [] };
  const { tail: _, ...bare } = screen;
  return { screen: bare, frames: [{ kind: "replace", text: screen.body }] };
}
