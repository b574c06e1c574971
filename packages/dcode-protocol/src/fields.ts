import { z } from "zod";
import { isBase64 } from "./base64.ts";
import type { OpenString } from "./names.ts";
import { isTime, ZERO_TIME } from "./time.ts";

/**
 * How a field stands on the wire, beyond what its schema says: the writer and the catalogue read it.
 */
export type FieldRule = {
  /** The type in the words of the catalogue. */
  label: string;
  /** The daemon leaves the key out when the value is empty: false, 0, "", an empty list, no object. */
  omitEmpty: boolean;
  /** The values that are known, of a string that has some. */
  known?: readonly string[];
  /** What is written where a value is missing. */
  zero?: unknown;
  /** The shape of the value, or of each member of the list. */
  shape?: z.ZodObject;
};

const rules = new WeakMap<z.ZodType, FieldRule>();

function withRule<Schema extends z.ZodType>(schema: Schema, rule: FieldRule): Schema {
  rules.set(schema, rule);
  return schema;
}

/** The rule of a field that was made by one of the builders below. */
export function ruleOf(schema: z.ZodType): FieldRule {
  const rule = rules.get(schema);
  if (!rule) throw new TypeError("A field of a wire type is made by a builder of fields.ts");
  return rule;
}

const always = (label: string): FieldRule => ({ label, omitEmpty: false });

/** The name of a type in messages. */
export function labelOf(schema: z.ZodType): string {
  return rules.get(schema)?.label ?? "Body";
}

export const text = withRule(z.string(), always("string"));
export const flag = withRule(z.boolean(), always("boolean"));
export const fraction = withRule(z.number(), always("number"));
/** Whole, and exact: JSON numbers beyond 2^53 - 1 are rounded by the parser without notice. */
export const integer = withRule(z.int(), always("integer"));
/** An integer from 0 to 2^53 - 1; the daemon's are 64-bit. */
export const sequence = withRule(z.int().min(0), always("seq"));
/** Any JSON value; present even when it is null. */
export const raw = withRule(z.unknown(), { ...always("any JSON"), zero: null });
export const base64 = withRule(
  z.string().refine(isBase64, "must be padded base64 of the standard alphabet"),
  always("base64"),
);
/** Kept as the text that came; `parseTime` gives the instant. */
export const time = withRule(z.string().refine(isTime, "must be an RFC 3339 time with a zone"), {
  ...always("time"),
  zero: ZERO_TIME,
});

/** A string with known values that takes others too. */
export function open<Known extends string>(known: Record<string, Known>) {
  const schema = z.string() as unknown as z.ZodType<OpenString<Known>, string>;
  return withRule(schema, { ...always("string"), known: Object.values(known) });
}

/** A string of a closed set: only for what a client sends. */
export function oneOf<Known extends string>(known: Record<string, Known>) {
  return withRule(z.enum(known), { ...always("string"), known: Object.values(known) });
}

/** A wire object. Keys that it does not declare are kept, whatever they hold. */
export function shape<Fields extends z.ZodRawShape>(label: string, fields: Fields) {
  return withRule(z.looseObject(fields), always(label));
}

/** A list that is a body by itself, never null. */
export function bareList<Item extends z.ZodType>(label: string, item: Item) {
  return withRule(z.array(item), { ...memberRule(item), label });
}

/** A list that is always sent, as null when it is empty. */
export function list<Item extends z.ZodType>(item: Item) {
  const { label, shape: itemShape } = memberRule(item);
  return withRule(
    z
      .array(item)
      .nullable()
      .transform((items) => items ?? []),
    { label: `${label}[]`, omitEmpty: false, zero: [], ...(itemShape && { shape: itemShape }) },
  );
}

/** A list that is left out when it is empty. */
export function optionalList<Item extends z.ZodType>(item: Item) {
  const { label, shape: itemShape } = memberRule(item);
  return withRule(optionalOf(z.array(item)), {
    label: `${label}[]`,
    omitEmpty: true,
    ...(itemShape && { shape: itemShape }),
  });
}

/** A key that is left out when its value is empty; null reads as absent, and absent is not empty. */
export function optional<Inner extends z.ZodType>(inner: Inner) {
  return withRule(optionalOf(inner), { ...memberRule(inner), omitEmpty: true });
}

/** A time that is always written, though readers do without. */
export const optionalTime = withRule(optionalOf(time), ruleOf(time));

/** A key that older daemons did not send: reads as `value` when it is absent, and is written always. */
export function defaulted<Inner extends z.ZodType>(
  inner: Inner,
  value: NonNullable<z.output<Inner>>,
) {
  return withRule(withFallback(inner, value), { ...memberRule(inner), zero: value });
}

/** A key that is left out when it is empty, and then means `value`. */
export function implied<Inner extends z.ZodType>(
  inner: Inner,
  value: NonNullable<z.output<Inner>>,
) {
  return withRule(withFallback(inner, value), { ...memberRule(inner), omitEmpty: true });
}

function withFallback<Inner extends z.ZodType>(inner: Inner, value: NonNullable<z.output<Inner>>) {
  return optionalOf(inner).transform((given) => given ?? value);
}

function optionalOf<Inner extends z.ZodType>(inner: Inner) {
  return inner
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
}

function memberRule(schema: z.ZodType): FieldRule {
  const rule = ruleOf(schema);
  return schema instanceof z.ZodObject ? { ...rule, shape: schema } : rule;
}
