import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import {
  type AccessRule,
  createJournal,
  createLog,
  createPeople,
  createRelayCommands,
  createSurfaceNotes,
  formatConversationKey,
  type Inbound,
  type Notice,
  openRelayDb,
  RELAY_TABLES,
  Redactor,
  type SlackBot,
  type SurfaceBot,
  type SurfaceContext,
} from "@acp-kit/relay";
import { createRouter, DEFAULT_OPTIONS, type LogEvent, type Router } from "@acp-kit/router";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { FakeSlack, type FakeSlackOptions, type SlackPerson } from "@acp-kit/testkit";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { identify } from "../../src/identify.ts";
import {
  CallQueue,
  createSlackCaller,
  createSlackDownloads,
  createSlackSocketOpener,
  Demotions,
  Directory,
  HeardBook,
  OpenConversations,
  QuestionBook,
  SignBook,
  SlackIntake,
  SlackReceiver,
  type SlackRenderer,
  type SlackWorkspace,
  type SocketEnvelope,
  SocketSupervisor,
  slackTables,
  systemClock,
} from "../../src/index.ts";

const loginAgent = fileURLToPath(
  new URL("../../../relay/test/fixtures/login-agent.ts", import.meta.url),
);
const demoAgent = fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url));

/** What the surface says itself, word for word; of turns nothing is shown here. */
const renderer: SlackRenderer = {
  render: () => ({ parts: [] }),
  say: (_, markdown) => ({ kind: "text", markdown }),
  cards: () => [],
  findEmphasis: () => [],
  mrkdwn: () => [],
};

/** Says what it was asked, each time. */
export const ECHO: object = { prompt: [{ kind: "text", text: "You said: {{prompt}}" }] };

/** Works until it is stopped. */
export const WAITING: object = {
  prompt: [{ kind: "text", text: "Working." }, { kind: "wait" }],
};

type AuditEvent = Parameters<NonNullable<SurfaceContext["audit"]>["append"]>[0];

export type IntakeRigOptions = {
  /** The agent is one to log in to. */
  readonly isLogin?: boolean;
  readonly script?: object;
  readonly access?: readonly AccessRule[];
  readonly slack?: FakeSlackOptions;
  readonly hasAgentView?: boolean;
  /** Where events come from; sockets by default. */
  readonly transport?: "http";
  readonly features?: SlackBot["features"];
  /** The relay's time; the system's by default. */
  readonly now?: () => number;
};

export type IntakeProcess = {
  readonly intake: SlackIntake;
  readonly router: Router;
  readonly workspace: SlackWorkspace;
  /** Ends it as a process ends that lets go of everything. */
  readonly end: () => Promise<void>;
};

/** A bot of one relay: the fake workspace, and processes of which each has its own router over the same files. */
/** Without these nothing comes in. */
const HEARD: SlackBot["features"] = [
  "channels",
  "private-channels",
  "group-messages",
  "direct-messages",
  "reactions",
];

export class IntakeRig {
  readonly slack: FakeSlack;
  readonly ana: SlackPerson;
  readonly bob: SlackPerson;
  /** What came in, by the word of the journal for it. */
  readonly inbound: Omit<Inbound, "surface" | "bot">[] = [];
  readonly failures: unknown[] = [];
  readonly audited: AuditEvent[] = [];
  /** What operators were told. */
  readonly notices: string[] = [];
  /** How long each envelope has waited for its acknowledgement, in milliseconds. */
  readonly waits: number[] = [];
  /** State of all its processes. */
  readonly directory: string;
  readonly #options: IntakeRigOptions;
  /** Of the process that was opened last. */
  #receiver: SlackReceiver | undefined;

  static async start(options: IntakeRigOptions = {}): Promise<IntakeRig> {
    if (options.transport !== "http") {
      return new IntakeRig(await FakeSlack.start(options.slack), options);
    }
    let rig: IntakeRig | undefined;
    const listener = getRequestListener(async (request) => {
      const receiver = rig ? rig.#receiver : undefined;
      return receiver ? await receiver.fetch(request) : new Response(null, { status: 503 });
    });
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
    const slack = await FakeSlack.start({ ...options.slack, transport: { requestUrl } });
    rig = new IntakeRig(slack, options);
    return rig;
  }

