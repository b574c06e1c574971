import { z } from "zod";

/** Metadata of anybody. */
export const meta = z.record(z.string(), z.unknown()).nullable().exactOptional();

/** A member that may be absent or null. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().exactOptional();
}

/**
 * A union by tag that is as open as the wire: an object with a tag that is not known passes as it
 * is, one with a known tag must have its shape. Members that are not known always stay.
 */
export function openUnion<Known extends readonly z.ZodObject[]>(tag: string, known: Known) {
  const tags = new Set(known.map((schema) => literalOf(schema, tag)));
  const other = z
    .looseObject({ [tag]: z.string() })
    .refine((value) => !tags.has(value[tag] as string), { error: `wrong shape for its ${tag}` });
  return z.union([...known, other]);
}

function literalOf(schema: z.ZodObject, tag: string): string {
  return String((schema.shape[tag] as z.ZodLiteral<string>).value);
}
