import { PoeProtocolError } from "./errors.ts";
import { isObject, type JsonObject } from "./json.ts";
import { CONTENT_TYPES, type ContentType } from "./message.ts";

/** Poe drops an `error_type` that is not one of these. */
export const POE_ERROR_TYPES = [
  "user_message_too_long",
  "insufficient_fund",
  "user_caused_error",
  "privacy_authorization_error",
] as const;
export type PoeErrorType = (typeof POE_ERROR_TYPES)[number];

/** Any event may say to which of several parallel responses it belongs. */
type Indexed = { index?: number };

export type MetaEvent = {
  event: "meta";
  data: {
    content_type: ContentType;
    /** Always said: Poe's own library disagrees with itself about the default. */
    suggested_replies: boolean;
    /** Asks Poe to request the settings again. */
    refetch_settings?: boolean;
  } & Indexed;
};

/**
 * Appends to what the user sees. An empty text makes no frame. Cut text between code points: half of
 * a surrogate pair is written as U+FFFD.
 */
export type TextEvent = { event: "text"; data: { text: string } & Indexed };

/** Replaces all that the user sees; may be empty. */
export type ReplaceResponseEvent = { event: "replace_response"; data: { text: string } & Indexed };

/** Reported as ignored by Poe's current apps. */
export type SuggestedReplyEvent = { event: "suggested_reply"; data: { text: string } & Indexed };

export type FileEvent = {
  event: "file";
  data: {
    url: string;
    content_type: string;
    name: string;
    /**
     * For `![title][ref]` in a later text. Without one, null is written: an empty string would
     * show as a stray `[]: url`.
     */
    inline_ref?: string | null;
  } & Indexed;
};

/** Comes back as `metadata` of the bot's own message. Only the last one is kept. */
export type DataEvent = { event: "data"; data: { metadata: string } & Indexed };

/** Chunk of an OpenAI chat completion, for tool calls between bots. */
export type JsonEvent = { event: "json"; data: { choices: readonly JsonObject[] } & Indexed };

export type ErrorEvent = {
  event: "error";
  data: {
    /** Whether Poe may send the same request again. Always said: left out, it means yes. */
    allow_retry: boolean;
    /** For the user, but not every Poe app shows it: say it as text too. */
    text: string;
    /** Not shown: a correlation id, say. */
    raw_response?: string;
    error_type?: PoeErrorType;
  } & Indexed;
};

export type DoneEvent = { event: "done"; data: Indexed };

/** What may stand between `meta` and the end. */
export type ContentEvent =
  | TextEvent
  | ReplaceResponseEvent
  | SuggestedReplyEvent
  | FileEvent
  | DataEvent
  | JsonEvent;

export type PoeEvent = MetaEvent | ContentEvent | ErrorEvent | DoneEvent;

/** Keeps a connection open; every parser skips it. It is no event and no content for Poe. */
export type PoeComment = { comment: string };

/**
 * First thing on the wire: 4 KiB, so that a proxy which collects that much before it passes
 * anything on lets the first event through. Poe gives up on a connection that stays silent.
 */
export const PREAMBLE: PoeComment = { comment: " ".repeat(4096) };

/** A `ping` event would do harm here: Poe's own client fails on it. */
export const KEEP_ALIVE: PoeComment = { comment: "ka" };

type Key = {
  name: string;
  accepts: (value: unknown) => boolean;
  /** What an absent key means: an error, no key, or null on the wire. */
  absent: "refused" | "left-out" | "null";
};

const isText = (value: unknown) => typeof value === "string";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isOneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value);
const required = (name: string, accepts: Key["accepts"]): Key => ({
  name,
  accepts,
  absent: "refused",
});
const optional = (name: string, accepts: Key["accepts"]): Key => ({
  name,
  accepts,
  absent: "left-out",
});

const INDEX = optional("index", Number.isSafeInteger);

/** The keys of each event's data, in the order in which they are written. */
const KEYS: ReadonlyMap<string, readonly Key[]> = new Map([
  [
    "meta",
    [
      required("content_type", isOneOf(CONTENT_TYPES)),
      required("suggested_replies", isBoolean),
      optional("refetch_settings", isBoolean),
      INDEX,
    ],
  ],
  ["text", [required("text", isText), INDEX]],
  ["replace_response", [required("text", isText), INDEX]],
  ["suggested_reply", [required("text", isText), INDEX]],
  [
    "file",
    [
      required("url", isText),
      required("content_type", isText),
      required("name", isText),
      { name: "inline_ref", accepts: isText, absent: "null" },
      INDEX,
    ],
  ],
  ["data", [required("metadata", isText), INDEX]],
  ["json", [required("choices", Array.isArray), INDEX]],
  [
    "error",
    [
      required("allow_retry", isBoolean),
      required("text", isText),
      optional("raw_response", isText),
      optional("error_type", isOneOf(POE_ERROR_TYPES)),
      INDEX,
    ],
  ],
  ["done", [INDEX]],
]);

export function isEventName(name: unknown): name is PoeEvent["event"] {
  return typeof name === "string" && KEYS.has(name);
}

/**
 * The data of an event as one line of JSON: the protocol's keys in a fixed order, others left out,
 * and half a character as U+FFFD.
 *
 * @throws PoeProtocolError `bad-data`
 */
export function formatEventData(event: PoeEvent["event"], data: unknown): string {
  if (!isObject(data)) throw badData(event, "data is not an object");
  const written: Record<string, unknown> = {};
  for (const { name, accepts, absent } of KEYS.get(event) ?? []) {
    const value = absent === "null" && data[name] === "" ? undefined : data[name];
    if (value === undefined || (value === null && absent === "null")) {
      if (absent === "refused") throw badData(event, `${name} is missing`);
      if (absent === "null") written[name] = null;
    } else if (accepts(value)) {
      written[name] = value;
    } else {
      throw badData(event, `${name} has a value that Poe does not take`);
    }
  }
  const json = JSON.stringify(written);
  const whole = json.includes(HALF_ESCAPE) ? JSON.stringify(written, replaceHalves) : json;
  return whole.replace(UNICODE_LINE_ENDS, escapeCharacter);
}

/**
 * Half a surrogate pair is escaped so in JSON. Python reads it as a character that it can neither
 * join with the other half nor encode, which ends the whole response.
 */
const HALF_ESCAPE = "\\ud";

function replaceHalves(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

/**
 * No line ends for SSE or JSON, but for some readers (Python's `splitlines`), which would cut the
 * data line in two. JSON itself escapes the rest of that family.
 */
const UNICODE_LINE_ENDS = /[\u0085\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function badData(event: string, what: string): PoeProtocolError {
  return new PoeProtocolError(`Poe event "${event}": ${what}`, { code: "bad-data" });
}
