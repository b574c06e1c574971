import { chmod, lstat, unlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect, Server as NetServer, Socket } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RelayError } from "./errors.ts";
import type { Log } from "./log.ts";

/**
 * Where to listen. Port 0 lets the system choose. In a process of a cluster, `tcp` and `socket` are shared with the
 * processes that listen there already. `inherited` is a socket that whoever started this process has opened.
 */
export type ListenAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "inherited"; readonly fd: number };

/** Where a listener was found to listen. */
export type BoundAddress = Exclude<ListenAddress, { kind: "inherited" }>;

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
  readonly address: BoundAddress;
  /**
   * Accepts nothing new and resolves once every response has ended; what is left after `graceMs` milliseconds is cut.
   * Connections without a request may stay for up to `idleMs`, and a request that comes on them is answered as their
   * last. When it is called again, the shorter times hold.
   */
  close(graceMs: number, idleMs?: number): Promise<void>;
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

/** How often connections that have become idle are looked for at the end, at the least, in milliseconds. */
const MIN_SWEEP_MS = 20;

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
      if (!server.listening) outgoing.setHeader("connection", "close");
      void respond(incoming, outgoing);
    },
  );
  server.maxHeadersCount = limits.maxHeaders;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(describeFailure(error, address, setting));
    server.once("error", fail);
    server.listen(listenOptions(address), () => {
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
    async close(graceMs, idleMs = 0) {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      const sweep = setInterval(
        () => server.closeIdleConnections(),
        Math.max(idleMs, MIN_SWEEP_MS),
      );
      try {
        closed ??= stopAccepting(server);
        if (idleMs === 0) server.closeIdleConnections();
        await closed;
      } finally {
        clearTimeout(cut);
        clearInterval(sweep);
      }
    },
  };
}

/** What `server.listen` takes. */
function listenOptions(address: ListenAddress) {
  switch (address.kind) {
    case "tcp":
      return { host: address.host, port: address.port };
    case "socket":
      return { path: address.path };
    case "inherited":
      // By its number a cluster would ask the primary for it, which closes it together with its last listener.
      return new Socket({ fd: address.fd, readable: false, writable: false });
  }
}

function boundAddress(server: Server, asked: ListenAddress): BoundAddress {
  if (asked.kind === "socket") return asked;
  const bound = server.address();
  if (bound === null || typeof bound === "string") {
    return { kind: "socket", path: bound ?? "(unnamed)" };
  }
  return { kind: "tcp", host: asked.kind === "tcp" ? asked.host : bound.address, port: bound.port };
}

/** Resolves once no connection is left. */
async function stopAccepting(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // That of HTTP would cut idle connections at once, on which a request may be on its way.
    NetServer.prototype.close.call(server, (error) => (error ? reject(error) : resolve()));
  });
  // Ends Node.js's own look for slow requests.
  server.close(() => undefined);
}

/** One that somebody listens on stays: this process's own cluster may share it, everybody else is refused it. */
async function removeStaleSocket(path: string, setting: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) {
    const message = `${path} is there and is no socket; choose another path with ${setting}`;
    throw new RelayError(message, { code: "port_taken" });
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => resolve(true)).once("error", () => resolve(false));
    probe.once("connect", () => probe.destroy());
  });
  if (!isAlive) await unlink(path);
}

function describeFailure(error: Error, address: ListenAddress, setting: string): RelayError {
  const { code = error.message } = error as NodeJS.ErrnoException;
  if (address.kind === "inherited") {
    const message = `the socket that the service manager passed on cannot be used (${code}); is it a stream socket that listens?`;
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

const failures: Partial<Record<string, string>> = {
  EADDRINUSE: "is taken by another process",
  EACCES: "needs rights that this user does not have",
  EADDRNOTAVAIL: "is no address of this machine",
  ENOTFOUND: "is no address of this machine",
  EINVAL: "is no usable address (a socket's path has at most 103 bytes)",
};
