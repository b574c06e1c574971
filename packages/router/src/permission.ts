import type { PermissionRequestParams } from "@acp-kit/acp-wire";
import type { PermissionAsk, PermissionOption } from "./events.ts";
import { asFields, asFieldsList, asText } from "./fields.ts";
import type { PermissionPolicy } from "./router.ts";

/** How long a question waits for its answer, in milliseconds. */
export const QUESTION_TIMEOUT_MS = 30 * 60_000;

/** Longest subject of a question, in code points; what is cut ends in "…". */
export const MAX_SUBJECT_CODE_POINTS = 4_000;

/**
 * What an agent's request asks a person, made from what is really run.
 *
 * @param known - Raw input of the same tool call as an earlier update told it; agents do not always repeat it.
 */
export function parsePermissionAsk(
  request: PermissionRequestParams,
  about: { id: string; requester: string; now: number; known?: ToolInput },
): PermissionAsk {
  const call = asFields(request.toolCall) ?? {};
  const title = asText(call["title"]) ?? about.known?.title ?? "";
  const input = formatSubject(call["rawInput"] ?? about.known?.rawInput);
  const subject = cut(input ?? title, MAX_SUBJECT_CODE_POINTS);
  const subjectCut = subject !== (input ?? title);
  return {
    id: about.id,
    requester: about.requester,
    title: cut(title, 400),
    toolKind: asText(call["kind"]) ?? about.known?.toolKind ?? "other",
    subject,
    subjectFrom: input === undefined ? "title" : "input",
    subjectCut,
    // What nobody could read whole may be allowed once, not for ever.
    options: parseOptionList(request.options).filter(
      ({ kind }) => !subjectCut || kind !== "allow_always",
    ),
    expiresAt: about.now + QUESTION_TIMEOUT_MS,
  };
}

/** What an update told about a tool call, kept until the call asks. */
export type ToolInput = {
  readonly title?: string;
  readonly toolKind?: string;
  readonly rawInput?: unknown;
};

/**
 * What a policy answers by itself, or `undefined` when a person has to.
 *
 * A policy never chooses more than this once: an `allow_always` is for people. Without a reject option the answer is
 * none of them.
 */
export function choosePolicyOption(
  policy: PermissionPolicy,
  ask: PermissionAsk,
): { readonly option: PermissionOption | undefined } | undefined {
  const pick = (kind: string) => ask.options.find((option) => option.kind === kind);
  if (policy === "allow") {
    // A call that switches the mode would widen what later calls may do.
    const once = ask.toolKind === "switch_mode" ? undefined : pick("allow_once");
    return once && { option: once };
  }
  return policy === "deny" ? { option: pick("reject_once") } : undefined;
}

function parseOptionList(value: unknown): PermissionOption[] {
  return asFieldsList(value).flatMap((fields) => {
    const id = asText(fields["optionId"]);
    if (id === undefined) return [];
    return [
      { id, name: cut(asText(fields["name"]) ?? id, 200), kind: asText(fields["kind"]) ?? "" },
    ];
  });
}

/** Members of an input that say nothing about what is run. */
const remarks: ReadonlySet<string> = new Set(["description", "timeout", "timeout_ms"]);

/** A command, a path or a URL where the input is nothing else, else the whole input: what stands beside one may matter. */
function formatSubject(input: unknown): string | undefined {
  if (typeof input === "string") return input;
  const fields = asFields(input);
  if (!fields) return input === undefined || input === null ? undefined : JSON.stringify(input);
  const names = Object.keys(fields);
  const [name = "", ...others] = names.filter((one) => !remarks.has(one));
  const value = others.length === 0 ? fields[name] : undefined;
  if (["command", "cmd", "script"].includes(name)) {
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.length > 0) return formatArgv(value);
  }
  const isPlace = ["path", "file_path", "filePath", "url"].includes(name);
  if (isPlace && typeof value === "string" && names.length === 1) return value;
  return names.length === 0 ? undefined : JSON.stringify(fields, null, 2);
}

/** An argument vector as a shell would need it, so that `["rm", "a b"]` does not read like two files. */
function formatArgv(argv: readonly unknown[]): string {
  return argv
    .map((word) => {
      const text = typeof word === "string" ? word : JSON.stringify(word);
      return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
    })
    .join(" ");
}

function cut(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  const points = [...text];
  return points.length <= maxCodePoints ? text : `${points.slice(0, maxCodePoints - 1).join("")}…`;
}
