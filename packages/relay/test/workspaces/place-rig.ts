import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Attachment,
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  type Router,
  type TurnOutcome,
} from "@acp-kit/router";
import type { Downloads } from "@acp-kit/router/attachments";
import { createAgents, findAgentPrograms } from "../../src/agents.ts";
import type { CommandChanges } from "../../src/commands/command-context.ts";
import { PolicyBook } from "../../src/commands/policy-book.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { createFiles } from "../../src/files/create-files.ts";
import { createGit } from "../../src/git/git.ts";
import { createLog } from "../../src/log.ts";
import { openStore } from "../../src/open-store.ts";
import { createPeople, type People } from "../../src/people/people.ts";
import { createRecords } from "../../src/records.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { RELAY_TABLES } from "../../src/relay-tables.ts";
import { createRouterConfig, findBot } from "../../src/router-config.ts";
import { createSettings } from "../../src/settings.ts";
import { createWorkspaceLocks } from "../../src/workspace-locks.ts";
import { createChanges } from "../../src/workspaces/changes.ts";
import { createPlaces, type Places } from "../../src/workspaces/places.ts";
import { TurnChanges } from "../../src/workspaces/turn-changes.ts";
import { testApp } from "../test-app.ts";

const demoAgent = fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url));

export type PlaceConfig = {
  readonly workspaces: object;
  /** Of the bot. */
  readonly workspace: string;
  readonly access: readonly object[];
  /** More of the agent's configuration. */
  readonly agent?: object;
  /** Another agent, `other`, as which this one runs with these settings. */
  readonly other?: object;
  /** What the agent does with a prompt. */
  readonly prompt?: readonly object[];
  /** Fetches files of messages instead of what fetches from public addresses only. */
  readonly downloads?: Downloads;
};

/** The relay's own router and places over a real agent, as `start` puts them together. Its state outlives it. */
export class PlaceRig implements AsyncDisposable {
  readonly router: Router;
  readonly places: Places;
  readonly changes: CommandChanges;
  readonly #closing: readonly AsyncDisposable[];
  #sent = 0;

