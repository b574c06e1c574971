import {
  type DcodeEvent,
  parseBody,
  parseEventValue,
  type Session,
  sessionSchema,
} from "@acp-kit/dcode-protocol";
import type { Mapped } from "../src/mapping/mapped.ts";
import { reduceEvent } from "../src/mapping/reduce-event.ts";
import { createMappingState, type MappingState } from "../src/mapping/state.ts";

export const ZERO = "0001-01-01T00:00:00Z";

export function session(fields: Partial<Session> = {}): Session {
  return parseBody(sessionSchema, {
    id: "s1",
    state: "idle",
    workspace: "/w",
    model: "m",
    sandbox_mode: "workspace-write",
    mode: "assist",
    created_at: "2026-08-11T12:00:00.123456789-03:00",
    last_seq: 0,
    first_seq: 1,
    context_window: 1_000,
    done_criteria: 0,
    ...fields,
  }) as Session;
}

export type Told = { readonly type: string; readonly payload: unknown };
export const told = (type: string, payload: unknown = {}): Told => ({ type, payload });

export const turnStarted = (turn = "t1", text = "hi") =>
  told("turn.started", { turn_id: turn, text });
export const turnCompleted = (reason = "done", more = {}) =>
  told("turn.completed", { turn_id: "t1", reason, ...more });
export const requested = (name: string, input: unknown, id = "c1", more = {}) =>
  told("tool.requested", { turn_id: "t1", tool_call_id: id, name, input, ...more });
export const completed = (more = {}, id = "c1") =>
  told("tool.completed", {
    tool_call_id: id,
    ok: true,
    output: "",
    truncated: false,
    started_at: ZERO,
    finished_at: ZERO,
    ...more,
  });
export const asked = (more = {}, id = "c1") =>
  told("tool.approval_required", {
    approval_id: "t1-0",
    turn_id: "t1",
    tool_call_id: id,
    tool: "bash",
    boundary_crossed: "network",
    expires_at: ZERO,
    ...more,
  });
export const resolved = (decision: string, id = "t1-0") =>
  told("tool.approval_resolved", { approval_id: id, decision });

export type Run = { readonly state: MappingState; readonly mapped: readonly Mapped[] };

/** Reduces events, numbered from where the session stands. */
export function reduceAll(events: readonly Told[], from: Session | MappingState = session()): Run {
  let state = "cards" in from ? from : createMappingState(from);
  const mapped: Mapped[] = [];
  for (const { type, payload } of events) {
    const event: DcodeEvent = parseEventValue({
      seq: state.session.position + 1,
      session_id: "s1",
      type,
      at: "2026-08-11T12:00:00Z",
      payload,
    });
    const step = reduceEvent(state, event, { own: false });
    state = step.state;
    mapped.push(...step.mapped);
  }
  return { state, mapped };
}

export const updatesOf = (mapped: readonly Mapped[], kind?: string) =>
  mapped.flatMap((each) =>
    "update" in each && (kind === undefined || each.update.sessionUpdate === kind)
      ? [each.update as unknown as Record<string, unknown>]
      : [],
  );
export const noticesOf = (mapped: readonly Mapped[]) =>
  mapped.flatMap((each) => ("notice" in each ? [`${each.notice}: ${each.text}`] : []));