  private constructor(slack: FakeSlack, options: IntakeRigOptions) {
    this.slack = slack;
    this.#options = options;
    this.ana = slack.person("U0ANA");
    this.bob = slack.person("U0BOB");
    this.directory = mkdtempSync(path.join(tmpdir(), "slack-intake-"));
    writeFileSync(this.#file("script.json"), JSON.stringify(options.script ?? ECHO));
    onTestFinished(async () => {
      await slack[Symbol.asyncDispose]();
      rmSync(this.directory, { recursive: true, force: true });
    });
  }

  /** A process of the relay with its sockets. */
  async open(): Promise<IntakeProcess> {
    const { slack } = this;
    const { access = [{ users: ["*"], role: "user" }], hasAgentView = true } = this.#options;
    const { features = HEARD, now = Date.now } = this.#options;
    const bot = { ...plainBot, settings: { ...plainBot.settings, features } };
    const db = await openRelayDb(this.directory, [...RELAY_TABLES, slackTables]);
    const store = await openSqliteStore({ directory: this.directory });
    const agent = new AgentSupervisor({
      command: [
        process.execPath,
        "--conditions=@acp-kit/source",
        ...(this.#options.isLogin
          ? [loginAgent, this.#file("record.jsonl")]
          : [
              demoAgent,
              ...["--script", this.#file("script.json")],
              ...["--record", this.#file("record.jsonl"), "--store", this.#file("sessions")],
            ]),
      ],
      hostEnv: process.env,
      clientInfo: { name: "slack-intake-test", version: "0" },
      stopTimings: { eofMs: 500, termMs: 500 },
    });
    const log = createLog({ level: "silent", redactor: new Redactor(), write: () => undefined });
    const people = createPeople({
      ...{ db, app: "slack-relay", rules: access, limits: {}, isDemo: false },
      ...{ workspaceOf: () => bot.workspace, boundsOf: () => bot, now: Date.now },
      onDecision: () => undefined,
    });
    const placeOf = (conversation: string) => {
      const [, name = "", team, channel] = conversation.split("/");
      return { surface: "slack", bot: name, team, channel, isDirect: channel?.startsWith("D") };
    };
    const { apiUrl, app } = slack;
    const downloads = createSlackDownloads({ token: app.botToken, apiUrl });
    const router = createRouter({
      ...{ agent, store, stateDir: this.directory, turnLimits: { cancelGraceMs: 500 } },
      downloads: () => downloads,
      roleOf: (user, conversation) => people.roleOf({ ...placeOf(conversation), user }),
      admitTurn: (start) => people.admitTurn(start),
      mayChoose: (choice) => people.mayChoose(choice),
    });
    const commands = createRelayCommands({
      app: { name: "slack-relay", version: "0.0.0" },
      ...{ bots: [bot], db, router, people, log },
      rules: { mayChoose: (choice) => people.mayChoose(choice) },
      agents: new Map([["demo", agent]]),
    });
    const journal = createJournal({
      ...{ db, log, now: Date.now, redact: (text: string) => text, count: () => undefined },
    });
    const context = {
      ...{ bots: [bot], router, people, commands, log, now },
      notes: createSurfaceNotes(db),
      audit: { append: (event: AuditEvent) => void this.audited.push(event) },
      notices: {
        tell: ({ text }: Notice) => void this.notices.push(text),
        addSink: () => undefined,
      },
      imageHosts: [],
      journal: {
        note: ({ surface: _, bot: __, ...inbound }: Inbound, detail?: "noted" | "counted") => {
          if (detail !== "counted") this.inbound.push(inbound);
        },
        fail: (failure) => {
          journal.fail(failure);
          this.failures.push(failure.error);
        },
      },
      db,
      takeLock: () => {
        throw new Error("intake takes no lock");
      },
    } as SurfaceContext;
    const call = createSlackCaller({ token: app.botToken, apiUrl });
    const known = await identify(call);
    if (known.kind !== "known") throw new Error(known.error);
    const queue = new CallQueue(call, systemClock);
    const workspace: SlackWorkspace = {
      ...{ context, bot, hasAgentView, renderer, call, queue, clock: systemClock },
      identity: known.identity,
      open: new OpenConversations(db, bot.name),
      questions: new QuestionBook(db),
      signs: new SignBook(db),
      demotions: new Demotions(db, bot.name),
      heard: new HeardBook(db, bot.name),
      directory: new Directory(queue, systemClock),
    };
    const intake = new SlackIntake(workspace);
    const take = (envelope: SocketEnvelope) => {
      const from = performance.now();
      const ack: SocketEnvelope["ack"] = (answer) => {
        this.waits.push(performance.now() - from);
        envelope.ack(answer);
      };
      intake.take({ ...envelope, ack });
    };
    const { transport } = this.#options;
    const sockets =
      transport === "http"
        ? undefined
        : new SocketSupervisor({
            open: createSlackSocketOpener({
              call: createSlackCaller({ token: app.appToken, apiUrl }),
              clock: systemClock,
            }),
            clock: systemClock,
            onEnvelope: take,
          });
    if (sockets) await until(() => sockets.health.ready === 2);
    this.#receiver = new SlackReceiver({
      ...{ signingSecrets: [app.signingSecret], clock: systemClock, onEnvelope: take },
    });
    let isOpen = true;
    const end = async () => {
      if (!isOpen) return;
      isOpen = false;
      sockets?.[Symbol.dispose]();
      await intake[Symbol.asyncDispose]();
      queue[Symbol.dispose]();
      await router[Symbol.asyncDispose]();
      await downloads[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
    };
    onTestFinished(end);
    return { intake, router, workspace, end };
  }

  /** What became of things, as `decision reason`, without what came too often to be noted. */
  get decisions(): readonly string[] {
    return this.inbound.map(({ decision, reason }) => `${decision} ${reason}`);
  }

  /** What the agent was asked, each prompt as its texts. */
  get prompts(): readonly string[] {
    const lines = readFileSync(this.#file("record.jsonl"), "utf8").split("\n").filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as { method?: string; params?: { prompt?: Block[] } })
      .filter(({ method }) => method === "session/prompt")
      .map(({ params }) => (params?.prompt ?? []).map(({ text = "" }) => text).join("\n"));
  }

  #file(name: string): string {
    return path.join(this.directory, name);
  }
}

type Block = { readonly text?: string };

const plainBot: SurfaceBot<SlackBot> = {
  name: "shop",
  settings: {
    ...{ surface: "slack", botToken: "xoxb-fake-bot-token", agentView: true, features: [] },
    transport: { kind: "socket", appToken: "xapp-fake-app-token" },
    defaults: {},
  },
  agent: "demo",
  workspace: "shop",
  defaults: DEFAULT_OPTIONS,
};

/** The router's name of a thread. */
export function keyOf(channel: string, thread?: string): string {
  const id = ["T0ACME", channel, ...(thread === undefined ? [] : [thread])].join("/");
  return formatConversationKey({ surface: "slack", bot: plainBot.name, id });
}

/** Waits for what is to become true. */
export async function until(is: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const late = AbortSignal.timeout(ms);
  while (!(await is())) {
    late.throwIfAborted();
    await new Promise(setImmediate);
  }
}

/** The log of a conversation so far. */
export async function eventsOf(router: Router, conversation: string): Promise<LogEvent[]> {
  const log = router.log(conversation);
  const last = await log.last();
  const cursor = log.follow({ after: 0 });
  const events: LogEvent[] = [];
  while (cursor.seq < last) events.push(...((await cursor.next()) ?? []));
  await cursor[Symbol.asyncDispose]();
  return events;
}

/** The texts of messages that became turns. */
export async function askedIn(router: Router, conversation: string): Promise<string[]> {
  const events = await eventsOf(router, conversation);
  return events.flatMap((event) => (event.kind === "turn-queued" ? [event.text] : []));
}

/** Waits until the turns of a conversation have ended. */
export async function ended(router: Router, conversation: string, turns = 1): Promise<void> {
  await until(async () => {
    const events = await eventsOf(router, conversation);
    return events.filter(({ kind }) => kind === "turn-end").length >= turns;
  });
}

/** Asks before it does something. */
export const ASKING: object = {
  prompt: [
    {
      kind: "ask",
      toolCall: { toolCallId: "p", title: "Run", kind: "execute", rawInput: { command: "ls" } },
      options: [
        { optionId: "once", name: "Allow", kind: "allow_once" },
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
      on: { once: [{ kind: "text", text: "Done." }] },
    },
  ],
};

/** How the turns of a conversation have ended. */
export async function outcomesIn(router: Router, conversation: string): Promise<string[]> {
  const events = await eventsOf(router, conversation);
  return events.flatMap((event) => {
    if (event.kind !== "turn-end") return [];
    const { outcome } = event;
    return [outcome.kind === "cancelled" ? `cancelled ${outcome.cause}` : outcome.kind];
  });
}
