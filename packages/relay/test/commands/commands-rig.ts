import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentSupervisor } from "@acp-kit/acp-wire";
import {
  createRouter,
  DEFAULT_OPTIONS,
  type LogEvent,
  type Role,
  type Router,
  type RouterConfig,
  type Turn,
} from "@acp-kit/router";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { onTestFinished } from "vitest";
import type { CommandHost, CommandOutcome } from "../../src/commands/command-context.ts";
import { commandTables } from "../../src/commands/command-tables.ts";
import { type ChatCommands, createChatCommands } from "../../src/commands/create-chat-commands.ts";
import { LoginBook } from "../../src/commands/login-book.ts";
import { PolicyBook } from "../../src/commands/policy-book.ts";
import { createLog } from "../../src/log.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { temporaryDirectory } from "../support.ts";

const demoAgent = fileURLToPath(new URL("../../../demo-agent/src/main.ts", import.meta.url));
const loginAgent = fileURLToPath(new URL("../fixtures/login-agent.ts", import.meta.url));
const node = [process.execPath, "--conditions=@acp-kit/source"];

export const CONVERSATION = "poe/shop/c-1";

export type Said = {
  readonly user?: string;
  readonly role?: Role;
  readonly key?: string;
  readonly at?: number;
  readonly query?: readonly Turn[];
};

export type RigOptions = {
  /** What the agent does; absent: it is one to log in to. */
  readonly script?: object;
  readonly host?: Partial<CommandHost>;
  readonly router?: Partial<RouterConfig>;
};

/** The commands over a real router, a real store on disk and a real agent process. */
export class CommandsRig {
  readonly directory: string;
  readonly stateDir: string;
  readonly record: string;
  readonly router: Router;
  readonly commands: ChatCommands;
  readonly host: CommandHost;
  readonly lines: string[] = [];
  #count = 0;

  static async open({ script, host, router }: RigOptions = {}): Promise<CommandsRig> {
    const directory = temporaryDirectory();
    const stateDir = join(directory, "state");
    mkdirSync(stateDir);
    const store = await openSqliteStore({ directory: stateDir });
    const db = await openRelayDb(stateDir, [commandTables]);
    const record = join(directory, "record.jsonl");
    const file = join(directory, "script.json");
    writeFileSync(file, JSON.stringify(script ?? {}));
    const args = script ? [demoAgent, "--script", file, "--record", record] : [loginAgent, record];
    const agent = new AgentSupervisor({
      command: [...node, ...args],
      hostEnv: process.env,
      clientInfo: { name: "commands-test", version: "0" },
      stopTimings: { eofMs: 500, termMs: 500 },
    });
    const agents = new Map([["claude", agent]]);
    const engine = createRouter({
      agent,
      agents,
      store,
      stateDir,
      turnLimits: { cancelGraceMs: 500 },
      ...router,
    });
    onTestFinished(async () => {
      await engine[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
      await db[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    });
    const lines: string[] = [];
    const log = createLog({
      level: "debug",
      redactor: new Redactor(),
      write: (line) => lines.push(line),
    });
    const whole: CommandHost = {
      router: engine,
      log,
      relay: "poe-relay 0.1.0",
      bots: new Map([["shop", { agent: "claude", workspace: "shop" }]]),
      agents,
      logins: new LoginBook(db),
      policies: new PolicyBook(db),
      ...host,
    };
    return new CommandsRig({ directory, stateDir, record, host: whole, lines });
  }

  private constructor(parts: {
    directory: string;
    stateDir: string;
    record: string;
    host: CommandHost;
    lines: string[];
  }) {
    this.directory = parts.directory;
    this.stateDir = parts.stateDir;
    this.record = parts.record;
    this.host = parts.host;
    this.lines = parts.lines;
    this.router = parts.host.router;
    this.commands = createChatCommands(parts.host);
  }

  /** What a message comes to; `undefined` when it is for the agent or the surface. */
  async outcome(text: string, said: Said = {}): Promise<CommandOutcome | undefined> {
    const { user = "u-ana", role = "user", at = Date.now(), query = [] } = said;
    this.#count += 1;
    const { key = `m-${this.#count}` } = said;
    const message = { conversation: CONVERSATION, bot: "shop", user, role, key, text, at, query };
    return this.commands.recognise(message)?.run();
  }

  /** What the relay replies; the whole outcome where it is no reply. */
  async say(text: string, said: Said = {}): Promise<string> {
    const outcome = await this.outcome(text, said);
    return outcome?.kind === "reply" ? outcome.text : JSON.stringify(outcome ?? null);
  }

  /** Posts a message for the agent, and gives its turn once it is in the log. */
  async post(text: string, said: { user?: string; key?: string } = {}): Promise<string> {
    const { user = "u-ana", key = `p-${text}` } = said;
    const query = [{ role: "user", content: text, messageId: key, attachments: [] }];
    const options = DEFAULT_OPTIONS;
    const at = Date.now();
    const posted = await this.router.submit(CONVERSATION, {
      ...{ kind: "prompt", key, user, query, options, repeat: "attach", at },
    });
    return posted.turn;
  }

  /** Posts a message, and waits for an event of its turn; the end of it, if not said otherwise. */
  async run(
    text: string,
    until: LogEvent["kind"] = "turn-end",
    said: { user?: string } = {},
  ): Promise<string> {
    const turn = await this.post(text, said);
    await this.event(turn, until);
    return turn;
  }

  async event(turn: string, kind: LogEvent["kind"]): Promise<LogEvent> {
    const cursor = this.router.log(CONVERSATION).follow({ after: 0 }, AbortSignal.timeout(20_000));
    for await (const batch of cursor) {
      const found = batch.find((event) => event.turn === turn && event.kind === kind);
      if (found) return found;
    }
    throw new Error(`no ${kind} came`);
  }

  /** Everything that the agent was prompted with, as text. */
  prompted(): string {
    return existsSync(this.record) ? readFileSync(this.record, "utf8") : "";
  }
}
