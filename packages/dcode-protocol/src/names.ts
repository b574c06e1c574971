/** A string of which some values are known; readers take any other value too and keep it. */
export type OpenString<Known extends string> = Known | (string & Record<never, never>);

type ValueOf<T> = T[keyof T];

/** Version of the protocol: the prefix of every path but `/health` and `/version`. */
export const VERSION = "v1";

/** A workspace's own directory for its definition of done, relative to the workspace. */
export const WORKSPACE_DONE_DIR = ".dcode";

/** The events of release 0.20.0. A newer daemon sends others too. */
export const EventType = {
  sessionCreated: "session.created",
  sessionResumed: "session.resumed",
  sessionRenamed: "session.renamed",
  sessionModeChanged: "session.mode_changed",
  sessionCompacted: "session.compacted",
  sessionError: "session.error",
  turnStarted: "turn.started",
  turnSteered: "turn.steered",
  turnCompleted: "turn.completed",
  messageDelta: "message.delta",
  messageReasoning: "message.reasoning",
  toolRequested: "tool.requested",
  approvalRequired: "tool.approval_required",
  approvalResolved: "tool.approval_resolved",
  toolCompleted: "tool.completed",
  planUpdated: "plan.updated",
  progress: "progress",
  skillLoaded: "skill.loaded",
  contextBand: "context.band",
  doneProposed: "done.proposed",
  doneSigned: "done.signed",
} as const;
export type EventType = ValueOf<typeof EventType>;

/** Life of a session. `blocked` is a running turn that waits for an answer. */
export const SessionState = {
  idle: "idle",
  running: "running",
  blocked: "blocked",
  closed: "closed",
} as const;
export type SessionState = ValueOf<typeof SessionState>;

/**
 * What people choose between: `plan` reads only and never asks, `assist` writes in the workspace
 * and asks at its border, `auto` has full access and asks where a rule says so.
 */
export const Mode = { plan: "plan", assist: "assist", auto: "auto" } as const;
export type Mode = ValueOf<typeof Mode>;

/** Answers to an approval. What each one permits: {@link approvalGrants}, {@link approvalRemembered}. */
export const ApprovalDecision = {
  allow: "allow",
  allowSession: "allow_session",
  deny: "deny",
  allowProject: "allow_project",
  allowAlways: "allow_always",
} as const;
export type ApprovalDecision = ValueOf<typeof ApprovalDecision>;

export const PlanStatus = {
  pending: "pending",
  active: "active",
  done: "done",
  blocked: "blocked",
} as const;
export type PlanStatus = ValueOf<typeof PlanStatus>;

/**
 * Why a turn ended. `unverified` and `incomplete` are results, not failures: work was delivered
 * and a check did not pass or did not run.
 */
export const StopReason = {
  done: "done",
  interrupted: "interrupted",
  maxIterations: "max_iterations",
  repeatLoop: "repeat_loop",
  maxTokens: "max_tokens",
  error: "error",
  unverified: "unverified",
  incomplete: "incomplete",
} as const;
export type StopReason = ValueOf<typeof StopReason>;

/**
 * What a `progress` event counts: rounds of a turn against its ceiling, tool calls that run
 * together, bytes of a call's arguments that have arrived, files that a scan has seen.
 */
export const ProgressKind = {
  rounds: "rounds",
  inFlight: "in_flight",
  arguments: "arguments",
  files: "files",
} as const;
export type ProgressKind = ValueOf<typeof ProgressKind>;

/** Codes that a refused request carries. `session.error` events carry others too. */
export const ErrorCode = {
  sessionNotFound: "session_not_found",
  turnAlreadyActive: "turn_already_active",
  noActiveTurn: "no_active_turn",
  invalidInput: "invalid_input",
  approvalResolved: "approval_already_resolved",
  approvalExpired: "approval_expired",
  eventsExpired: "events_expired",
  workspaceInvalid: "workspace_invalid",
  maxSessionsReached: "max_sessions_reached",
  internal: "internal",
} as const;
export type ErrorCode = ValueOf<typeof ErrorCode>;

const eventTypes: ReadonlySet<string> = new Set(Object.values(EventType));
const sessionStates: ReadonlySet<string> = new Set(Object.values(SessionState));
const modes: ReadonlySet<string> = new Set(Object.values(Mode));
const decisions: ReadonlySet<string> = new Set(Object.values(ApprovalDecision));

/** Whether release 0.20.0 declares this event; exact and case-sensitive, like all of these. */
export function isEventType(type: string): type is EventType {
  return eventTypes.has(type);
}

/** Whether a session can be in this state. */
export function sessionStateValid(state: string): state is SessionState {
  return sessionStates.has(state);
}

/** Whether a session can be switched to this mode. The empty name, which a session may report, is none. */
export function validMode(name: string): name is Mode {
  return modes.has(name);
}

/** Whether the daemon accepts this answer to an approval. */
export function approvalValid(decision: string): decision is ApprovalDecision {
  return decisions.has(decision);
}

/** Whether this answer permits the crossing. Anything that is not a valid answer permits nothing. */
export function approvalGrants(decision: string): boolean {
  return approvalValid(decision) && decision !== ApprovalDecision.deny;
}

/** Whether this answer outlives the session. (`allow_session` does not: it ends with it.) */
export function approvalRemembered(decision: string): boolean {
  return decision === ApprovalDecision.allowProject || decision === ApprovalDecision.allowAlways;
}
