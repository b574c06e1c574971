import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import {
  agentCommand,
  collectOrphans,
  createPoeDriver,
  findFreePort,
  type PoeDriver,
  promptsIn,
  readRecord,
  waitFor,
} from "@acp-kit/testkit";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const KEY = "0123456789abcdefghijklmnopqrstuv";

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 60_000;

/** A command of poe-relay that has ended. */
export type Ran = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

export type KeptRelayOptions = {
  /** File of the program. Default: poe-relay's own. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * A poe-relay that can be started again: its port, its state, and what its agents remember outlive its processes.
 * Disposing ends it as an operator does, and fails when a process is left.
 */
export class KeptRelay implements AsyncDisposable {
  readonly root: string;
  readonly poe: PoeDriver;
  readonly #port: number;
  readonly #agent: readonly string[];
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown[]> = Promise.resolve([0, null]);
  /** Of all starts. */
  stderr = "";
  /** Of the newest start. */
  stdout = "";

  /** Resolves once it serves. */
  static async start(
    agent: Script,
    config: object = {},
    options: KeptRelayOptions = {},
  ): Promise<KeptRelay> {
    const relay = new KeptRelay(await findFreePort(), agent, config, options);
    await relay.start();
    return relay;
  }

  private constructor(
    port: number,
    agent: Script,
    config: object,
    { program = main, env = {} }: KeptRelayOptions,
  ) {
    this.#program = program;
    this.#env = env;
    // A short path: the relay's private socket lies below it.
    this.root = mkdtempSync(path.join(tmpdir(), "pk-"));
    for (const name of ["home", "tmp", "agent"]) mkdirSync(path.join(this.root, name));
    this.#port = port;
    this.poe = createPoeDriver({ url: `http://127.0.0.1:${port}/poe`, key: KEY });
    const directory = path.join(this.root, "agent");
    const store = path.join(this.root, "sessions");
    this.#agent = agentCommand(agent, { directory, record: this.record, store });
    const whole = {
      bots: { poe: { surface: "poe", accessKeys: [KEY] } },
      agents: { scripted: { command: this.#agent } },
      access: [{ users: ["*"], role: "user" }],
      stateDir: this.stateDir,
      ...config,
    };
    writeFileSync(this.#config, JSON.stringify(whole), { mode: 0o600 });
  }

  get stateDir(): string {
    return path.join(this.root, "state");
  }

  get record(): string {
    return path.join(this.root, "agent", "record.jsonl");
  }

  get #config(): string {
    return path.join(this.root, "relay.jsonc");
  }

  /** Process of the primary. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Processes of its generations, oldest first. */
  get generations(): number[] {
    try {
      const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8");
      return children.split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /** Poe at another path, or with another key. */
  driver(at: string, key: string): PoeDriver {
    return createPoeDriver({ url: `http://127.0.0.1:${this.#port}${at}`, key });
  }

  /** Prompts that reached agents. */
  get prompts(): string[] {
    return promptsIn(readRecord(this.record)).map(({ text }) => text);
  }

  /** Starts it again, when it has ended. */
  async start(): Promise<void> {
    const child = this.#spawn(["start", "--port", String(this.#port)]);
    this.#child = child;
    this.#ended = once(child, "close");
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.stdout = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    const serves = () => {
      if ((child.exitCode ?? child.signalCode) !== null) throw new Error(this.stderr);
      return this.stdout.includes(`:${this.#port}/poe`);
    };
    await waitFor("the relay to serve", serves, SOON_MS);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Exit code, or the signal's name. */
  async ends(): Promise<unknown> {
    const [code, signal] = await waitFor("the relay to end", this.#ended, SOON_MS);
    return signal ?? code;
  }

  /** Starts another generation; resolves once it alone takes what comes. */
  async handOver(): Promise<void> {
    const before = this.#count("handing over");
    this.kill("SIGHUP");
    await waitFor("the hand-over", () => this.#count("handing over") > before, SOON_MS);
  }

  /** Runs a command about this relay's state. */
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

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.generations) process.kill(pid, "SIGCONT");
    this.kill("SIGTERM");
    await this.ends().finally(() => this.kill("SIGKILL"));
    const orphans = await collectOrphans(this.root);
    for (const { pid } of orphans) process.kill(pid, "SIGKILL");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    if (orphans.length > 0) throw new Error(`processes were left: ${JSON.stringify(orphans)}`);
  }

  #count(text: string): number {
    return this.stderr.split(text).length - 1;
  }

  #spawn(args: readonly string[]): ChildProcess {
    const [command = "", ...rest] = args;
    const hasSub = ["sessions", "people", "audit"].includes(command);
    const sub = hasSub ? rest.splice(0, 1) : [];
    const all = [command, ...sub, "--config", this.#config, ...rest];
    return spawn(process.execPath, ["--conditions=@acp-kit/source", this.#program, ...all], {
      env: {
        PATH: process.env["PATH"],
        HOME: path.join(this.root, "home"),
        TMPDIR: path.join(this.root, "tmp"),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        ...this.#env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
