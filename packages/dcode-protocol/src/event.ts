import type { z } from "zod";
import type { Closed } from "./closed.ts";
import { doneProposalSchema } from "./done.ts";
import { raw, sequence, shape, text, time } from "./fields.ts";
import { type EventType, isEventType } from "./names.ts";
import {
  contextBandSchema,
  errorBodySchema,
  sessionCompactedSchema,
  sessionModeChangedSchema,
  sessionRenamedSchema,
  sessionResumedSchema,
  sessionSchema,
  skillLoadedSchema,
} from "./session.ts";
import {
  approvalRequestSchema,
  approvalResolvedSchema,
  toolCompletedSchema,
  toolRequestedSchema,
} from "./tool.ts";
import {
  messageDeltaSchema,
  messageReasoningSchema,
  planUpdatedSchema,
  progressSchema,
  turnCompletedSchema,
  turnStartedSchema,
  turnSteeredSchema,
} from "./turn.ts";

/** What every event travels in. All five keys are always there. */
export const eventEnvelopeSchema = shape("Event", {
  /** Per session, from 1, never skipped and never used again in a live log. */
  seq: sequence,
  session_id: text,
  type: text,
  at: time,
  /** Any JSON value; null when there is nothing to say. */
  payload: raw,
});

export const eventPayloadSchemas = {
  "session.created": sessionSchema,
  "session.resumed": sessionResumedSchema,
  "session.renamed": sessionRenamedSchema,
  "session.mode_changed": sessionModeChangedSchema,
  "session.compacted": sessionCompactedSchema,
  "session.error": errorBodySchema,
  "turn.started": turnStartedSchema,
  "turn.steered": turnSteeredSchema,
  "turn.completed": turnCompletedSchema,
  "message.delta": messageDeltaSchema,
  "message.reasoning": messageReasoningSchema,
  "tool.requested": toolRequestedSchema,
  "tool.approval_required": approvalRequestSchema,
  "tool.approval_resolved": approvalResolvedSchema,
  "tool.completed": toolCompletedSchema,
  "plan.updated": planUpdatedSchema,
  progress: progressSchema,
  "skill.loaded": skillLoadedSchema,
  "context.band": contextBandSchema,
  "done.proposed": doneProposalSchema,
  "done.signed": raw,
} as const satisfies Record<EventType, z.ZodType>;

export type EventPayload<Type extends EventType> = Closed<
  z.output<(typeof eventPayloadSchemas)[Type]>
>;

type Envelope<Type, Payload> = {
  seq: number;
  session_id: string;
  type: Type;
  at: string;
  payload: Payload;
};

/** The event of one type, or of one of several. */
export type EventOf<Type extends EventType> = {
  [Each in Type]: Envelope<Each, EventPayload<Each>>;
}[Type];

export type KnownEvent = EventOf<EventType>;

/** An event of a type that this package does not know. Its seq counts like any other. */
export type UnknownEvent = Envelope<string, unknown>;

export type DcodeEvent = KnownEvent | UnknownEvent;

/** Narrows an event that `parseEvent` returned, so that a switch on its type narrows the payload. */
export function isKnownEvent(event: DcodeEvent): event is KnownEvent {
  return isEventType(event.type);
}
