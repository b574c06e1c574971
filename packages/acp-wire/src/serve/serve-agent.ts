import { Conn } from "../conn.ts";
import { AgentHost } from "./agent-host.ts";
import type { ServeAgentOptions } from "./serve-options.ts";
import { openStdio } from "./stdio.ts";

/** How long an agent's short requests may take to answer once its client is gone. */
const DRAIN_MS = 5_000;

/**
 * Serves an agent to one client: keeps its sessions, and turns what your {@link Factory} builds into
 * ACP. Resolves when the client is gone, every turn has ended, and every session was closed.
 */
export async function serveAgent(options: ServeAgentOptions): Promise<void> {
  const { io, signal, onError, trace } = options;
  using stdio = io === undefined ? openStdio() : undefined;
  const conn = new Conn(io ?? (stdio as NonNullable<typeof stdio>), {
    malformed: "answer",
    drainMs: DRAIN_MS,
    // A client that is paused is not gone; what may wait for it is bounded by its size.
    writeTimeoutMs: 0,
    onInputEnd: () => host.cancelAll(),
    onHandlerError: onError,
    trace,
  });
  const host = new AgentHost(conn, options);
  await conn.serve(signal);
  await host.endAll();
  await conn.flush();
}
