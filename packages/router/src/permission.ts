import { createHash } from "node:crypto";
import type { PermissionRequestParams } from "@acp-kit/acp-wire";
import type { PermissionAsk, PermissionOption } from "./events.ts";
import { asFields, asFieldsList, asText } from "./fields.ts";
import { isApprover, mayDecide, type Role } from "./role.ts";
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
  const rawInput = call["rawInput"] ?? about.known?.rawInput;
  const said = writeInput(rawInput);
  const input = said?.subject;
  const subject = cut(input ?? title, MAX_SUBJECT_CODE_POINTS);
  const subjectCut = said === undefined || subject !== (input ?? title);
  const toolKind = asText(call["kind"]) ?? about.known?.toolKind ?? "other";
  const options = parseOptionList(request.options);
  // What nobody could read whole, and what the agent only describes, may be allowed once, not again and again; and only
  // once the agent is ever told, for it would remember more for everybody.
  const isExact = input !== undefined && !subjectCut && toolKind !== "switch_mode";
  const offers = (kind: string) => options.some((option) => option.kind === kind);
  const holdsAgain = isExact && offers("allow_once") && offers("allow_always");
  return {
    id: about.id,
    requester: about.requester,
    title: cut(title, 400),
    toolKind,
    subject,
    subjectFrom: input === undefined ? "title" : "input",
    subjectCut,
    options: options.filter(({ kind }) => holdsAgain || kind !== "allow_always"),
    ...(holdsAgain && said && { rule: said.rule }),
    expiresAt: about.now + QUESTION_TIMEOUT_MS,
  };
}

/** What an update told about a tool call, kept until the call asks. */
export type ToolInput = {
  readonly title?: string;
  readonly toolKind?: string;
  readonly rawInput?: unknown;
};

/** What reads and changes nothing. */
const harmlessKinds: ReadonlySet<string> = new Set(["read", "search", "think"]);

/** What others' words may ask for without harm: of a kind that is known, and neither runs, fetches nor deletes anything. */
const heedlessKinds: ReadonlySet<string> = new Set([...harmlessKinds, "edit", "move"]);

/** Whether a person has to be asked about this kind of tool call when others' words may be behind it, whoever allowed it. */
export function needsCare(toolKind: string): boolean {
  return !heedlessKinds.has(toolKind);
}

/**
 * What a policy answers by itself, or `undefined` when a person has to.
 *
 * A policy never chooses more than this once, and no switch of the mode, which would widen what later calls may do.
 * Without a `reject_once` it refuses with none of the options.
 *
 * @param isTainted - Others' words may be behind the call.
 */
export function choosePolicyOption(
  policy: PermissionPolicy,
  ask: PermissionAsk,
  isTainted: boolean,
): { readonly option: PermissionOption | undefined } | undefined {
  const pick = (kind: string) => ask.options.find((option) => option.kind === kind);
  const allow = () => {
    const isLeftToPeople = ask.toolKind === "switch_mode" || (isTainted && needsCare(ask.toolKind));
    const once = isLeftToPeople ? undefined : pick("allow_once");
    return once && { option: once };
  };
  const refuse = () => ({ option: pick("reject_once") });
  switch (policy) {
    case "ask":
      return undefined;
    case "allow":
      return allow();
    case "deny":
      return refuse();
    case "read-only":
      return harmlessKinds.has(ask.toolKind) ? allow() : refuse();
  }
}

/**
 * Whether an option is an approver's to choose: what goes beyond this once, what switches the mode, and what nobody could
 * read whole. To refuse this once is anybody's.
 */
export function needsApprover(ask: PermissionAsk, option: PermissionOption): boolean {
  if (option.kind === "reject_once") return false;
  return option.kind !== "allow_once" || ask.toolKind === "switch_mode" || ask.subjectCut;
}

/**
 * Whether a person may answer a question this way. An option that the agent did not send is nobody's to choose.
 *
 * @param option - An option's id, or `undefined` for none of them.
 */
export function mayAnswer(
  ask: PermissionAsk,
  option: string | undefined,
  user: string,
  role: Role | undefined,
): boolean {
  if (!mayDecide(user, ask.requester, role)) return false;
  if (option === undefined) return true;
  const sent = ask.options.find(({ id }) => id === option);
  return sent !== undefined && (!needsApprover(ask, sent) || isApprover(role));
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

/** `undefined` for an input that nobody can be shown: it is nested deeper than JSON can be written. */
function writeInput(input: unknown): { subject: string | undefined; rule: string } | undefined {
  try {
    return { subject: formatSubject(input), rule: formatRule(input) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

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

/** The same text for inputs that run the same. */
function formatRule(input: unknown = null): string {
  const fields = asFields(input);
  const said = fields
    ? Object.entries(fields)
        .filter(([name]) => !remarks.has(name))
        .sort(([one], [other]) => (one < other ? -1 : 1))
    : input;
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 32);
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