  static async open(root: string, config: PlaceConfig): Promise<PlaceRig> {
    const stateDir = join(root, "state");
    mkdirSync(stateDir, { recursive: true });
    const prompt = config.prompt ?? [{ kind: "text", text: "{{session}} {{cwd}}" }];
    writeFileSync(join(root, "script.json"), JSON.stringify({ prompt }));
    const bot = {
      ...{ surface: "poe", accessKeys: ["k".repeat(32)] },
      ...{ agent: "demo", workspace: config.workspace },
    };
    const command = [
      ...[process.execPath, "--conditions=@acp-kit/source", demoAgent],
      ...["--script", join(root, "script.json"), "--store", join(root, "sessions")],
    ];
    const file = join(root, "relay.jsonc");
    const text = JSON.stringify({
      bots: { shop: bot },
      agents: {
        demo: { command, ...config.agent },
        ...(config.other && { other: { command, ...config.other } }),
      },
      workspaces: config.workspaces,
      access: config.access,
    });
    writeFileSync(file, text, { mode: 0o600 });
    const loaded = { ...(await readConfig(file, {})), file };
    const flags = { instance: "default" };
    const settings = createSettings({ app: testApp, flags, loaded, createKey: () => "" });
    const log = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });
    const env = { PATH: process.env["PATH"] };
    const programs = await findAgentPrograms(settings.agents, env.PATH);
    const client = { name: "test", version: "0" };
    const agents = await createAgents({ settings, programs, env, stateDir, client, log });
    const store = await openStore(stateDir, "process");
    const db = await openRelayDb(stateDir, RELAY_TABLES);
    const locks = createWorkspaceLocks(stateDir);
    const places: Places = await createPlaces({
      ...{ settings, env, log, stateDir, db, locks },
      home: join(root, "home"),
      people: () => people,
      router: () => router,
      now: Date.now,
    });
    const people: People = createPeople({
      ...{ db, app: "poe-relay", rules: settings.access, limits: settings.limits },
      isDemo: false,
      workspaceOf: (conversation) => places.projects.current(conversation),
      boundsOf: (conversation) => findBot(settings, conversation),
      now: Date.now,
      onDecision: () => {},
    });
    const botOf = (conversation: string) => findBot(settings, conversation);
    const files = createFiles({ attachments: settings.attachments, botOf });
    const gitOf = async (conversation: string) =>
      createGit({ ...(await places.surroundingsOf(conversation)), path: env.PATH });
    const turns = new TurnChanges(gitOf);
    const lockWorkspace = turns.around(locks.lock);
    const changes = createChanges({
      ...{ places, turns, path: env.PATH },
      sendingOf: (conversation) => files.routerConfig.sending?.(conversation),
    });
    const policies = new PolicyBook(db);
    const records = await createRecords({
      ...{ db, settings, stateDir, log, app: "poe-relay", now: Date.now },
      roleOf: () => undefined,
      projectOf: (conversation) => places.projects.current(conversation),
    });
    const { downloads } = config;
    const router: Router = createRouter({
      ...createRouterConfig({
        ...{
          settings,
          agents,
          places,
          lockWorkspace,
          files,
          people,
          policies,
          store,
          stateDir,
          log,
        },
        ...{ records, sessionServers: { open: () => [], close() {} } },
      }),
      ...(downloads && { downloads: () => downloads }),
    });
    const closing = [router, turns, records, files, people.usage, db, store, ...agents.values()];
    return new PlaceRig({ router, places, changes }, closing);
  }

  private constructor(
    { router, places, changes }: Pick<PlaceRig, "router" | "places" | "changes">,
    closing: readonly AsyncDisposable[],
  ) {
    this.router = router;
    this.places = places;
    this.changes = changes;
    this.#closing = closing;
  }

  /**
   * Posts a message, and resolves with everything of its turn once that has ended.
   *
   * @param during - Called at the agent's first word.
   */
  async ask(
    id: string,
    user: string,
    during?: () => void,
    attachments: readonly Attachment[] = [],
  ): Promise<TurnEvents> {
    const conversation = conversationOf(id);
    this.#sent += 1;
    const key = `m-${Date.now()}-${this.#sent}`;
    const query = [{ role: "user" as const, content: "go", messageId: key, attachments }];
    const { turn, after } = await this.router.submit(conversation, {
      ...{ kind: "prompt", key, user, query, options: DEFAULT_OPTIONS, repeat: "attach" },
      at: Date.now(),
    });
    const events: LogEvent[] = [];
    for await (const batch of this.router.log(conversation).follow({ after, turn })) {
      const hadText = events.some(({ kind }) => kind === "text");
      events.push(...batch.filter((event) => event.turn === turn));
      if (!hadText && events.some(({ kind }) => kind === "text")) during?.();
    }
    return new TurnEvents(events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#closing) await part[Symbol.asyncDispose]();
  }
}

export function conversationOf(id: string): string {
  return `poe/shop/${id}`;
}

/** What the log has of a turn. */
export class TurnEvents {
  readonly all: readonly LogEvent[];

  constructor(all: readonly LogEvent[]) {
    this.all = all;
  }

  /** The agent's session and directory, by its own words. */
  get place(): { session: string; cwd: string } {
    const text = this.all.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
    const [session = "", cwd = ""] = text.split(" ");
    return { session, cwd };
  }

  get notices(): readonly string[] {
    return this.all.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  }

  get outcome(): TurnOutcome | undefined {
    const end = this.all.at(-1);
    return end?.kind === "turn-end" ? end.outcome : undefined;
  }

  /** From its start to its end, in milliseconds since the epoch. */
  get span(): readonly [number, number] {
    const start = this.all.find(({ kind }) => kind === "turn-start")?.at ?? Number.NaN;
    return [start, this.all.at(-1)?.at ?? Number.NaN];
  }
}
