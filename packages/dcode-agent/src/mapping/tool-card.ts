import path from "node:path";
import type { KnownToolKind, ToolCallLocation } from "@acp-kit/acp-wire";
import { capRunes } from "@acp-kit/statusline";

/** Longest title, in code points. */
const MAX_TITLE = 120;

/** dcode's tools. Anything else is `other`. */
const kinds: ReadonlyMap<string, KnownToolKind> = new Map([
  ["read", "read"],
  ["write", "edit"],
  ["edit", "edit"],
  ["glob", "search"],
  ["grep", "search"],
  ["symbol", "search"],
  ["bash", "execute"],
  ["process", "execute"],
  ["fetch", "fetch"],
  ["plan", "think"],
]);

export function toolKind(name: string): KnownToolKind {
  return kinds.get(name) ?? "other";
}

/** What a call is about, by the first of these members of its input that is a text. */
const subjects = ["command", "path", "pattern", "query", "url", "name"] as const;

export function toolTitle(name: string, input: unknown): string {
  const fields = asFields(input);
  const subject = subjects.map((key) => textOf(fields[key])).find((text) => text !== "");
  const title = subject === undefined ? name : name === "bash" ? subject : `${name} ${subject}`;
  return capRunes(title.replaceAll(/\s+/g, " ").trim() || "tool", MAX_TITLE);
}

/** The files that a call names, absolute: dcode takes paths relative to its workspace too. */
export function toolLocations(input: unknown, workspace: string): ToolCallLocation[] {
  const fields = asFields(input);
  const paths = [fields, ...editsOf(fields)]
    .map((each) => textOf(each["path"]))
    .filter((each) => each !== "")
    .map((each) => path.resolve(workspace, each));
  return [...new Set(paths)].map((each) => ({ path: each }));
}

export type Fields = { readonly [key: string]: unknown };

/** A tool's input as an object; it may be any JSON. */
export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

/** The single edits of an input that holds several. */
export function editsOf(fields: Fields): Fields[] {
  const edits = fields["edits"];
  return Array.isArray(edits) ? edits.map(asFields) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
