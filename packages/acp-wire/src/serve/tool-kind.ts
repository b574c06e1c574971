import type { KnownToolKind } from "../types/update.ts";

/** Names that agents use for their tools, exactly. */
const EXACT: ReadonlyMap<string, KnownToolKind> = new Map([
  ["read_file", "read"],
  ["ls", "read"],
  ["glob", "read"],
  ["grep", "search"],
  ["edit_file", "edit"],
  ["multiedit", "edit"],
  ["write_file", "edit"],
  ["bash", "execute"],
]);

/** Parts of names, in the order in which they are looked for. */
const PARTS: readonly (readonly [KnownToolKind, readonly string[]])[] = [
  ["search", ["search", "grep", "find"]],
  ["edit", ["edit", "write", "replace"]],
  ["read", ["read", "cat", "view"]],
  ["execute", ["bash", "exec", "shell", "run"]],
];

/** The kind of a tool, guessed from its name; `other` when nothing in it tells. */
export function toolKindFor(name: string): KnownToolKind {
  const exact = EXACT.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  const found = PARTS.find(([, parts]) => parts.some((part) => lower.includes(part)));
  return found?.[0] ?? "other";
}
