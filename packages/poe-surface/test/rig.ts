import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type AccessRule,
  createJournal,
  createLocks,
  createLog,
  createNotices,
  createPeople,
  createRelayCommands,
  createSurfaceNotes,
  formatConversationKey,
  type Limits,
  openRelayDb,
  type People,
  RELAY_TABLES,
  Redactor,
  type RelayDb,
  type RelaySurface,
  type SurfaceBot,
  type SurfaceContext,
} from "@acp-kit/relay";
import {
  type Agent,
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  MemoryStore,
  type Router,
  type RouterConfig,
  RouterError,
} from "@acp-kit/router";
import {
  createPoeDriver,
  createPoeId,
  GatedAgent,
  type PoeDriver,
  type PoeQuery,
  type PoeQueryIds,
  type PoeQueryOptions,
} from "@acp-kit/testkit";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { createPoeSurface, type ResponseLimits } from "../src/index.ts";
import { plainRenderer } from "./plain-renderer.ts";

export const KEY = "k".repeat(32);

const bot: SurfaceBot = {
  name: "shop",
  settings: { surface: "poe", path: "/poe", accessKeys: [KEY], defaults: { hideThinking: false } },
  agent: "demo",
  workspace: "shop",
  defaults: DEFAULT_OPTIONS,
};

export type RigOptions<A extends Agent> = {
  readonly agent?: A;
  readonly limits?: Partial<ResponseLimits>;
  readonly access?: readonly AccessRule[];
  /** Of Poe's upload call. */
  readonly uploadUrl?: string;
  readonly router?: Partial<RouterConfig>;
  readonly budget?: Limits;
};

/** Text goes out at once: what a test waits for does not wait for the clock. */
const QUICK: Partial<ResponseLimits> = { flushPeriodMs: 0 };

type DoorIds = {
  readonly conversation: string;
  readonly userId: string;
  readonly uploadUrl?: string | undefined;
  readonly apiUrl?: string | undefined;
};

/** One surface behind a real server on loopback. */
export class Door implements AsyncDisposable {
  readonly surface: RelaySurface;
  readonly #context: SurfaceContext;
  readonly #ids: DoorIds;
  readonly #server: Server;
  #poe: PoeDriver | undefined;

