import type { z } from "zod";
import type { Closed } from "./closed.ts";
import { ProtocolError } from "./error.ts";
import { type DcodeEvent, eventEnvelopeSchema, eventPayloadSchemas } from "./event.ts";
import { labelOf } from "./fields.ts";
import { readHotEvent } from "./hot-event.ts";
import { readHotLine } from "./hot-line.ts";
import { parseJson } from "./json.ts";
import { ErrorCode, isEventType } from "./names.ts";

/**
 * Reads a body: a request on the server's side, an answer on the client's.
 *
 * Types and required keys are strict. Keys that the schema does not declare are kept, null for an
 * optional key reads as absent, null for a list as empty.
 *
 * @param schema - One of this package's, such as `sessionSchema`.
 * @param value - What `JSON.parse` gave.
 * @throws ProtocolError `invalid_input`, naming the field but never its value.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Closed<z.output<Schema>> {
  return check(schema, value, labelOf(schema)) as Closed<z.output<Schema>>;
}

/**
 * Reads an event from its JSON text: one `data` field of the stream, one line of a record file.
 *
 * An event of an unknown type keeps its payload as it is; one of a known type has that type's shape.
 *
 * @throws ProtocolError `invalid_input` when the text is no JSON or no event.
 */
export function parseEvent(json: string): DcodeEvent {
  const hot = readHotLine(json);
  if (hot) return hot;
  const parsed = parseJson(json);
  if (!parsed) throw invalid(`Event: not JSON (${json.length} characters)`);
  return parseEventValue(parsed.value);
}

/**
 * Reads an event from what `JSON.parse` gave. A frequent event that is plainly valid is returned as
 * it is, not copied.
 *
 * @throws ProtocolError `invalid_input` when the value is no event.
 */
export function parseEventValue(value: unknown): DcodeEvent {
  return readHotEvent(value) ?? parseEventBySchema(value);
}

/** The same by the schemas alone: the reference that the fast path is tested against. */
export function parseEventBySchema(value: unknown): DcodeEvent {
  const event = check(eventEnvelopeSchema, value, "Event");
  if (!isEventType(event.type)) return event;
  const label = `Event ${event.type}`;
  const payload = check(eventPayloadSchemas[event.type], event.payload, label, "payload");
  return { ...event, payload } as DcodeEvent;
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  label: string,
  ...at: string[]
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = [...at, ...(issue?.path ?? [])].join(".");
  throw invalid(`${label}: ${path && `${path}: `}${issue?.message}`, result.error);
}

function invalid(text: string, cause?: unknown): ProtocolError {
  return new ProtocolError(ErrorCode.invalidInput, text, cause === undefined ? {} : { cause });
}
