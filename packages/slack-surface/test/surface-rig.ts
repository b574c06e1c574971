import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import {
  type AccessRule,
  createJournal,
  createLog,
  createNotices,
  createPeople,
  createRelayCommands,
  createSurfaceNotes,
  type Inbound,
  openRelayDb,
  RELAY_TABLES,
  Redactor,
  type RelaySurface,
  type SlackBot,
  type SurfaceBot,
  type TakeLock,
} from "@acp-kit/relay";
import {
  type BusyPolicy,
  createRouter,
  DEFAULT_OPTIONS,
  type Options,
  type Router,
  type Store,
} from "@acp-kit/router";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import {
  FakeSlack,
  type FakeSlackOptions,
  GatedAgent,
  type GatedPrompt,
  ManualClock,
  type SlackPerson,
} from "@acp-kit/testkit";
import { expect, onTestFinished } from "vitest";
import { type Clock, createSlackSurface, type SlackRenderer, slackTables } from "../src/index.ts";
import { plainRenderer } from "./delivery/plain-renderer.ts";

/** The time of one process, which ends with it, and whose timers stand still while it sleeps. */
class MortalClock implements Clock {
  readonly #clock: Clock;
  #isStopped = false;
  /** What has fallen due in a sleep. */
  #slept: (() => void)[] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, run: () => void): Disposable {
    let isOff = false;
    const fire = () => {
      if (isOff || this.#isStopped) return;
      if (this.#slept) this.#slept.push(fire);
      else run();
    };
    const timer = this.#clock.after(ms, fire);
    return {
      [Symbol.dispose]: () => {
        isOff = true;
        timer[Symbol.dispose]();
      },
    };
  }

  sleep(): void {
    this.#slept ??= [];
  }

  wake(): void {
    const slept = this.#slept ?? [];
    this.#slept = undefined;
    for (const fire of slept) fire();
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** The way of one process to the platform. */
class Wire implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  static async open({ hostname, port }: URL): Promise<Wire> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(server, sockets);
  }

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Whoever is killed lets nothing go: what the store's end has released is owned again, by nobody who lives. */
async function killStore(store: Store, file: string): Promise<void> {
  using database = new DatabaseSync(file);
  const sql = "SELECT id FROM conversations WHERE owner IS NOT NULL";
  const owned = database.prepare(sql).all() as { id: number }[];
  await store[Symbol.asyncDispose]();
  const own = database.prepare("UPDATE conversations SET owner = 'killed' WHERE id = ?");
  for (const { id } of owned) own.run(id);
}

/** Where people are heard. */
const PLACES = ["channels", "private-channels", "group-messages", "direct-messages"] as const;

export type SurfaceRigOptions = {
  readonly access?: readonly AccessRule[];
  readonly slack?: FakeSlackOptions;
  readonly agentView?: boolean;
  readonly defaults?: Options;
  readonly filesToPartners?: boolean;
  readonly busyPolicy?: BusyPolicy;
  /** How the bot hears; over HTTP it hears nothing here. By sockets by default. */
  readonly transport?: "http";
  /** Its processes can be killed. Files are not to be had then: they come from the platform's own address alone. */
  readonly isMortal?: boolean;
  /** People are heard everywhere, unless some of these say where. */
  readonly features?: SlackBot["features"];
  readonly renderer?: SlackRenderer;
};

/** One process of a relay, as far as Slack has to do with it. */
export type SurfaceProcess = {
  readonly surface: RelaySurface;
  readonly router: Router;
  /** Ends as a relay does that is told to stop. */
  readonly end: () => Promise<void>;
  /** Ends as a process does that is killed: nothing of it goes on, and nobody knows what became of its calls. */
  readonly crash: () => Promise<void>;
  /** Sleeps as a machine does: time passes, and nothing of it goes on. Its connections survive that. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Nothing waits to be shown. */
  readonly isQuiet: () => boolean;
};

/**
 * A bot in a fake workspace, and processes of its relay over the same files. Time moves on by itself while a test waits
 * for something, up to fifty times as fast as the world's.
 */
export class SurfaceRig {
  readonly clock: ManualClock;
  readonly slack: FakeSlack;
  readonly agent = new GatedAgent();
  readonly ana: SlackPerson;
  readonly bob: SlackPerson;
  /** What was logged as a warning or worse. */
  readonly complaints: string[] = [];
  /** What was logged beside that. */
  readonly told: string[] = [];
  readonly notices: string[] = [];
  /** What came in, and what was made of it, without what came too often to be noted. */
  readonly inbound: Inbound[] = [];
  /** State of all its processes. */
  readonly directory = mkdtempSync(path.join(tmpdir(), "slack-surface-"));
  readonly #options: SurfaceRigOptions;
  readonly #locks = new Set<string>();
  readonly #processes: (() => Promise<void>)[] = [];
  #isClosed = false;

  static async start(options: SurfaceRigOptions = {}): Promise<SurfaceRig> {
    const clock = new ManualClock(Date.now());
    return new SurfaceRig(
      clock,
      await FakeSlack.start({
        ...{ clock, pingEveryMs: 5_000, ...options.slack },
        // Nobody listens there.
        ...(options.transport === "http" && { transport: { requestUrl: "http://127.0.0.1:9/" } }),
      }),
      options,
    );
  }

  private constructor(clock: ManualClock, slack: FakeSlack, options: SurfaceRigOptions) {
    this.clock = clock;
    this.slack = slack;
    this.ana = slack.person("U0ANA");
    this.bob = slack.person("U0BOB");
    this.#options = options;
    onTestFinished(() => {
      // Whatever a test is about: Slack fetches no address because of what an agent wrote.
      expect(this.unfurling).toEqual([]);
    });
    onTestFinished(() => this[Symbol.asyncDispose]());
  }

  /** Is called by itself when the test ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#processes.splice(0)) await end();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.slack[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** @param changes - What this process finds changed in its configuration. */
  async open(
    changes: Pick<SurfaceRigOptions, "access" | "busyPolicy"> = {},
  ): Promise<SurfaceProcess> {
    const clock = new MortalClock(this.clock);
    const wire = this.#options.isMortal ? await Wire.open(new URL(this.slack.url)) : undefined;
    const { access = [{ users: ["*"], role: "user" }], busyPolicy = "queue" } = {
      ...this.#options,
      ...changes,
    };
    const bot = this.#bot(wire ? `${wire.url}/api/` : this.slack.apiUrl);
    const now = () => clock.now();
    const db = await openRelayDb(this.directory, [...RELAY_TABLES, slackTables]);
    const store = await openSqliteStore({ directory: this.directory });
    const write = (line: string) => {
      if (/"level":"?(?:[456]0|warn|error)/.test(line)) this.complaints.push(line);
      else this.told.push(line);
    };
    const log = createLog({ level: "info", redactor: new Redactor(), write });
    const people = createPeople({
      ...{ db, app: "slack-relay", rules: access, limits: {}, isDemo: false, now },
      ...{ workspaceOf: () => bot.workspace, boundsOf: () => bot, onDecision: () => undefined },
    });
    const placeOf = (conversation: string) => {
      const [, name = "", team, channel] = conversation.split("/");
      return { surface: "slack", bot: name, team, channel, isDirect: channel?.startsWith("D") };
    };
    const { agent } = this;
    const router = createRouter({
      ...{ agent, store, stateDir: this.directory, turnLimits: { cancelGraceMs: 500 }, now },
      roleOf: (user, conversation) => people.roleOf({ ...placeOf(conversation), user }),
      busyPolicy: () => busyPolicy,
    });
    const commands = createRelayCommands({
      ...{ bots: [bot], db, router, people, log },
      app: { name: "slack-relay", version: "0.0.0" },
      rules: { mayChoose: () => true },
      agents: new Map(),
    });
    const journal = createJournal({
      ...{ db, log, now, redact: (text: string) => text, count: () => undefined },
    });
    const notices = createNotices({ log, now });
    notices.addSink(async ({ text }) => void this.notices.push(text));
    const surface = await createSlackSurface({
      renderer: this.#options.renderer ?? plainRenderer,
      clock,
    })({
      ...{ bots: [bot], router, people, commands, log, now, notices, db },
      journal: {
        note: (inbound, detail) => {
          if (detail !== "counted") this.inbound.push(inbound);
          journal.note(inbound, detail);
        },
        fail: (failure) => journal.fail(failure),
      },
      notes: createSurfaceNotes(db),
      takeLock: this.#takeLock,
      imageHosts: [],
    });
    await router.recover();
    const expected = this.slack.socketMode.ready + (this.#options.transport === "http" ? 0 : 2);
    await this.during(surface.resume?.());
    // What is said before would come a minute later.
    await this.until(() => this.slack.socketMode.ready === expected);
    const isQuiet = () => db.get("SELECT conversation FROM slack_open") === undefined;
    let state: "open" | "crashed" | "ended" = "open";
    const crash = async () => {
      if (!wire) throw new Error("This process cannot be killed.");
      state = "crashed";
      const before = this.slack.socketMode.ready;
      clock.stop();
      void surface.retire?.();
      await wire?.[Symbol.asyncDispose]();
      // Others are not taken for its own.
      await this.until(() => this.slack.socketMode.ready <= Math.max(0, before - 2));
      await killStore(store, path.join(this.directory, "store.db"));
      this.#locks.clear();
    };
    const sleep = async (ms: number) => {
      clock.sleep();
      this.slack.socketMode.stall();
      await this.move(ms, 1_000);
      this.slack.socketMode.unstall();
      clock.wake();
    };
    const end = async () => {
      if (state === "ended") return;
      const wasOpen = state === "open";
      state = "ended";
      if (wasOpen) {
        const { socketMode } = this.slack;
        const left = Math.max(0, socketMode.ready - 2);
        await this.during(surface.drain(AbortSignal.abort()));
        // Whoever opens next counts its own alone. That these are closed may be seen a moment later.
        for (let tries = 0; tries < 100 && socketMode.ready > left; tries += 1) await this.pass(50);
        await router[Symbol.asyncDispose]();
        await wire?.[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      }
      await notices[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
    };
    this.#processes.push(end);
    return { surface, router, end, crash, sleep, isQuiet };
  }

  /** Posts whose links Slack would open by itself. */
  get unfurling(): readonly unknown[] {
    return this.slack.calls
      .filter(({ method, outcome }) => /^chat\.post/.test(method) && outcome === "ok")
      .map(({ args }) => args)
      .filter((args) => `${args["unfurl_links"]} ${args["unfurl_media"]}` !== "false false");
  }

  /** The n-th prompt that reached the agent, from 1. */
  async prompted(count: number): Promise<GatedPrompt> {
    await this.until(() => this.agent.prompts.length >= count);
    const prompt = this.agent.prompts[count - 1];
    if (!prompt) throw new Error(`prompt ${count} did not come`);
    return prompt;
  }

  /** Waits for what is to become true, at most so much of the rig's time. */
  async until(is: () => boolean, withinMs = 120_000, stepMs = 50): Promise<void> {
    const late = this.clock.now() + withinMs;
    while (!is()) {
      if (this.clock.now() >= late) throw new Error("It did not happen in time.");
      await this.pass(stepMs);
    }
  }

  /** Lets time pass. */
  async move(ms: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) await this.pass(stepMs);
  }

  /** Lets time pass until something has come. */
  async during<T>(outcome: Promise<T> | undefined): Promise<T | undefined> {
    let isDone = false;
    void outcome?.finally(() => {
      isDone = true;
    });
    await this.until(() => isDone || outcome === undefined);
    return await outcome;
  }

  /** What the app has posted in a thread, as it is to be read. */
  bodies(channel: string, thread: string | undefined): readonly string[] {
    return this.slack
      .messages(channel)
      .filter(({ isFromApp, threadTs }) => isFromApp && threadTs === thread)
      .map((message) => {
        const streamed = message.stream?.parts.map((part) =>
          part.kind === "text" ? part.text : "",
        );
        const markdown = message.blocks.find(({ type }) => type === "markdown");
        return streamed ? streamed.join("") : String(markdown?.["text"] ?? message.text);
      });
  }

  calls(method: string): number {
    return this.slack.calls.filter((call) => call.method === method).length;
  }

  /** What was answered with a limit. */
  get limited(): number {
    return this.slack.calls.filter(({ outcome }) => outcome === "ratelimited").length;
  }

  async pass(ms: number): Promise<void> {
    // Calls over loopback come and go meanwhile.
    await delay(1);
    this.clock.advance(ms);
  }

  readonly #takeLock: TakeLock = async (name) => {
    if (this.#locks.has(name)) return undefined;
    this.#locks.add(name);
    return { release: () => void this.#locks.delete(name) };
  };

  #bot(apiUrl: string): SurfaceBot<SlackBot> {
    const { app } = this.slack;
    const {
      agentView = true,
      defaults = DEFAULT_OPTIONS,
      filesToPartners = false,
      features = ["signs", "first-messages"],
    } = this.#options;
    const heard = PLACES.some((each) => features.includes(each)) ? [] : PLACES;
    return {
      name: "shop",
      settings: {
        ...{ surface: "slack", botToken: app.botToken, apiUrl, agentView },
        features: [...heard, "reactions", ...features],
        filesToPartners,
        transport:
          this.#options.transport === "http"
            ? { kind: "http", signingSecret: app.signingSecret, path: "/slack/events" }
            : { kind: "socket", appToken: app.appToken },
        defaults: {},
      },
      agent: "demo",
      workspace: "shop",
      defaults,
    };
  }
}
