import type { CancelCause, TurnOutcome } from "./events.ts";

/** Where a turn is. `running` means that the agent has been sent the prompt. */
export type TurnState =
  | { readonly kind: "queued"; readonly since: number }
  | { readonly kind: "attaching"; readonly since: number }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "cancelling"; readonly cause: CancelCause; readonly deadline: number }
  | { readonly kind: "settled"; readonly outcome: TurnOutcome };

export type TurnEvent =
  | { readonly kind: "started"; readonly at: number }
  | { readonly kind: "attached"; readonly at: number }
  | { readonly kind: "cancelled"; readonly at: number; readonly cause: CancelCause }
  | { readonly kind: "deadline-passed"; readonly at: number }
  /** The agent answered the prompt. */
  | { readonly kind: "responded"; readonly at: number; readonly stopReason: string }
  /** The session could not be had, or the prompt was answered with an error. */
  | { readonly kind: "failed"; readonly at: number; readonly outcome: TurnOutcome };

/** What the owner of a turn has to do, in this order. */
export type TurnEffect =
  | { readonly kind: "attach" }
  | { readonly kind: "prompt" }
  /** Answer every open question `cancelled`. */
  | { readonly kind: "drop-questions" }
  | { readonly kind: "cancel-agent" }
  | { readonly kind: "wake-at"; readonly at: number }
  /** The agent did not come back from a cancel: its session must not be used again. */
  | { readonly kind: "abandon-session" }
  | { readonly kind: "end"; readonly outcome: TurnOutcome };

export type TurnStep = { readonly state: TurnState; readonly effects: readonly TurnEffect[] };

/** How long an agent may take to answer a cancelled prompt before its session is given up, in milliseconds. */
export const CANCEL_GRACE_MS = 10_000;

/**
 * Next state of a turn, and what to do about it. Pure: `event.at` is the only clock.
 *
 * A turn that was cancelled ends as cancelled whatever the agent answers; a settled turn stays as it is.
 */
export function reduceTurn(
  state: TurnState,
  event: TurnEvent,
  cancelGraceMs: number = CANCEL_GRACE_MS,
): TurnStep {
  if (state.kind === "settled") return { state, effects: [] };
  switch (event.kind) {
    case "started":
      return state.kind === "queued"
        ? { state: { kind: "attaching", since: event.at }, effects: [{ kind: "attach" }] }
        : { state, effects: [] };
    case "attached":
      return state.kind === "attaching"
        ? { state: { kind: "running", since: event.at }, effects: [{ kind: "prompt" }] }
        : { state, effects: [] };
    case "cancelled": {
      if (state.kind === "cancelling") return { state, effects: [] };
      const { cause, at } = event;
      if (state.kind !== "running") return settle({ kind: "cancelled", cause });
      const deadline = at + cancelGraceMs;
      return {
        state: { kind: "cancelling", cause, deadline },
        effects: [
          { kind: "drop-questions" },
          { kind: "cancel-agent" },
          { kind: "wake-at", at: deadline },
        ],
      };
    }
    case "deadline-passed":
      return state.kind === "cancelling" && event.at >= state.deadline
        ? settle({ kind: "cancelled", cause: state.cause }, [{ kind: "abandon-session" }])
        : { state, effects: [] };
    case "responded":
      if (state.kind === "cancelling") return settle({ kind: "cancelled", cause: state.cause });
      return settle({ kind: "completed", stopReason: event.stopReason });
    case "failed":
      if (state.kind === "cancelling") return settle({ kind: "cancelled", cause: state.cause });
      return settle(event.outcome);
  }
}

function settle(outcome: TurnOutcome, before: readonly TurnEffect[] = []): TurnStep {
  return {
    state: { kind: "settled", outcome },
    effects: [...before, { kind: "drop-questions" }, { kind: "end", outcome }],
  };
}
