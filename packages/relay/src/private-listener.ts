import { join } from "node:path";
import type { Router } from "@acp-kit/router";
import { type Listener, listen } from "./listener.ts";
import { createPrivateApp } from "./listener-apps.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Settings } from "./settings.ts";
import type { BotHealth } from "./surface.ts";

export type PrivateListenerOptions = {
  readonly settings: Settings;
  readonly stateDir: string;
  readonly router: Router;
  readonly health: (() => readonly BotHealth[]) | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
};

/**
 * Starts the private side: by default a socket in the state directory, else a port of this machine behind a token.
 *
 * @throws RelayError `port_taken` or `listen_failed`.
 */
export async function listenPrivately(options: PrivateListenerOptions): Promise<Listener> {
  const { settings, stateDir, router, health, metrics, log } = options;
  const { socket, host = "127.0.0.1", port, token } = settings.private ?? {};
  if (port === undefined || token === undefined) {
    return listen({
      address: { kind: "socket", path: socket ?? join(stateDir, "private.sock") },
      fetch: createPrivateApp({ router, health, metrics, log }),
      setting: "private.socket",
      log,
    });
  }
  let hosts: readonly string[] = [];
  const listener = await listen({
    address: { kind: "tcp", host, port, shared: true },
    fetch: createPrivateApp({ router, health, metrics, log, guard: () => ({ hosts, token }) }),
    setting: "private.port",
    log,
  });
  if (listener.address.kind === "tcp") {
    const { port: bound } = listener.address;
    hosts = [host.includes(":") ? `[${host}]:${bound}` : `${host}:${bound}`, `localhost:${bound}`];
  }
  return listener;
}
