import { chmod, lstat, unlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RelayError } from "./errors.ts";
import type { Log } from "./log.ts";

/** Where to listen. Port 0 lets the system choose. */
export type ListenAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "socket"; readonly path: string };

export type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

export type ListenOptions = {
  readonly address: ListenAddress;
  readonly fetch: Fetch;
  /** How an operator gives another address, for errors: `"--port"`. */
  readonly setting: string;
  readonly log: Log;
  /** Default {@link HTTP_LIMITS}. */
  readonly limits?: HttpLimits;
};

/** A running HTTP server. */
export type Listener = {
  /** Where it really listens. */
  readonly address: ListenAddress;
  /**
   * Accepts nothing new and resolves once every response has ended; what is left after `graceMs` milliseconds is cut.
   * A second call resolves with the first.
   */
  close(graceMs: number): Promise<void>;
};

/** What a peer is granted before anybody knows who it is. */
export type HttpLimits = {
  /** How long a connection may idle between two requests. */
  readonly keepAliveMs: number;
  /** How long a request's headers may take, and the whole request; an answer may take any time. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
};

export const HTTP_LIMITS: HttpLimits = {
  // Longer than the usual reverse proxies keep a connection (nginx: 75 s, cloud load balancers: 60 s): were it shorter,
  // a proxy could send a request into a connection that is just being closed.
  keepAliveMs: 80_000,
  headersMs: 10_000,
  requestMs: 120_000,
  maxHeaderBytes: 16_384,
  maxHeaders: 100,
};

/** How often Node.js looks for requests that take too long; at most this is added to the limits. */
const MAX_CHECK_MS = 5_000;

/**
 * Starts an HTTP server. A Unix socket gets mode 0600; a socket file that nobody listens on any more is replaced.
 *
 * @throws RelayError `port_taken` or `listen_failed`.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { address, fetch, setting, log, limits = HTTP_LIMITS } = options;
  if (address.kind === "socket") await removeStaleSocket(address.path, setting);
  // Its promise never rejects: what `fetch` throws becomes a 500.
  const respond = getRequestListener((request, env) => fetch(request, env as HttpBindings));
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(MAX_CHECK_MS, limits.headersMs),
      maxHeaderSize: limits.maxHeaderBytes,
    },
    (incoming, outgoing) => {
      outgoing.once("close", () => {
        // A connection that fell idle after `close()` was called would stay for all of its idle time.
        if (!server.listening) setImmediate(() => server.closeIdleConnections());
      });
      void respond(incoming, outgoing);
    },
  );
  server.maxHeadersCount = limits.maxHeaders;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(describeFailure(error, address, setting));
    server.once("error", fail);
    server.listen(address.kind === "tcp" ? { ...address, exclusive: true } : address, () => {
      server.off("error", fail);
      resolve();
    });
  });
  // A server that cannot accept a connection (no more descriptors, say) goes on with the next one.
  server.on("error", (err) => log.error({ err }, "a listener failed"));
  if (address.kind === "socket") await chmod(address.path, 0o600);
  let closed: Promise<void> | undefined;
  return {
    address: boundAddress(server, address),
    close: (graceMs) => {
      closed ??= close(server, graceMs);
      return closed;
    },
  };
}

function boundAddress(server: Server, asked: ListenAddress): ListenAddress {
  const bound = server.address();
  return asked.kind === "tcp" && bound !== null && typeof bound === "object"
    ? { ...asked, port: bound.port }
    : asked;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeIdleConnections();
    });
  } finally {
    clearTimeout(cut);
  }
}

async function removeStaleSocket(path: string, setting: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  const refused = (why: string) =>
    new RelayError(`${path} ${why}; choose another path with ${setting}`, { code: "port_taken" });
  if (!found.isSocket()) throw refused("is there and is no socket");
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => resolve(true)).once("error", () => resolve(false));
    probe.once("connect", () => probe.destroy());
  });
  if (isAlive) throw refused("is in use by another process");
  await unlink(path);
}

function describeFailure(error: Error, address: ListenAddress, setting: string): RelayError {
  const { code = error.message } = error as NodeJS.ErrnoException;
  const where =
    address.kind === "tcp" ? `port ${address.port} on ${address.host}` : `socket ${address.path}`;
  const why = failures[code] ?? `cannot be used (${code})`;
  return new RelayError(`${where} ${why}; choose another with ${setting}`, {
    code: code === "EADDRINUSE" ? "port_taken" : "listen_failed",
    cause: error,
  });
}

const failures: Partial<Record<string, string>> = {
  EADDRINUSE: "is taken by another process",
  EACCES: "needs rights that this user does not have",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "is no address of this machine",
  EINVAL: "is no usable address (a socket's path has at most 103 bytes)",
};
