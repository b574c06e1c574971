/** What `{{name}}` stands for, by name. */
export type Words = Readonly<Record<string, string>>;

/**
 * Replaces `{{name}}` in every string of a JSON value. A name that is not known stays as it is, and what
 * was put in is not looked at again.
 */
export function fill<T>(value: T, words: Words): T {
  return fillAny(value, words) as T;
}

function fillAny(value: unknown, words: Words): unknown {
  if (typeof value === "string") {
    return value.replace(/\{\{(\w+)\}\}/g, (whole, name) =>
      Object.hasOwn(words, name) ? (words[name] as string) : whole,
    );
  }
  if (Array.isArray(value)) return value.map((each) => fillAny(each, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, fillAny(each, words)]),
  );
}
