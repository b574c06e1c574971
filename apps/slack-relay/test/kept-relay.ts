import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import {
  agentCommand,
  collectOrphans,
  FakeSlack,
  type FakeSlackOptions,
  findFreePort,
  promptsIn,
  readRecord,
  waitFor,
} from "@acp-kit/testkit";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 60_000;

/** A command of slack-relay that has ended. */
export type Ran = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

export type KeptRelayOptions = {
  /** What the agent does. */
  readonly agent: Script;
  /** Beside what makes it serve the workspace and admit everybody. */
  readonly config?: object;
  readonly slack?: FakeSlackOptions;
  /** Of the bot, beside its tokens. */
  readonly bot?: object;
  /** How events come in. [socket] */
  readonly transport?: "socket" | "http";
};

/**
 * A workspace with slack-relay as a process that can be started again: messages, state, and what its agents remember
 * outlive the processes. Disposing ends it as an operator does, and fails when a process is left.
 */
export class KeptRelay implements AsyncDisposable {
  readonly root: string;
  readonly slack: FakeSlack;
  /** Where events go that do not come over a socket. */
  readonly requestUrl: string;
  readonly #port: number;
  readonly #isHttp: boolean;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown[]> = Promise.resolve([0, null]);
  /** Of all starts. */
  stderr = "";
  /** Of the newest start. */
  stdout = "";

  /** Resolves once it hears. */
  static async start(options: KeptRelayOptions): Promise<KeptRelay> {
    const port = await findFreePort();
    const requestUrl = requestUrlOf(port);
    const slack = await FakeSlack.start({
      pingEveryMs: 5_000,
      ...options.slack,
      ...(options.transport === "http" && { transport: { requestUrl } }),
    });
    const relay = new KeptRelay(slack, port, options);
    await relay.start();
    return relay;
  }

  private constructor(slack: FakeSlack, port: number, options: KeptRelayOptions) {
    this.slack = slack;
    this.requestUrl = requestUrlOf(port);
    this.#port = port;
    this.#isHttp = options.transport === "http";
    // A short path: the relay's private socket lies below it.
    this.root = mkdtempSync(path.join(tmpdir(), "sk-"));
    for (const name of ["home", "tmp", "agent"]) mkdirSync(path.join(this.root, name));
    const directory = path.join(this.root, "agent");
    const store = path.join(this.root, "sessions");
    const { botToken, appToken, signingSecret } = slack.app;
    const way = this.#isHttp ? { signingSecret } : { appToken };
    const whole = {
      bots: { chat: { surface: "slack", botToken, apiUrl: slack.apiUrl, ...way, ...options.bot } },
      agents: {
        scripted: {
          command: agentCommand(options.agent, { directory, record: this.record, store }),
        },
      },
      access: [{ users: ["*"], role: "user" }],
      stateDir: path.join(this.root, "state"),
      ...options.config,
    };
    writeFileSync(this.config, JSON.stringify(whole), { mode: 0o600 });
  }

  get config(): string {
    return path.join(this.root, "relay.jsonc");
  }

  get record(): string {
    return path.join(this.root, "agent", "record.jsonl");
  }

  /** Prompts that reached agents. */
  get prompts(): string[] {
    return promptsIn(readRecord(this.record)).map(({ text }) => text);
  }

  /** Processes of its generations, oldest first. */
  get generations(): number[] {
    const pid = this.#child?.pid ?? 0;
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
      return children.split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /** Starts it again, when it has ended. */
  async start(): Promise<void> {
    const child = this.#spawn(["start", "--port", String(this.#port)]);
    this.#child = child;
    this.#ended = once(child, "close");
    this.stdout = "";
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
      });
    }
    const hears = () => {
      if ((child.exitCode ?? child.signalCode) !== null) throw new Error(this.stderr);
      return this.stdout.includes("Private ") && (this.#isHttp || this.slack.socketMode.ready > 0);
    };
    await waitFor("the relay to serve", hears, SOON_MS);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Exit code, or the signal's name. */
  async ends(): Promise<unknown> {
    const [code, signal] = await waitFor("the relay to end", this.#ended, SOON_MS);
    return signal ?? code;
  }

  /** Kills all of its processes at once, as a machine that loses power does. */
  async crash(): Promise<void> {
    const { generations } = this;
    this.kill("SIGKILL");
    for (const pid of generations) process.kill(pid, "SIGKILL");
    await this.ends();
  }

  /** Starts another generation; resolves once the old one takes nothing in any more. */
  async handOver(): Promise<void> {
    const count = () => this.stderr.split("handing over").length - 1;
    const before = count();
    this.kill("SIGHUP");
    await waitFor("the hand-over", () => count() > before, SOON_MS);
  }

  /** Runs a command with this relay's configuration. */
  async run(...args: readonly string[]): Promise<Ran> {
    const child = this.#spawn(args);
    const ran = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        ran[name] += text;
      });
    }
    const [code] = await waitFor(args.join(" "), once(child, "close"), SOON_MS);
    return { code, ...ran };
  }

  /** Asks the private side. */
  async asks(at: string): Promise<readonly [status: number, text: string]> {
    const socketPath = path.join(this.root, "state", "private.sock");
    const asked = request({ socketPath, path: at }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return [response.statusCode ?? 0, await text(response)];
  }

  /** Resolves once what a person sees of a channel fits. */
  async shows(user: string, channel: string, expected: RegExp): Promise<string> {
    const see = () => this.slack.person(user).see(channel);
    const what = `${expected} in ${channel}`;
    try {
      await waitFor(what, () => expected.test(see()), SOON_MS);
    } catch (error) {
      throw new Error(`${String(error)} There is:\n${see()}`, { cause: error });
    }
    return see();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.generations) process.kill(pid, "SIGCONT");
    this.kill("SIGTERM");
    await this.ends().finally(() => this.kill("SIGKILL"));
    const orphans = await collectOrphans(this.root);
    for (const { pid } of orphans) process.kill(pid, "SIGKILL");
    await this.slack[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    if (orphans.length > 0) throw new Error(`processes were left: ${JSON.stringify(orphans)}`);
  }

  #spawn(args: readonly string[]): ChildProcess {
    const [command = "", ...rest] = args;
    const sub = ["sessions", "people", "audit"].includes(command) ? rest.splice(0, 1) : [];
    const all = [command, ...sub, "--config", this.config, ...rest];
    return spawn(process.execPath, ["--conditions=@acp-kit/source", main, ...all], {
      env: {
        PATH: process.env["PATH"],
        HOME: path.join(this.root, "home"),
        TMPDIR: path.join(this.root, "tmp"),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}

function requestUrlOf(port: number): string {
  return `http://127.0.0.1:${port}/slack/events`;
}
