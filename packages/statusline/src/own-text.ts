/**
 * `owner`'s own text at `key`; `""` when there is none, it is not a string, or reading it throws.
 * Inherited members do not count: nobody should be lent those of a polluted prototype.
 */
export function ownText(owner: unknown, key: string): string {
  try {
    const value = Object.hasOwn(Object(owner), key) && (owner as Record<string, unknown>)[key];
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}
