import { POE_ERROR_TYPES } from "@acp-kit/poe-protocol";

/**
 * A way in which a response breaks Poe's protocol. The names are those of the protocol errors of
 * `@acp-kit/poe-protocol` where both know the case.
 */
export type PoeViolationCode =
  | "bad-utf8"
  | "stray-line"
  | "unfinished-frame"
  | "bad-json"
  | "bad-data"
  | "unknown-event"
  | "meta-first"
  | "meta-once"
  | "after-error"
  | "after-done"
  | "no-output"
  | "done-missing"
  | "too-many-events"
  | "too-much-text"
  | "late-first-event"
  | "too-long"
  | "content-type"
  | "cut";

/** `message` says what was seen, with the event's name and number. */
export type PoeViolation = { code: PoeViolationCode; message: string };

type Data = { readonly [key: string]: unknown };

/** Half a surrogate pair is none: Poe's Python client reads it, and cannot encode it again. */
const isText = (value: unknown) => typeof value === "string" && value.isWellFormed();
const isAbsent = (value: unknown) => value === undefined || value === null;

/**
 * What is wrong with an event's data, or `undefined`. Not derived from the encoder: one mistake
 * in both would hide itself.
 */
export function findBadData(event: string, data: Data): string | undefined {
  if (!isAbsent(data["index"]) && !Number.isInteger(data["index"])) return "index is no integer";
  switch (event) {
    case "meta":
      if (data["content_type"] !== "text/markdown" && data["content_type"] !== "text/plain") {
        return "content_type is neither text/markdown nor text/plain";
      }
      if (typeof data["suggested_replies"] !== "boolean") return "suggested_replies is not said";
      if (!isAbsent(data["refetch_settings"]) && typeof data["refetch_settings"] !== "boolean") {
        return "refetch_settings is no boolean";
      }
      return undefined;
    case "text":
    case "replace_response":
    case "suggested_reply":
      return isText(data["text"]) ? undefined : "text is no text";
    case "file":
      for (const key of ["url", "content_type", "name"]) {
        if (!isText(data[key])) return `${key} is no text`;
      }
      if (data["inline_ref"] === "") return "inline_ref is empty: it shows as a stray link";
      return isAbsent(data["inline_ref"]) || isText(data["inline_ref"])
        ? undefined
        : "inline_ref is no text";
    case "data":
      return isText(data["metadata"]) ? undefined : "metadata is no text";
    case "json":
      return Array.isArray(data["choices"]) ? undefined : "choices is no list";
    case "error":
      if (typeof data["allow_retry"] !== "boolean") return "allow_retry is not said";
      if (!isText(data["text"])) return "text is no text";
      return isAbsent(data["error_type"]) ||
        POE_ERROR_TYPES.some((known) => known === data["error_type"])
        ? undefined
        : "error_type is one that Poe drops";
    default:
      return undefined;
  }
}
