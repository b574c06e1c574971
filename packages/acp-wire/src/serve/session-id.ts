import { ErrorCode, RpcError } from "../errors.ts";

/** Longer ids are no file names on some systems. */
const MAX_LENGTH = 128;

/**
 * Whether a session id may become a file name: letters, digits, `.`, `_` and `-` only, and neither
 * `.` nor `..`. Ids come from the client.
 */
export function isSessionId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= MAX_LENGTH &&
    /^[A-Za-z0-9._-]+$/.test(value) &&
    value !== "." &&
    value !== ".."
  );
}

/** @throws RpcError -32602 */
export function parseSessionId(value: unknown): string {
  if (isSessionId(value)) return value;
  throw new RpcError(ErrorCode.invalidParams, "Invalid sessionId");
}

export function unknownSession(sessionId: string): RpcError {
  return new RpcError(ErrorCode.resourceNotFound, "Unknown session", { sessionId });
}
