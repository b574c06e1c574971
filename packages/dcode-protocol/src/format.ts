import { z } from "zod";
import type { Closed } from "./closed.ts";
import { type DcodeEvent, eventEnvelopeSchema, eventPayloadSchemas } from "./event.ts";
import { ruleOf } from "./fields.ts";
import { isEventType } from "./names.ts";

/**
 * Writes a body as the daemon and its own clients do: keys in declaration order, optional ones left
 * out when they are empty (never null), the others always written, a missing time as the zero time.
 * Keys that the schema does not declare come last. Nothing is checked.
 *
 * Equal to the daemon's as a value, not as bytes: it escapes `<`, `>`, `&`, U+2028 and U+2029.
 */
export function formatBody<Schema extends z.ZodObject>(
  schema: Schema,
  value: Closed<z.output<Schema>>,
): string {
  return JSON.stringify(arrange(schema, value));
}

/** Writes an event; see {@link formatBody}. A payload of an unknown type is written as it is. */
export function formatEvent(event: DcodeEvent): string {
  const schema = isEventType(event.type) ? eventPayloadSchemas[event.type] : undefined;
  const payload = schema instanceof z.ZodObject ? arrange(schema, event.payload) : event.payload;
  return JSON.stringify(arrange(eventEnvelopeSchema, { ...event, payload }));
}

function arrange(schema: z.ZodObject, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  const written: [string, unknown][] = [];
  for (const [key, field] of Object.entries(schema.shape)) {
    const rule = ruleOf(field as z.ZodType);
    const content = given.get(key) ?? rule.zero;
    if (rule.omitEmpty && isEmpty(content)) continue;
    const shape = rule.shape;
    if (!shape) written.push([key, content]);
    else if (Array.isArray(content))
      written.push([key, content.map((item) => arrange(shape, item))]);
    else written.push([key, arrange(shape, content)]);
  }
  for (const [key, content] of given) {
    if (!Object.hasOwn(schema.shape, key)) written.push([key, content]);
  }
  return Object.fromEntries(written);
}

/** Empty as the daemon's encoder sees it. An object is never empty, even without keys. */
function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}
