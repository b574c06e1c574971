import { ErrorCode, type OpenString } from "./names.ts";

const statusByCode: ReadonlyMap<string, number> = new Map<ErrorCode, number>([
  [ErrorCode.sessionNotFound, 404],
  [ErrorCode.turnAlreadyActive, 409],
  [ErrorCode.noActiveTurn, 409],
  [ErrorCode.invalidInput, 400],
  [ErrorCode.approvalResolved, 409],
  [ErrorCode.approvalExpired, 410],
  [ErrorCode.eventsExpired, 410],
  [ErrorCode.workspaceInvalid, 400],
  [ErrorCode.maxSessionsReached, 503],
  [ErrorCode.internal, 500],
]);

/** The HTTP status that a refusal with this code is sent with; 500 for every other code. */
export function httpStatus(code: string): number {
  return statusByCode.get(code) ?? 500;
}

/**
 * An error of the protocol: what a daemon refuses a request with, and what the parsers of this
 * package throw (code `invalid_input`).
 *
 * `message` reads `code: text`, or the code alone where there is no text. Callers branch on
 * `code`. `JSON.stringify(error)` is the wire form.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: OpenString<ErrorCode>;
  /** The wire's `message`: English, for people. */
  readonly text: string;

  constructor(code: OpenString<ErrorCode>, text: string, options?: ErrorOptions) {
    super(text === "" ? code : `${code}: ${text}`, options);
    this.code = code;
    this.text = text;
  }

  /** The HTTP status to send it with. */
  get status(): number {
    return httpStatus(this.code);
  }

  toJSON(): { code: string; message: string } {
    return { code: this.code, message: this.text };
  }
}

/**
 * The first {@link ProtocolError} in what was thrown: itself, then its `cause`, then the members of
 * an `AggregateError`, depth first. Cycles are fine; an object that only looks like one is not taken.
 */
export function asError(thrown: unknown): ProtocolError | undefined {
  const seen = new Set<unknown>();
  const open: unknown[] = [thrown];
  while (open.length > 0) {
    const error = open.pop();
    if (error instanceof ProtocolError) return error;
    if (!(error instanceof Error) || seen.has(error)) continue;
    seen.add(error);
    // The last one pushed is looked at first.
    if (error instanceof AggregateError) {
      for (const member of error.errors.toReversed()) open.push(member);
    }
    open.push(error.cause);
  }
  return undefined;
}
