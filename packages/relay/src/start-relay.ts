import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentSupervisor } from "@acp-kit/acp-wire";
import { createRouter, type Router } from "@acp-kit/router";
import { createAgents, findAgentPrograms } from "./agents.ts";
import type { RelayApp } from "./app.ts";
import { ClosingStack } from "./closing-stack.ts";
import {
  createRelayCommands,
  type RelayCommandsOptions,
} from "./commands/create-relay-commands.ts";
import { PolicyBook } from "./commands/policy-book.ts";
import type { Env } from "./config/secret.ts";
import { Door } from "./door/door.ts";
import { createDoorActions } from "./door/door-actions.ts";
import { createEnding, type Ending } from "./ending.ts";
import { createFiles } from "./files/create-files.ts";
import { findRisks } from "./find-risks.ts";
import { createGit } from "./git/git.ts";
import { PersonalAgents } from "./homes/personal-agents.ts";
import { type BoundAddress, listen } from "./listener.ts";
import { createPublicApp } from "./listener-apps.ts";
import { createLocks } from "./locks.ts";
import { hashId, type Log } from "./log.ts";
import { KnownOffers } from "./offers/known-offers.ts";
import { openStore } from "./open-store.ts";
import { type AccessDecision, createPeople, type People } from "./people/people.ts";
import { placeOf } from "./people/place-of.ts";
import { listenPrivately } from "./private-listener.ts";
import { createRecords, type Records } from "./records.ts";
import { openRelayDb, type RelayDb } from "./relay-db.ts";
import { tablesOf } from "./relay-tables.ts";
import { runRetention } from "./retention.ts";
import { createRouterConfig, findBot } from "./router-config.ts";
import type { Settings } from "./settings.ts";
import type { SocketHandle } from "./socket-handle.ts";
import { createSurfaceNotes } from "./surface-notes.ts";
import { createWorkspaceLocks } from "./workspace-locks.ts";
import { createChanges } from "./workspaces/changes.ts";
import { createPlaces, type Places } from "./workspaces/places.ts";
import type { Projects } from "./workspaces/projects.ts";
import { runWorktreeSweep } from "./workspaces/run-worktree-sweep.ts";
import { TurnChanges } from "./workspaces/turn-changes.ts";

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
    const client = { name: app.name, version: app.version };
    const db = closing.use("relay database", await openRelayDb(stateDir, await tablesOf(app)));
    const notes = createSurfaceNotes(db);
    const offers = new KnownOffers(notes, Date.now);
    const agents = await createAgents({
      ...{ settings, programs, env, stateDir, client, log },
      hear: (agent, source, isFresh) => offers.hear(agent, source, isFresh),
    });
    for (const [name, agent] of agents) closing.use(`agent ${name}`, agent);
    const store = closing.use("store", await openStore(stateDir, settings.store.durability));
    closing.use("retention", runRetention(store, settings.retention, log));
    const locks = createWorkspaceLocks(stateDir);
    const places: Places = await createPlaces({
      ...{ settings, env, log, stateDir, db, locks },
      home: await realpath(env["HOME"] || homedir()).catch(() => homedir()),
      people: () => people,
      router: () => router,
      now: Date.now,
    });
    closing.use("sweep of worktrees", runWorktreeSweep(places, log));
    const projectOf = (conversation: string) => places.projects.current(conversation);
    const records = closing.use(
      "records",
      await createRecords({
        ...{ db, settings, stateDir, log, app: app.name, now: Date.now },
        roleOf: (user, conversation) => people.roleOf({ ...placeOf(conversation), user }),
        projectOf,
      }),
    );
    const people: People = createRelayPeople(options, db, { projects: places.projects, records });
    closing.use("usage", people.usage);
    const files = closing.use(
      "files",
      createFiles({
        attachments: settings.attachments,
        proxy: settings.proxy,
        botOf: (conversation) => findBot(settings, conversation),
        createDownloads: app.createDownloads,
      }),
    );
    const gitOf = async (conversation: string) => {
      const { identity } = await places.surroundingsOf(conversation);
      return createGit({ identity, path: env["PATH"] });
    };
    const turns = closing.use("changes of turns", new TurnChanges(gitOf));
    const lockWorkspace = turns.around(locks.lock);
    const policies = new PolicyBook(db);
    const door = createDoor(options, db);
    const rules = createRouterConfig({
      ...{ settings, agents, places, lockWorkspace, files, people, policies, store, stateDir, log },
      ...{ records, sessionServers: door.servers },
    });
    const router: Router = closing.use("router", createRouter(rules));
    const gc = router.runGc(GC_MS);
    closing.add("collection of idle sessions", async () => gc[Symbol.dispose]());
    if (settings.agentTools.enabled) {
      closing.use("door", door);
      await door.open(createDoorActions({ router, people, projectOf, now: Date.now }));
    }
    const { bots } = settings;
    const { journal, audit, notices, metrics } = records;
    const commands = createRelayCommands({
      ...{ app, bots, db, router, rules, agents, people, journal, audit, log },
      projects: places.projects,
      changes: createChanges({
        ...{ places, turns, path: env["PATH"] },
        sendingOf: (conversation) => files.routerConfig.sending?.(conversation),
      }),
      offers,
      ...personalAgentOf(agents),
    });
    const surface = await app.createSurface({
      ...{ bots, router, people, commands, offers, notes, log, journal, audit, notices },
      imageHosts: settings.attachments.imageHosts,
      proxy: settings.proxy,
      ...{ db, now: Date.now },
      takeLock: createLocks(join(stateDir, "locks", app.surfaceName)),
    });
    const privateListener = await listenPrivately({
      ...{ settings, stateDir, router, metrics, log },
      health: surface.health && (() => surface.health?.() ?? []),
    });
    closing.add("private listener", () => privateListener.close(0));
    const { held: handle } = options;
    const publicListener = await listen({
      address: handle ? { kind: "held", handle } : { kind: "tcp", ...settings.listen },
      fetch: createPublicApp(surface, log),
      setting: "--port (0 takes any that is free) or --host",
      log,
    });
    closing.add("public listener", () => publicListener.close(0));
    await logRisks(options, programs);
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

