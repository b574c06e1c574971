/** A JSON value as Python prints it: that is how Poe echoes settings. */
export function formatPython(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(formatPython).join(", ")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).map(
      ([key, member]) => `${formatPython(key)}: ${formatPython(member)}`,
    );
    return `{${members.join(", ")}}`;
  }
  if (typeof value === "number") return String(value);
  return `'${String(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
}
