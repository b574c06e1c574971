import type { Env } from "../config/secret.ts";
import { ConfigError } from "../errors.ts";

/** Where a service manager puts the first socket that it passes on: `SD_LISTEN_FDS_START`. */
const FIRST_FD = 3;

/**
 * The listening socket that a service manager has opened for this process, as systemd's socket activation does.
 *
 * @returns `undefined` when there is none, or when it was meant for another process.
 * @throws ConfigError when there are several.
 * @see https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function parseInheritedSocket(env: Env, pid: number): number | undefined {
  if (env["LISTEN_PID"] !== String(pid)) return undefined;
  const count = Number(env["LISTEN_FDS"]);
  if (!(count >= 1)) return undefined;
  if (count === 1) return FIRST_FD;
  throw new ConfigError([
    `the service manager passes ${count} sockets and the relay takes one; leave one ListenStream= in its socket unit`,
  ]);
}
