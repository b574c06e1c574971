import type { z } from "zod";
import type { Closed } from "./closed.ts";
import { flag, integer, open, optional, optionalTime, raw, shape, text, time } from "./fields.ts";
import { ApprovalDecision } from "./names.ts";

export const toolRequestedSchema = shape("ToolRequested", {
  turn_id: text,
  /** The provider's; it may come again, in the same turn too. Tell calls by the seq of this event. */
  tool_call_id: text,
  name: text,
  /** Any JSON value. Numbers beyond 2^53 in it were rounded by the JSON parser. */
  input: raw,
  /** A person typed this command; the model did not ask for it. */
  typed: optional(flag),
});
export type ToolRequested = Closed<z.output<typeof toolRequestedSchema>>;

export const approvalRequestSchema = shape("ApprovalRequest", {
  /** Turn and index in the batch: two batches of a turn share ids. Tell approvals by the seq of this event. */
  approval_id: text,
  turn_id: text,
  tool_call_id: text,
  tool: text,
  command: optional(text),
  boundary_crossed: open({
    network: "network",
    workspaceWrite: "workspace_write",
    filesystemRead: "filesystem_read",
    filesystemWrite: "filesystem_write",
    ruleWrite: "rule:write",
    ruleRead: "rule:read",
    ruleCommand: "rule:command",
  }),
  /** The zero time in 0.20.0: no deadline is known, though the daemon has one (120 s unless configured). */
  expires_at: time,
  reason: optional(text),
  /** The rule that asked; what `allow_session` is remembered by. */
  rule: optional(text),
});
export type ApprovalRequest = Closed<z.output<typeof approvalRequestSchema>>;

export const approvalResolvedSchema = shape("ApprovalResolved", {
  approval_id: text,
  /** An unknown answer is kept and grants nothing: ask `approvalGrants`. */
  decision: open(ApprovalDecision),
});
export type ApprovalResolved = Closed<z.output<typeof approvalResolvedSchema>>;

/** Not every call gets one: unknown tools, bad arguments, denials and failures to run end without. */
export const toolCompletedSchema = shape("ToolCompleted", {
  tool_call_id: text,
  /** The tool ran. A command that exited with another status than 0 is ok too: ask `exitStatus`. */
  ok: flag,
  output: text,
  truncated: flag,
  lines: optional(integer),
  files: optional(integer),
  added: optional(integer),
  removed: optional(integer),
  exit_code: optional(integer),
  has_exit: optional(flag),
  duration_ms: optional(integer),
  /** The zero time when it is unknown; these give the real order of a batch. */
  started_at: optionalTime,
  finished_at: optionalTime,
  /** Hunks only, `@@ … @@ path`, cut at 400 lines. */
  diff: optional(text),
});
export type ToolCompleted = Closed<z.output<typeof toolCompletedSchema>>;

/** The exit status of a call that ran a process, else undefined. 0 is left out on the wire. */
export function exitStatus(
  result: Pick<ToolCompleted, "has_exit" | "exit_code">,
): number | undefined {
  return result.has_exit ? (result.exit_code ?? 0) : undefined;
}