  constructor(context: SurfaceContext, limits: Partial<ResponseLimits>, ids: DoorIds) {
    this.#context = context;
    this.#ids = ids;
    const create = createPoeSurface({
      renderer: plainRenderer,
      limits: { ...QUICK, ...limits },
      ...(ids.uploadUrl !== undefined && { uploadUrl: ids.uploadUrl }),
      ...(ids.apiUrl !== undefined && { apiUrl: ids.apiUrl }),
    });
    this.surface = create(context);
    this.#server = createServer(
      getRequestListener((request, env) => this.surface.fetch(request, env as HttpBindings)),
    );
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#poe = createPoeDriver({ url: this.url, key: KEY });
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/poe`;
  }

  get poe(): PoeDriver {
    if (!this.#poe) throw new Error("the door is not open");
    return this.#poe;
  }

  /** A message of the rig's conversation and user. */
  ask(
    text: string,
    ids: Partial<PoeQueryIds> & Pick<PoeQueryOptions, "parameters"> = {},
  ): PoeQuery {
    const { conversation, userId } = this.#ids;
    return this.poe.query({ text, conversation, userId, ...ids });
  }

  /** Asks, and waits for the whole answer; fails for whatever Poe's client would complain about. */
  answer(text: string, ids: Partial<PoeQueryIds> = {}): Promise<string> {
    return finished(this.ask(text, ids));
  }

  /** Another surface over the same router: it shares nothing with this one but the log. */
  surfaceWith(
    limits: Partial<ResponseLimits>,
    context: Partial<SurfaceContext> = {},
    urls: Pick<DoorIds, "apiUrl"> = {},
  ): Promise<Door> {
    return new Door({ ...this.#context, ...context }, limits, { ...this.#ids, ...urls }).open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.surface.drain(AbortSignal.abort());
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A store that can lose the oldest events of its logs, as one does that keeps them for some time only. */
class ForgetfulStore extends MemoryStore {
  #first = 1;

  /** Everything before this seq is gone. */
  forget(first: number): void {
    this.#first = first;
  }

  override async read(conversation: string, after: number, limit: number) {
    if (after + 1 < this.#first) {
      throw new RouterError("gone", { code: "expired", first: this.#first });
    }
    return super.read(conversation, after, limit);
  }
}

/** A router with its agent, and a surface over it. */
export class Rig<A extends Agent = GatedAgent> extends Door {
  readonly agent: A;
  readonly router: Router;
  readonly store: ForgetfulStore;
  /** What was logged. */
  readonly lines: string[];
  /** What came in, and what became of it. */
  readonly inbound: string[];
  readonly key: string;
  readonly #directory: string;
  readonly #db: RelayDb;
  readonly people: People;

  static async open<A extends Agent = GatedAgent>(options: RigOptions<A> = {}): Promise<Rig<A>> {
    const { agent = new GatedAgent() as Agent as A, limits = {}, access, uploadUrl } = options;
    const { budget = {} } = options;
    const directory = mkdtempSync(path.join(tmpdir(), "poe-surface-"));
    const db = await openRelayDb(directory, RELAY_TABLES);
    const people = createPeople({
      db,
      app: "poe-relay",
      rules: access ?? [{ users: ["*"], role: "user" }],
      limits: budget,
      isDemo: false,
      workspaceOf: () => bot.workspace,
      boundsOf: () => bot,
      now: Date.now,
      onDecision: (decision) => log.info(decision, "decision"),
    });
    const lines: string[] = [];
    const store = new ForgetfulStore();
    const allowedCommands = (_: string, user: string) =>
      people.commandsOf({ surface: "poe", bot: bot.name, user });
    const router = createRouter({
      agent,
      allowedCommands,
      store,
      stateDir: directory,
      turnLimits: { cancelGraceMs: 500 },
      roleOf: (user) => people.roleOf({ surface: "poe", bot: bot.name, user }),
      admitTurn: (start) => people.admitTurn(start),
      mayChoose: (choice) => people.mayChoose(choice),
      onMetric: (metric) => metric.kind === "spent" && people.usage.spend(metric),
      onReport: (report) => report.kind === "turn-ended" && people.usage.end(report.turn),
      ...options.router,
    });
    const log = createLog({
      level: "debug",
      redactor: new Redactor(),
      write: (line) => lines.push(line),
    });
    const commands = createRelayCommands({
      app: { name: "poe-relay", version: "0.0.0" },
      bots: [bot],
      db,
      router,
      people,
      rules: { mayChoose: (choice) => people.mayChoose(choice), allowedCommands },
      agents: new Map(),
      log,
    });
    const notes = createSurfaceNotes(db);
    const inbound: string[] = [];
    const journal = createJournal({
      ...{ db, log, now: Date.now, redact: (text: string) => text },
      count: ({ decision, reason }) => inbound.push(`${decision} ${reason}`),
    });
    const notices = createNotices({ log, now: Date.now });
    const context = {
      ...{ bots: [bot], router, people, commands, notes, log, journal, notices },
      imageHosts: [],
      ...{ db, now: Date.now, takeLock: createLocks(directory) },
    };
    const own = { agent, lines, inbound, directory, store, db, uploadUrl };
    return new Rig(context, limits, own).open();
  }

  private constructor(
    context: SurfaceContext,
    limits: Partial<ResponseLimits>,
    own: {
      agent: A;
      lines: string[];
      inbound: string[];
      directory: string;
      store: ForgetfulStore;
      db: RelayDb;
      uploadUrl: string | undefined;
    },
  ) {
    const conversation = createPoeId("c");
    const { uploadUrl } = own;
    super(context, limits, { conversation, userId: createPoeId("u"), uploadUrl });
    this.agent = own.agent;
    this.router = context.router;
    this.lines = own.lines;
    this.inbound = own.inbound;
    this.store = own.store;
    this.key = formatConversationKey({ surface: "poe", bot: bot.name, id: conversation });
    this.#directory = own.directory;
    this.#db = own.db;
    this.people = context.people;
  }

  /** The surface of another process: with a router of its own, over the same store. It owns nothing. */
  async elsewhere(limits: Partial<ResponseLimits> = {}): Promise<Door> {
    const router = createRouter({
      agent: this.agent,
      store: this.store,
      stateDir: this.#directory,
      turnLimits: { cancelGraceMs: 500 },
      roleOf: () => "user",
    });
    const door = await this.surfaceWith(limits, { router });
    return Object.assign(door, {
      [Symbol.asyncDispose]: async () => {
        await Door.prototype[Symbol.asyncDispose].call(door);
        await router[Symbol.asyncDispose]();
      },
    });
  }

  /** Closes a client's connection, and waits until the surface knows. */
  async lose(query: PoeQuery): Promise<void> {
    const before = this.#count("a client is gone");
    await query.close();
    await this.gone(before + 1);
  }

  /** Waits until the surface has noticed so many clients that are gone. */
  gone(count = 1): Promise<void> {
    return this.logged("a client is gone", count);
  }

  /** Waits until something has been logged so many times. */
  async logged(text: string, count = 1): Promise<void> {
    const late = AbortSignal.timeout(20_000);
    while (this.#count(text) < count) {
      late.throwIfAborted();
      await new Promise(setImmediate);
    }
  }

  #count(text: string): number {
    return this.lines.filter((line) => line.includes(text)).length;
  }

  /** The log of the rig's conversation so far. */
  async events(): Promise<readonly LogEvent[]> {
    const log = this.router.log(this.key);
    const last = await log.last();
    const cursor = log.follow({ after: 0 });
    const events: LogEvent[] = [];
    while (cursor.seq < last) events.push(...((await cursor.next()) ?? []));
    await cursor[Symbol.asyncDispose]();
    return events;
  }

  /** Waits for an event of the conversation. */
  async event(is: (event: LogEvent) => boolean, after = 0): Promise<LogEvent> {
    const cursor = this.router.log(this.key).follow({ after }, AbortSignal.timeout(5_000));
    for await (const batch of cursor) {
      const found = batch.find(is);
      if (found) return found;
    }
    throw new Error("the event did not come");
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.router[Symbol.asyncDispose]();
    await this.#db[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The body of a response that ended as it should. */
export async function finished(query: PoeQuery): Promise<string> {
  const { how } = await within(10_000, query.done, () => `no end of ${query.body()}`);
  if (how !== "done" || query.violations.length > 0) {
    throw new Error(`${how}: ${JSON.stringify(query.violations)} ${JSON.stringify(query.body())}`);
  }
  return query.body();
}

/** Fails with `what` when `work` takes longer. */
export async function within<T>(ms: number, work: Promise<T>, what: () => string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(what())), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
