import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { createRouter, type Router } from "@acp-kit/router";
import { createAgents, findAgentPrograms } from "./agents.ts";
import type { RelayApp } from "./app.ts";
import { ClosingStack } from "./closing-stack.ts";
import { createRelayCommands } from "./commands/create-relay-commands.ts";
import { PolicyBook } from "./commands/policy-book.ts";
import type { Env } from "./config/secret.ts";
import { createEnding, type Ending } from "./ending.ts";
import { createFiles } from "./files/create-files.ts";
import { type BoundAddress, listen } from "./listener.ts";
import { createPublicApp } from "./listener-apps.ts";
import { hashId, type Log } from "./log.ts";
import { openStore } from "./open-store.ts";
import { isOpenToEverybody } from "./people/access.ts";
import { type AccessDecision, createPeople, type People } from "./people/people.ts";
import { listenPrivately } from "./private-listener.ts";
import { openRelayDb, type RelayDb } from "./relay-db.ts";
import { RELAY_TABLES } from "./relay-tables.ts";
import { runRetention } from "./retention.ts";
import { createRouterConfig, findBot } from "./router-config.ts";
import type { Settings } from "./settings.ts";
import type { SocketHandle } from "./socket-handle.ts";
import { createSurfaceNotes } from "./surface-notes.ts";
import { createWorkspaces } from "./workspaces.ts";

export type StartRelayOptions = {
  readonly app: RelayApp;
  readonly settings: Settings;
  readonly env: Env;
  readonly log: Log;
  /** Real path of a directory that no other relay uses; other processes of this relay may. */
  readonly stateDir: string;
  /** A socket that listens already, for the public side; it replaces the address of the settings. */
  readonly held?: SocketHandle | undefined;
};

/** A relay that serves. */
export type Relay = Ending & {
  readonly publicAddress: BoundAddress;
  /** The socket of the public side. */
  readonly publicHandle: SocketHandle;
  readonly privateAddress: BoundAddress;
  readonly stateDir: string;
  readonly people: People;
};

/** How often idle sessions are looked for. */
const GC_MS = 60_000;

/**
 * Starts a relay and resolves once it serves: what dead processes of this state directory left running has been taken
 * over then.
 *
 * @throws RelayError; whatever was started until then is stopped again.
 */
export async function startRelay(options: StartRelayOptions): Promise<Relay> {
  const { app, settings, env, log, stateDir } = options;
  const closing = new ClosingStack(log);
  try {
    const programs = await findAgentPrograms(settings.agents, env["PATH"]);
    const workspaces = await createWorkspaces({
      workspaces: settings.workspaces,
      stateDir,
      guarded: settings.configFile === undefined ? [] : [settings.configFile],
      home: await realpath(env["HOME"] || homedir()).catch(() => homedir()),
    });
    const client = { name: app.name, version: app.version };
    const agents = await createAgents({ settings, programs, env, stateDir, client, log });
    for (const [name, agent] of agents) closing.use(`agent ${name}`, agent);
    const store = closing.use("store", await openStore(stateDir, settings.store.durability));
    closing.use("retention", runRetention(store, settings.retention, log));
    const db = closing.use("relay database", await openRelayDb(stateDir, RELAY_TABLES));
    const people = createRelayPeople(options, db);
    closing.use("usage", people.usage);
    const files = closing.use(
      "files",
      createFiles({
        attachments: settings.attachments,
        botOf: (conversation) => findBot(settings, conversation),
      }),
    );
    const policies = new PolicyBook(db);
    const rules = createRouterConfig({
      ...{ settings, agents, workspaces, files, people, policies, store, stateDir, log },
    });
    const router = closing.use("router", createRouter(rules));
    const gc = router.runGc(GC_MS);
    closing.add("collection of idle sessions", async () => gc[Symbol.dispose]());
    const { bots } = settings;
    const commands = createRelayCommands({ app, bots, db, router, rules, agents, people, log });
    const surface = await app.createSurface({
      ...{ bots, router, people, commands, log },
      notes: createSurfaceNotes(db),
      now: Date.now,
    });
    const privateListener = await listenPrivately({ settings, stateDir, router, log });
    closing.add("private listener", () => privateListener.close(0));
    const { held: handle } = options;
    const publicListener = await listen({
      address: handle ? { kind: "held", handle } : { kind: "tcp", ...settings.listen },
      fetch: createPublicApp(surface, log),
      setting: "--port or --host",
      log,
    });
    closing.add("public listener", () => publicListener.close(0));
    logRisks(log, settings);
    await recover(router, log);
    await surface.resume?.();
    return {
      publicAddress: publicListener.address,
      publicHandle: publicListener.handle,
      privateAddress: privateListener.address,
      stateDir,
      people,
      ...createEnding({
        surface,
        router,
        publicListener,
        privateListener,
        closing,
        ...settings.lifecycle,
      }),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function createRelayPeople({ app, settings, log }: StartRelayOptions, db: RelayDb): People {
  const workspaceOf = (conversation: string) => findBot(settings, conversation).workspace;
  return createPeople({
    db,
    app: app.name,
    rules: settings.access,
    limits: settings.limits,
    isDemo: settings.mode === "demo",
    workspaceOf,
    boundsOf: (conversation) => findBot(settings, conversation),
    now: Date.now,
    onDecision: (decision) => logDecision(log, decision),
  });
}

/** People and conversations are named by a digest; the reason is the relay's own word. */
function logDecision(log: Log, { user, conversation, ...decision }: AccessDecision): void {
  const about = {
    ...decision,
    ...(user !== undefined && { user: hashId(user) }),
    ...(conversation !== undefined && { conversation: hashId(conversation) }),
  };
  if (decision.decision === "allowed") log.info(about, "an operator's decision");
  else log.warn(about, decision.decision === "warned" ? "a budget is nearly used up" : "refused");
}

/** A conversation that cannot be taken over now is taken over by its next message. */
async function recover(router: Router, log: Log): Promise<void> {
  try {
    await router.recover();
  } catch (err) {
    log.error({ err }, "what an earlier process left could not be taken over");
  }
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
