/**
 * - `unreachable` nobody listens at the address; nothing was sent
 * - `insecure` its certificate is not to be trusted, or it speaks no TLS; nothing was sent
 * - `unauthorized` whoever guards the address refuses the token, or asks for one
 * - `closed` the connection broke; whether the daemon did what was asked is unknown
 * - `timeout` no answer in time; likewise unknown
 * - `aborted` the caller's signal
 * - `bad_answer` an answer that is no answer of this protocol
 * - `unsupported` a daemon without this route, or with another version of the protocol
 * - `bad_event` an event that cannot be read; `seq` says which, where that is known
 * - `gap` the daemon skips events of the stream, asked twice; `seq` is the first that is missing
 */
export type ClientErrorCode =
  | "unreachable"
  | "insecure"
  | "unauthorized"
  | "closed"
  | "timeout"
  | "aborted"
  | "bad_answer"
  | "unsupported"
  | "bad_event"
  | "gap";

/**
 * What failed on this side of the wire. What the daemon refuses is a `ProtocolError` of
 * `@acp-kit/dcode-protocol` instead.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  readonly seq?: number;

  constructor(
    message: string,
    { code, cause, seq }: { code: ClientErrorCode; cause?: unknown; seq?: number | undefined },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    if (seq !== undefined) this.seq = seq;
  }
}
