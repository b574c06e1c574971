import { ErrorCode, ProtocolError, VERSION } from "@acp-kit/dcode-protocol";

/**
 * The path of a session, or of something below it.
 *
 * @throws ProtocolError `invalid_input` for an id that no path can hold: an empty one would name
 *   another route, and `..` what is above.
 */
export function sessionPath(session: string, ...below: string[]): string {
  return ["", VERSION, "sessions", ...[session, ...below].map(segment)].join("/");
}

function segment(id: string): string {
  if (id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    throw new ProtocolError(ErrorCode.invalidInput, `${JSON.stringify(id)} is no id`);
  }
  return encodeURIComponent(id);
}
