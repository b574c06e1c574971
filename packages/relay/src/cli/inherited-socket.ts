import type { Env } from "../config/secret.ts";
import { ConfigError } from "../errors.ts";
import { handleOfDescriptor, type SocketHandle } from "../socket-handle.ts";

/** Where a service manager puts the first socket that it passes on: `SD_LISTEN_FDS_START`. */
const FIRST_FD = 3;

/**
 * The listening socket that a service manager has opened for this process, as systemd's socket activation does.
 *
 * @returns `undefined` when there is none, or when it was meant for another process.
 * @throws ConfigError when there are several, or it is no TCP socket.
 * @see https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function readInheritedSocket(env: Env, pid: number): SocketHandle | undefined {
  if (env["LISTEN_PID"] !== String(pid)) return undefined;
  const count = Number(env["LISTEN_FDS"]);
  if (!(count >= 1)) return undefined;
  if (count > 1) {
    throw new ConfigError([
      `the service manager passes ${count} sockets and the relay takes one; leave one ListenStream= in its socket unit`,
    ]);
  }
  const handle = handleOfDescriptor(FIRST_FD);
  if (handle) return handle;
  throw new ConfigError([
    "the service manager passes something else than a TCP socket; its socket unit needs a line like ListenStream=127.0.0.1:8787",
  ]);
}
