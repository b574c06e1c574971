import { chmod, lstat, unlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { Server as NetServer } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RelayError } from "./errors.ts";
import { isListening } from "./is-listening.ts";
import { describeListenFailure } from "./listen-failure.ts";
import type { Log } from "./log.ts";
import { handleOf, type SocketHandle } from "./socket-handle.ts";

/** Where a listener was found to listen. */
export type BoundAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "socket"; readonly path: string };

/**
 * Where to listen. Port 0 lets the system choose. In a process of a cluster, a port that is `shared` and a path that is not
 * `shared: false` are shared with the processes that listen there already. `held` is a socket that another process has opened and keeps.
 */
export type ListenAddress =
  | (BoundAddress & { readonly shared?: boolean })
  | { readonly kind: "held"; readonly handle: SocketHandle };

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
  /** Its socket, to be passed to another process that should listen there. */
  readonly handle: SocketHandle;
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
  const respond = getRequestListener((request, env) => fetch(request, env as HttpBindings), {
    // With a Response of its own in the place of the global one it takes RESPONSE_ALREADY_SENT, once that is made of it,
    // for an empty answer that is yet to be sent.
    overrideGlobalObjects: false,
  });
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
    const fail = (error: Error) => reject(describeListenFailure(error, address, setting));
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
    handle: handleOf(server),
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
      return { host: address.host, port: address.port, exclusive: !address.shared };
    case "socket":
      return { path: address.path, exclusive: address.shared === false };
    case "held":
      return address.handle;
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
  if (!(await isListening(path))) await unlink(path);
}
