export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** A parsed object whose members nobody has looked at yet. */
export type Unread = { readonly [key: string]: unknown };

/**
 * Deepest nesting that is read; what lies deeper reads as absent. `JSON.parse` accepts a hundred
 * thousand levels, on which every recursive reader behind it would overflow the stack.
 */
export const MAX_NESTING = 128;

export function isObject(value: unknown): value is Unread {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === "string" ? value : fallback;
}

export function numberOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

export function booleanOr<Fallback>(value: unknown, fallback: Fallback): boolean | Fallback {
  return typeof value === "boolean" ? value : fallback;
}

/**
 * An identifier as text, `""` when there is none. A number reads as its decimal text, but not one
 * beyond 2^53: two such ids may already have become the same number, and would be taken for one.
 */
export function idOf(value: unknown): string {
  if (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return textOr(value, "");
}

/** The members that `parse` understands; the others are left out. Not a list: no members. */
export function listOf<Item>(
  value: unknown,
  parse: (member: unknown) => Item | undefined,
): readonly Item[] {
  if (!Array.isArray(value)) return [];
  const items: Item[] = [];
  for (const member of value) {
    const item = parse(member);
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** A copy that is safe to merge into other objects: without own `__proto__` keys at any depth. */
export function objectOr<Fallback>(value: unknown, fallback: Fallback): JsonObject | Fallback {
  return isObject(value) ? copyObject(value, 1) : fallback;
}

function copyObject(value: Unread, depth: number): JsonObject {
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") continue;
    const copied = copyValue(member, depth + 1);
    if (copied !== undefined) copy[key] = copied;
  }
  return copy;
}

function copyValue(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth > MAX_NESTING) return undefined;
      if (isObject(value)) return copyObject(value, depth);
      return listOf(value, (member) => copyValue(member, depth + 1));
    default:
      return undefined;
  }
}
