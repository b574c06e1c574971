import { wellFormed } from "./fields.ts";

/** How deep a value from outside may be nested: far above any real one, far below where recursion ends. */
const MAX_DEPTH = 64;

/**
 * A copy of JSON from outside that can be written and read again without a surprise: every text is well-formed, and no
 * member is called `__proto__`. `undefined` when it is nested deeper than 64 levels or longer than `maxChars` as JSON.
 */
export function parseBoundedJson(value: unknown, maxChars: number): unknown {
  try {
    const copy = copyJson(value, MAX_DEPTH);
    return copy !== undefined && JSON.stringify(copy).length <= maxChars ? copy : undefined;
  } catch (error) {
    if (error === tooDeep) return undefined;
    throw error;
  }
}

const tooDeep = new Error("nested too deep");

function copyJson(value: unknown, depth: number): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw tooDeep;
  if (Array.isArray(value)) return value.map((item) => copyJson(item, depth - 1));
  const members = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(
    members.map(([name, member]) => [wellFormed(name), copyJson(member, depth - 1)]),
  );
}
