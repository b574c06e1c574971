import type { DcodeEvent } from "./event.ts";
import { isTime } from "./time.ts";

type Fields = { readonly [key: string]: unknown };

/**
 * The event itself when it is of a frequent kind, plain and valid; undefined means: ask the schemas.
 *
 * It decides nothing on its own. Whatever needs a default, a null taken for absent, or an error
 * message goes to the schemas, and a property test holds both to the same answers.
 */
export function readHotEvent(value: unknown): DcodeEvent | undefined {
  if (!isFields(value)) return undefined;
  const { seq, session_id: sessionId, type, at, payload } = value;
  if (!isSequence(seq) || typeof sessionId !== "string" || typeof at !== "string") return undefined;
  if (!isFields(payload) || !isPlainPayload(type, payload) || !isTime(at)) return undefined;
  return value as DcodeEvent;
}

function isPlainPayload(type: unknown, payload: Fields): boolean {
  switch (type) {
    case "message.delta":
    case "message.reasoning":
      return typeof payload["turn_id"] === "string" && typeof payload["text"] === "string";
    case "progress":
      return (
        typeof payload["turn_id"] === "string" &&
        typeof payload["kind"] === "string" &&
        Number.isSafeInteger(payload["done"]) &&
        isTextOrAbsent(payload["tool_call_id"]) &&
        isTextOrAbsent(payload["name"]) &&
        isIntegerOrAbsent(payload["total"])
      );
    case "tool.requested":
      return (
        typeof payload["turn_id"] === "string" &&
        typeof payload["tool_call_id"] === "string" &&
        typeof payload["name"] === "string" &&
        payload["input"] !== undefined &&
        isFlagOrAbsent(payload["typed"])
      );
    case "tool.completed":
      return (
        typeof payload["tool_call_id"] === "string" &&
        typeof payload["ok"] === "boolean" &&
        typeof payload["output"] === "string" &&
        typeof payload["truncated"] === "boolean" &&
        isIntegerOrAbsent(payload["lines"]) &&
        isIntegerOrAbsent(payload["files"]) &&
        isIntegerOrAbsent(payload["added"]) &&
        isIntegerOrAbsent(payload["removed"]) &&
        isIntegerOrAbsent(payload["exit_code"]) &&
        isFlagOrAbsent(payload["has_exit"]) &&
        isIntegerOrAbsent(payload["duration_ms"]) &&
        isTimeOrAbsent(payload["started_at"]) &&
        isTimeOrAbsent(payload["finished_at"]) &&
        isTextOrAbsent(payload["diff"])
      );
    default:
      return false;
  }
}

/**
 * A plain object without an own key `__proto__`, which the schemas drop: such a key would hide the
 * inherited accessor, and hold something else. One load answers for null prototypes and arrays too.
 */
function isFields(value: unknown): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    // biome-ignore lint/suspicious/noProto: an own key of that name is what this looks for.
    (value as { __proto__: unknown }).__proto__ === Object.prototype
  );
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isFlagOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

function isIntegerOrAbsent(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value);
}

function isTimeOrAbsent(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && isTime(value));
}
