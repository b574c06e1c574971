import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RelayError } from "./errors.ts";
import type { ListenAddress } from "./listener.ts";

/** What an operator should know when `address`, which `setting` gives, cannot be listened on. */
export function describeListenFailure(
  error: Error,
  address: ListenAddress,
  setting: string,
): RelayError {
  const code = codeOf(error, address);
  if (address.kind === "held") {
    const message = `the socket that this process was given cannot be used (${code}); is it one that listens?`;
    return new RelayError(message, { code: "listen_failed", cause: error });
  }
  const where =
    address.kind === "tcp" ? `port ${address.port} on ${address.host}` : `socket ${address.path}`;
  const why = failures[code] ?? `cannot be used (${code})`;
  return new RelayError(`${where} ${why}; choose another with ${setting}`, {
    code: code === "EADDRINUSE" ? "port_taken" : "listen_failed",
    cause: error,
  });
}

function codeOf(error: Error, address: ListenAddress): string {
  const { code = error.message } = error as NodeJS.ErrnoException;
  // libuv says EACCES for a missing directory as well.
  const isMissing =
    code === "EACCES" && address.kind === "socket" && !existsSync(dirname(address.path));
  return isMissing ? "ENOENT" : code;
}

const failures: Partial<Record<string, string>> = {
  EADDRINUSE: "is taken by another process",
  EACCES: "needs rights that this user does not have",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOENT: "lies in a directory that does not exist",
  ENOTFOUND: "is no address of this machine",
  EINVAL: "is no usable address (a socket's path has at most 103 bytes)",
};
