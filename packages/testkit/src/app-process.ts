import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Script } from "@acp-kit/demo-agent";
import { agentCommand } from "./agent/agent-command.ts";
import { collectOrphans } from "./agent/orphans.ts";
import { promptsIn, readRecord } from "./agent/record.ts";
import { waitFor } from "./wait-for.ts";

export type AppProcessOptions = {
  /** Its argv; a command and flags follow. */
  readonly program: readonly string[];
  /** PATH and NODE_COMPILE_CACHE are taken from it. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Whether the newest start serves, by what that has printed. */
  readonly serves: (stdout: string) => boolean;
  /** What starting and ending may take, in milliseconds. [60,000] */
  readonly withinMs?: number;
};

/** A command that has ended. */
export type Ran = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

/**
 * A relay as a process that can be started again: its directory, with its state and what its agents remember, outlives
 * the processes. Disposing ends it as an operator does, and fails when a process or a temporary file is left.
 */
export class AppProcess implements AsyncDisposable {
  /** Its directory, with a short path: a socket may lie below it. */
  readonly root = mkdtempSync(path.join(tmpdir(), "ap-"));
  readonly stateDir = path.join(this.root, "state");
  /** File of what reached its agents. */
  readonly record = path.join(this.root, "agent", "record.jsonl");
  /** Flags of `start`. */
  readonly flags: string[] = [];
  /** Of all that is started from now on. */
  readonly env: Record<string, string | undefined>;
  /** Of the newest start. */
  stdout = "";
  /** Of all starts. */
  stderr = "";
  readonly #options: AppProcessOptions;
  readonly #withinMs: number;
  #config: readonly string[] = [];
  #child: ChildProcess | undefined;
  #ended: Promise<unknown[]> = Promise.resolve([0, null]);

  /** Nothing runs yet. */
  constructor(options: AppProcessOptions) {
    this.#options = options;
    this.#withinMs = options.withinMs ?? 60_000;
    const { PATH, NODE_COMPILE_CACHE } = options.hostEnv;
    this.env = {
      PATH,
      HOME: path.join(this.root, "home"),
      TMPDIR: path.join(this.root, "tmp"),
      NODE_COMPILE_CACHE,
    };
    for (const name of ["home", "tmp", "agent"]) mkdirSync(path.join(this.root, name));
  }

  /** The argv of an agent that writes the record, and keeps its sessions for those that follow. */
  agentCommand(script: Script): string[] {
    const directory = path.join(this.root, "agent");
    const store = path.join(this.root, "sessions");
    return agentCommand(script, { directory, record: this.record, store });
  }

  /** What its next commands get by `--config`. */
  configure(config: object): void {
    const file = path.join(this.root, "relay.jsonc");
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    this.#config = ["--config", file];
  }

  /** Starts it, also when it has ended. Resolves once it serves. */
  async start(): Promise<void> {
    this.stdout = "";
    const child = this.#spawn(["start", ...this.flags], this);
    this.#child = child;
    this.#ended = once(child, "close");
    const isUp = () => {
      if ((child.exitCode ?? child.signalCode) !== null) {
        throw new Error(`The relay has ended: ${this.stderr}`);
      }
      return this.#options.serves(this.stdout);
    };
    await waitFor("the relay to serve", isUp, this.#withinMs);
  }

  /** Starts it for the first time; when it does not serve, nothing is left of it. */
  async startOrDispose(): Promise<this> {
    try {
      await this.start();
      return this;
    } catch (error) {
      await this[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
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

  /** Process of the agent that was started last. */
  get agentPid(): number {
    const last = readRecord(this.record).findLast(({ kind }) => kind === "start");
    if (!last) throw new Error("No agent has been started.");
    return last.pid;
  }

  /** Prompts that reached agents. */
  get prompts(): string[] {
    return promptsIn(readRecord(this.record)).map(({ text }) => text);
  }

  /** Signals the primary. */
  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Exit code, or the signal's name. */
  async ends(): Promise<unknown> {
    const [code, signal] = await waitFor("the relay to end", this.#ended, this.#withinMs);
    return signal ?? code;
  }

  /** Kills all of its own processes at once, as a machine does that loses power. Resolves as `ends`. */
  async crash(): Promise<unknown> {
    const { generations } = this;
    this.kill("SIGKILL");
    for (const pid of generations) process.kill(pid, "SIGKILL");
    return await this.ends();
  }

  /** Starts another generation; resolves once it alone takes what comes. */
  async handOver(): Promise<void> {
    const count = () => this.stderr.split("handing over").length - 1;
    const before = count();
    this.kill("SIGHUP");
    await waitFor("the hand-over", () => count() > before, this.#withinMs);
  }

  /** Runs a command with its configuration. */
  async run(...args: readonly string[]): Promise<Ran> {
    const ran = { stdout: "", stderr: "" };
    const child = this.#spawn(args, ran);
    const [code] = await waitFor(args.join(" "), once(child, "close"), this.#withinMs);
    return { code, ...ran };
  }

  /** Asks the private side. */
  async asks(at: string): Promise<readonly [status: number, text: string]> {
    const socketPath = path.join(this.stateDir, "private.sock");
    const asked = request({ socketPath, path: at }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return [response.statusCode ?? 0, await text(response)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.generations) process.kill(pid, "SIGCONT");
    this.kill("SIGTERM");
    const how = await this.ends().finally(() => this.kill("SIGKILL"));
    const orphans = await collectOrphans(this.root);
    for (const { pid } of orphans) process.kill(pid, "SIGKILL");
    // A process that is killed has no chance to remove its own.
    const left = how === "SIGKILL" ? [] : readdirSync(path.join(this.root, "tmp"));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    if (orphans.length > 0) throw new Error(`Processes were left: ${JSON.stringify(orphans)}`);
    if (left.length > 0) throw new Error(`Files were left: ${left.join(" ")}`);
  }

  #spawn(args: readonly string[], printed: { stdout: string; stderr: string }): ChildProcess {
    const [file = "", ...words] = this.#options.program;
    const child = spawn(file, [...words, ...args, ...this.#config], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (piece: string) => {
        printed[name] += piece;
      });
    }
    return child;
  }
}
