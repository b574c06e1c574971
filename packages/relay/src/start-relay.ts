import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createRouter, MemoryStore, type Router } from "@acp-kit/router";
import { createAccess, isOpenToEverybody } from "./access.ts";
import { createAgents, findAgentPrograms } from "./agents.ts";
import type { RelayApp } from "./app.ts";
import { ClosingStack } from "./closing-stack.ts";
import type { Env } from "./config/secret.ts";
import { type ListenAddress, type Listener, listen } from "./listener.ts";
import { createPrivateApp, createPublicApp } from "./listener-apps.ts";
import type { Log } from "./log.ts";
import { createRouterConfig } from "./router-config.ts";
import type { Settings } from "./settings.ts";
import {
  createTemporaryStateDir,
  defaultStateDir,
  openStateDir,
  type StateDir,
} from "./state-dir.ts";
import { createWorkspaces } from "./workspaces.ts";

export type StartRelayOptions = {
  readonly app: RelayApp;
  readonly settings: Settings;
  readonly env: Env;
  readonly log: Log;
};

/** A relay that serves. */
export type Relay = {
  readonly publicAddress: ListenAddress;
  readonly privateAddress: ListenAddress;
  readonly stateDir: string;
  /** Ends open responses visibly, then agents, then everything else. Bounded. */
  stop(): Promise<void>;
};

/** How long responses may take to end when the relay stops; then they are cut. */
const DRAIN_MS = 10_000;
/** How often idle sessions are looked for. */
const GC_MS = 60_000;

/**
 * Starts a relay and resolves once it serves.
 *
 * @throws RelayError; whatever was started until then is stopped again.
 */
export async function startRelay(options: StartRelayOptions): Promise<Relay> {
  const { app, settings, env, log } = options;
  const closing = new ClosingStack(log);
  try {
    const programs = await findAgentPrograms(settings.agents, env["PATH"]);
    const { path: stateDir } = closing.use("state directory", await openState(options));
    const workspaces = await createWorkspaces({
      workspaces: settings.workspaces,
      stateDir,
      guarded: settings.configFile === undefined ? [] : [settings.configFile],
      home: await realpath(env["HOME"] || homedir()).catch(() => homedir()),
    });
    const client = { name: app.name, version: app.version };
    const agents = await createAgents({ settings, programs, env, stateDir, client, log });
    for (const [name, agent] of agents) closing.use(`agent ${name}`, agent);
    const store = closing.use("store", new MemoryStore());
    const access = createAccess(settings.access);
    const router = closing.use(
      "router",
      createRouter(
        createRouterConfig({ settings, agents, workspaces, access, store, stateDir, log }),
      ),
    );
    const gc = router.runGc(GC_MS);
    closing.add("collection of idle sessions", async () => gc[Symbol.dispose]());
    const { bots } = settings;
    const surface = app.createSurface({ bots, router, access, log, now: Date.now });
    const privateListener = await listenPrivately({ settings, stateDir, router, log });
    closing.add("private listener", () => privateListener.close(0));
    const publicListener = await listen({
      address: { kind: "tcp", ...settings.listen },
      fetch: createPublicApp(surface, log),
      setting: "--port",
      log,
    });
    closing.add(
      "open responses",
      () => Promise.all([publicListener.close(DRAIN_MS), surface.drain()]),
      // The listener cuts what is left at that bound, and then a surface has nothing more to end.
      DRAIN_MS + 1_000,
    );
    logRisks(log, settings);
    await surface.resume?.();
    return {
      publicAddress: publicListener.address,
      privateAddress: privateListener.address,
      stateDir,
      stop: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function openState({ app, settings, env }: StartRelayOptions): Promise<StateDir> {
  if (settings.stateDir !== undefined) return openStateDir(settings.stateDir);
  return settings.mode === "demo"
    ? createTemporaryStateDir(app.name, env)
    : openStateDir(defaultStateDir(app.name, settings.instance, env));
}

type PrivateOptions = {
  readonly settings: Settings;
  readonly stateDir: string;
  readonly router: Router;
  readonly log: Log;
};

async function listenPrivately({
  settings,
  stateDir,
  router,
  log,
}: PrivateOptions): Promise<Listener> {
  const { socket, host = "127.0.0.1", port, token } = settings.private ?? {};
  if (port === undefined || token === undefined) {
    return listen({
      address: { kind: "socket", path: socket ?? join(stateDir, "private.sock") },
      fetch: createPrivateApp({ router, log }),
      setting: "private.socket",
      log,
    });
  }
  let hosts: readonly string[] = [];
  const listener = await listen({
    address: { kind: "tcp", host, port },
    fetch: createPrivateApp({ router, log, guard: () => ({ hosts, token }) }),
    setting: "private.port",
    log,
  });
  if (listener.address.kind === "tcp") {
    const { port: bound } = listener.address;
    hosts = [host.includes(":") ? `[${host}]:${bound}` : `${host}:${bound}`, `localhost:${bound}`];
  }
  return listener;
}

/** Says at each start what an operator should not forget. */
function logRisks(log: Log, settings: Settings): void {
  for (const { name } of settings.mode === "demo" ? [] : settings.bots) {
    if (isOpenToEverybody(settings.access, name)) {
      log.warn({ bot: name }, "everybody may talk to this bot");
    }
  }
  if (settings.fromEnvironment.length > 0) {
    log.warn(
      { settings: settings.fromEnvironment },
      "secrets came by the environment, where agents that run as this user can read them; use files",
    );
  }
}
