import type { CancelCause, TurnOutcome } from "./events.ts";

/** Who has to do the next thing in a running turn: the agent, a tool that it started, or a person who was asked. */
export type Awaited = "agent" | "tool" | "person";

/** Where a turn is. `running` means that the agent has been sent the prompt. */
export type TurnState =
  | { readonly kind: "queued"; readonly since: number }
  | { readonly kind: "attaching"; readonly since: number }
  | {
      readonly kind: "running";
      readonly since: number;
      readonly awaited: Awaited;
      /** When the last sign of life came. */
      readonly quietSince: number;
      /** This silence has been told. */
      readonly isStalled: boolean;
    }
  | { readonly kind: "cancelling"; readonly cause: CancelCause; readonly deadline: number }
  | { readonly kind: "settled"; readonly outcome: TurnOutcome };

/** What happens to a turn; `at` in milliseconds since the epoch. */
export type TurnEvent =
  | { readonly kind: "started"; readonly at: number }
  | { readonly kind: "attached"; readonly at: number }
  /** A sign of life, hidden kinds included; or a question was asked or answered. */
  | { readonly kind: "progressed"; readonly at: number; readonly awaited: Awaited }
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
  | { readonly kind: "tell-stalled"; readonly silentMs: number }
  /** Answer every open question `cancelled`. */
  | { readonly kind: "drop-questions" }
  | { readonly kind: "cancel-agent" }
  /** Takes the place of an earlier one. */
  | { readonly kind: "wake-at"; readonly at: number }
  /** The agent did not come back from a cancel: its session must not be used again. */
  | { readonly kind: "abandon-session" }
  | { readonly kind: "end"; readonly outcome: TurnOutcome };

/** The state behind an event, and what its owner has to do, in this order. */
export type TurnStep = { readonly state: TurnState; readonly effects: readonly TurnEffect[] };

/** The clocks of a turn, in milliseconds. They start with the prompt: waiting for a place or a session is nobody's silence. */
export type TurnLimits = {
  /** How long an agent may take to answer a cancelled prompt before its session is given up. */
  readonly cancelGraceMs: number;
  /** Silence that is told as a stall; while a tool call is open, and otherwise. A question that waits for a person stops this clock. */
  readonly stallMs: number;
  readonly toolStallMs: number;
  /** Silence that ends the turn, though never before it has been told. Default: none does. */
  readonly stallCeilingMs?: number;
  /** Time that ends the turn, whatever happens in it. Default: none does. */
  readonly turnCeilingMs?: number;
};

/** Ten seconds to come back from a cancel; two minutes of silence are a stall, a quarter of an hour under a tool call. */
export const DEFAULT_TURN_LIMITS: TurnLimits = {
  cancelGraceMs: 10_000,
  stallMs: 120_000,
  toolStallMs: 15 * 60_000,
};

/**
 * Next state of a turn, and what to do about it. Pure: `event.at` is the only clock.
 *
 * A turn that was cancelled ends as cancelled whatever the agent answers; a settled turn stays as it is.
 */
export function reduceTurn(
  state: TurnState,
  event: TurnEvent,
  limits: TurnLimits = DEFAULT_TURN_LIMITS,
): TurnStep {
  if (state.kind === "settled") return stay(state);
  switch (event.kind) {
    case "started":
      return state.kind === "queued"
        ? { state: { kind: "attaching", since: event.at }, effects: [{ kind: "attach" }] }
        : stay(state);
    case "attached": {
      if (state.kind !== "attaching") return stay(state);
      const since = event.at;
      const running: Running = {
        kind: "running",
        since,
        awaited: "agent",
        quietSince: since,
        isStalled: false,
      };
      return { state: running, effects: [{ kind: "prompt" }, ...wake(running, limits)] };
    }
    case "progressed": {
      if (state.kind !== "running") return stay(state);
      const { at, awaited } = event;
      const next: Running = { ...state, awaited, quietSince: at, isStalled: false };
      // Otherwise the clock that runs finds out by itself that it has to run on.
      const isOther = state.awaited !== awaited || state.isStalled;
      return { state: next, effects: isOther ? wake(next, limits) : [] };
    }
    case "cancelled":
      if (state.kind === "cancelling") return stay(state);
      if (state.kind !== "running") return settle({ kind: "cancelled", cause: event.cause });
      return cancel(event.cause, event.at, limits);
    case "deadline-passed":
      if (state.kind === "running") return look(state, event.at, limits);
      if (state.kind !== "cancelling") return stay(state);
      return event.at >= state.deadline
        ? settle({ kind: "cancelled", cause: state.cause }, [{ kind: "abandon-session" }])
        : { state, effects: [{ kind: "wake-at", at: state.deadline }] };
    case "responded":
      if (state.kind === "cancelling") return settle({ kind: "cancelled", cause: state.cause });
      return settle({ kind: "completed", stopReason: event.stopReason });
    case "failed":
      if (state.kind === "cancelling") return settle({ kind: "cancelled", cause: state.cause });
      return settle(event.outcome);
  }
}

type Running = Extract<TurnState, { kind: "running" }>;

/** What the clock says about a running turn. */
function look(state: Running, at: number, limits: TurnLimits): TurnStep {
  if (at >= turnCeilingAt(state, limits)) return cancel("limit", at, limits);
  if (at >= stallCeilingAt(state, limits)) return cancel("stalled", at, limits);
  if (state.isStalled || at < stallAt(state, limits))
    return { state, effects: wake(state, limits) };
  const stalled: Running = { ...state, isStalled: true };
  const silentMs = at - state.quietSince;
  return {
    state: stalled,
    effects: [{ kind: "tell-stalled", silentMs }, ...wake(stalled, limits)],
  };
}

/** When the clock has to be looked at next, if ever. */
function wake(state: Running, limits: TurnLimits): TurnEffect[] {
  const at = Math.min(
    state.isStalled ? Infinity : stallAt(state, limits),
    stallCeilingAt(state, limits),
    turnCeilingAt(state, limits),
  );
  return at === Infinity ? [] : [{ kind: "wake-at", at }];
}

function stallAt({ awaited, quietSince }: Running, limits: TurnLimits): number {
  if (awaited === "person") return Infinity;
  return quietSince + (awaited === "tool" ? limits.toolStallMs : limits.stallMs);
}

function stallCeilingAt(state: Running, limits: TurnLimits): number {
  const ceiling = state.quietSince + (limits.stallCeilingMs ?? Infinity);
  return Math.max(ceiling, stallAt(state, limits));
}

function turnCeilingAt({ since }: Running, { turnCeilingMs = Infinity }: TurnLimits): number {
  return since + turnCeilingMs;
}

function cancel(cause: CancelCause, at: number, { cancelGraceMs }: TurnLimits): TurnStep {
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

function stay(state: TurnState): TurnStep {
  return { state, effects: [] };
}

function settle(outcome: TurnOutcome, before: readonly TurnEffect[] = []): TurnStep {
  return {
    state: { kind: "settled", outcome },
    effects: [...before, { kind: "drop-questions" }, { kind: "end", outcome }],
  };
}
