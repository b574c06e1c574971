/**
 * - `url`: no URL, or a scheme, port or credentials that are not taken.
 * - `host`: a host that is not on the list.
 * - `address`: the host is at an address that may not be contacted.
 * - `redirects`: the server sent the request on too often, or nowhere.
 * - `status`: the server answered with something other than success.
 * - `encoding`: the body is compressed although that was not asked for.
 * - `network`: the connection failed.
 * - `timeout`: the server took too long.
 * - `too-large`: the file is larger than what is taken.
 * - `quota`: the conversation holds as many bytes as it may.
 * - `unwritable`: the file cannot be saved.
 * - `inside-checkout`: files would be kept inside a git checkout.
 * - `stopped`: the caller's signal was aborted.
 * - `unavailable`: whoever has the file does not give it to this relay; the error's `reason` says why.
 * - `too-many`: the message came with more files than are taken.
 */
export type AttachmentErrorCode =
  | "url"
  | "host"
  | "address"
  | "redirects"
  | "status"
  | "encoding"
  | "network"
  | "timeout"
  | "too-large"
  | "quota"
  | "unwritable"
  | "inside-checkout"
  | "stopped"
  | "unavailable"
  | "too-many";

/** Thrown where a file could not be fetched or kept. Its message names a host at most, because a URL may be a secret. */
export class AttachmentError extends Error {
  override readonly name = "AttachmentError";
  readonly code: AttachmentErrorCode;
  /** A clause for people and agents, in the place of the code's own words: no secret, no URL. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { code: AttachmentErrorCode; reason?: string },
  ) {
    super(message, options);
    this.code = options.code;
    this.reason = options.reason;
  }
}
