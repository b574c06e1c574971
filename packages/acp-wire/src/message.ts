/** What may stand as a JSON-RPC id. A request with the id `null` is a request. */
export type MessageId = string | number | null;

/** One JSON-RPC object as it came in. Nothing about it is checked yet. */
export interface IncomingMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * One line of input. `noise` is no JSON object or array, `invalid` is one that is no message,
 * `batch` is a JSON-RPC batch, which ACP does not have. A blank line makes no event.
 */
export type ParsedLine =
  | { kind: "message"; message: IncomingMessage }
  | { kind: "noise" | "invalid" | "batch" | "blank" };

const NOISE: ParsedLine = { kind: "noise" };
const INVALID: ParsedLine = { kind: "invalid" };
const BATCH: ParsedLine = { kind: "batch" };
const BLANK: ParsedLine = { kind: "blank" };

/**
 * Says what a line is. An object is a message when it has a `method`, `id`, `result` or `error`;
 * everything else that an agent may print (banners, logs, scalars) is none.
 */
export function parseLine(line: string): ParsedLine {
  const first = line.charCodeAt(firstNonSpace(line));
  if (Number.isNaN(first)) return BLANK;
  // Only a line that starts with { or [ can be of interest; the parser never sees a banner.
  if (first !== 0x7b && first !== 0x5b) return NOISE;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return NOISE;
  }
  return classify(value);
}

/** Says what a parsed value is. */
export function classify(value: unknown): ParsedLine {
  if (isMessage(value)) return { kind: "message", message: value };
  return Array.isArray(value) && value.some(isCall) ? BATCH : INVALID;
}

/** Whether a value can stand as the id of a request. */
export function isMessageId(value: unknown): value is MessageId {
  return typeof value === "number" || typeof value === "string" || value === null;
}

function isMessage(value: unknown): value is IncomingMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { method, id, result, error } = value as IncomingMessage;
  return method !== undefined || id !== undefined || result !== undefined || error !== undefined;
}

function isCall(value: unknown): boolean {
  return isMessage(value) && typeof value.method === "string";
}

function firstNonSpace(line: string): number {
  let at = 0;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) break;
  }
  return at;
}
