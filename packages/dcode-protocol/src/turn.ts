import type { z } from "zod";
import type { Closed } from "./closed.ts";
import { integer, list, open, optional, optionalList, shape, text } from "./fields.ts";
import { PlanStatus, ProgressKind, StopReason } from "./names.ts";

export const turnStartedSchema = shape("TurnStarted", {
  /** Not unique in a log: a resumed session counts from `t1` again. Tell turns by the seq of this event. */
  turn_id: text,
  /** Absent when the question was empty. */
  text: optional(text),
});
export type TurnStarted = Closed<z.output<typeof turnStartedSchema>>;

export const turnSteeredSchema = shape("TurnSteered", { turn_id: text, text });
export type TurnSteered = Closed<z.output<typeof turnSteeredSchema>>;

export const usageSchema = shape("Usage", {
  /** Summed over the rounds of the turn: its cost, not how full the context is. */
  input_tokens: integer,
  output_tokens: integer,
  cache_read_tokens: optional(integer),
  cache_write_tokens: optional(integer),
  /** What the context holds now. */
  context_tokens: optional(integer),
});
export type Usage = Closed<z.output<typeof usageSchema>>;

export const completionSchema = shape("Completion", {
  verification: open({
    clean: "clean",
    passed: "passed",
    failed: "failed",
    stale: "stale",
    unavailable: "unavailable",
  }),
  met: optionalList(text),
  unmet: optionalList(text),
  /** Criteria that could not be run: nothing is known about them. */
  unavailable: optionalList(text),
  /** Files that the work is measured by and that this turn wrote. */
  touched_protected: optionalList(text),
});
export type Completion = Closed<z.output<typeof completionSchema>>;

export const turnCompletedSchema = shape("TurnCompleted", {
  turn_id: text,
  reason: open(StopReason),
  /** Absent: unknown. Zeros: known to be zero. */
  usage: optional(usageSchema),
  /** Absent: there was nothing to check. */
  completion: optional(completionSchema),
});
export type TurnCompleted = Closed<z.output<typeof turnCompletedSchema>>;

export const messageDeltaSchema = shape("MessageDelta", { turn_id: text, text });
export type MessageDelta = Closed<z.output<typeof messageDeltaSchema>>;

export const messageReasoningSchema = shape("MessageReasoning", { turn_id: text, text });
export type MessageReasoning = Closed<z.output<typeof messageReasoningSchema>>;

export const planItemSchema = shape("PlanItem", {
  id: integer,
  text,
  status: open(PlanStatus),
  /** Why it is blocked. */
  blocked: optional(text),
});
export type PlanItem = Closed<z.output<typeof planItemSchema>>;

/** The whole plan, each time; an empty one clears it. */
export const planUpdatedSchema = shape("PlanUpdated", { items: list(planItemSchema) });
export type PlanUpdated = Closed<z.output<typeof planUpdatedSchema>>;

export const progressSchema = shape("Progress", {
  turn_id: text,
  /** Absent: about the turn itself. Of kind `arguments` it comes before `tool.requested`. */
  tool_call_id: optional(text),
  /** The tool, only while its arguments still arrive. */
  name: optional(text),
  kind: open(ProgressKind),
  done: integer,
  /** Absent: nobody knows. */
  total: optional(integer),
});
export type Progress = Closed<z.output<typeof progressSchema>>;
