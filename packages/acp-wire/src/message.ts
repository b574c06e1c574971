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
 * Why a line is no message: `noise` is no JSON object or array, `invalid` is one that is no message,
 * `batch` is a JSON-RPC batch, which ACP does not have, and `blank` is nothing at all.
 */
export type NoMessage = "noise" | "invalid" | "batch" | "blank";

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
/** What JSON does not take for white space; a line end cannot be in a line. */
const NOT_BLANK = /[^ \t\r]/;

/**
 * Reads a line. An object is a message when it has a `method`, `id`, `result` or `error`; everything
 * else that an agent may print (banners, logs, scalars) is none.
 */
export function parseLine(line: string): IncomingMessage | NoMessage {
  let first = line.charCodeAt(0);
  if (first !== OPENING_BRACE) {
    const start = line.search(NOT_BLANK);
    if (start === -1) return "blank";
    first = line.charCodeAt(start);
    // Only a line that starts with { or [ can be of interest; the parser never sees a banner.
    if (first !== OPENING_BRACE && first !== OPENING_BRACKET) return "noise";
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "noise";
  }
  return classify(value);
}

/** Says what a parsed value is. */
export function classify(value: unknown): IncomingMessage | NoMessage {
  if (isMessage(value)) return value;
  return Array.isArray(value) && value.some(isCall) ? "batch" : "invalid";
}

/** Whether a value can stand as the id of a request. */
export function isMessageId(value: unknown): value is MessageId {
  return typeof value === "number" || typeof value === "string" || value === null;
}

function isMessage(value: unknown): value is IncomingMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const message = value as IncomingMessage;
  return (
    message.method !== undefined ||
    message.id !== undefined ||
    message.result !== undefined ||
    message.error !== undefined
  );
}

function isCall(value: unknown): boolean {
  return isMessage(value) && typeof value.method === "string";
}