/** Who logs in to an agent logs in for themselves where it serves each person by a process of their own. */
function personalAgentOf(
  agents: ReadonlyMap<string, AgentSupervisor>,
): Pick<RelayCommandsOptions, "personalAgent"> {
  const isPersonal = (agent?: AgentSupervisor) => agent instanceof PersonalAgents;
  if (![...agents.values()].some(isPersonal)) return {};
  return {
    personalAgent: async (name, user) => {
      const agent = agents.get(name);
      return agent instanceof PersonalAgents ? agent.forPerson(user) : undefined;
    },
  };
}

function createDoor({ settings, stateDir, log }: StartRelayOptions, db: RelayDb): Door {
  const { setModel } = settings.agentTools;
  return new Door({
    ...{ stateDir, db, log, now: Date.now },
    tools: ["attach", "status", ...(setModel ? (["set_model"] as const) : [])],
    reaches: (agent) => isNextToUs(settings.agents[agent]),
  });
}

/** Neither another user nor another machine: whoever is can use a socket of this user's. */
function isNextToUs(agent: Settings["agents"][string] | undefined): boolean {
  return agent?.runAs === undefined && agent?.wrapper === undefined;
}

function createRelayPeople(
  { app, settings, log }: StartRelayOptions,
  db: RelayDb,
  { projects, records }: { readonly projects: Projects; readonly records: Records },
): People {
  return createPeople({
    db,
    app: app.name,
    rules: settings.access,
    limits: settings.limits,
    isDemo: settings.mode === "demo",
    workspaceOf: (conversation) => projects.current(conversation),
    boundsOf: (conversation, agent = "") => {
      const { agent: own, workspace } = findBot(settings, conversation);
      const { models, modes } = settings.agents[agent || own] ?? {};
      return { agent: own, workspace, models, modes };
    },
    now: Date.now,
    onDecision: (decision) => {
      logDecision(log, decision);
      records.decided(decision);
    },
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
async function logRisks(
  { log, settings, env }: StartRelayOptions,
  programs: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { about, text } of await findRisks(settings, programs, env)) log.warn(about, text);
}
