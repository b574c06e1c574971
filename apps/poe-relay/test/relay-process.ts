import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "@acp-kit/demo-agent";
import {
  agentCommand,
  collectOrphans,
  createPoeDriver,
  type PoeDriver,
  readRecord,
  waitFor,
} from "@acp-kit/testkit";

const poeRelay = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** The access key of a relay that was started with `config`. */
export const KEY = "0123456789abcdefghijklmnopqrstuv";

/** For what takes a moment, on a machine that has other things to do. */
export const SOON_MS = 20_000;

export type RelayProcessOptions = {
  /** File of the program. Default: poe-relay's own. */
  readonly program?: string;
  /** What the agent does. Default: the demo. */
  readonly agent?: Script;
  /** A shell command that runs in the agent's place, with the agent's own words as `"$@"`. */
  readonly around?: string;
  /** Without it the relay is the demo. */
  readonly config?: object;
  /** Flags of `start`. */
  readonly flags?: readonly string[];
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * poe-relay as a process from its sources, with directories of its own. Disposing ends it as an operator does, and
 * fails when it leaves anything behind.
 */
export class RelayProcess implements AsyncDisposable {
  readonly root: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #poe: PoeDriver | undefined;
  /** Where its first bot listens. */
  url = "";
  stdout = "";
  stderr = "";

  /** Resolves once it serves. */
  static async start(options: RelayProcessOptions = {}): Promise<RelayProcess> {
    const relay = new RelayProcess(options);
    try {
      await relay.#serves();
      return relay;
    } catch (error) {
      relay.kill("SIGKILL");
      await relay.ends();
      rmSync(relay.root, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor({
    program = poeRelay,
    agent,
    around,
    config,
    flags = [],
    nodeFlags = [],
    env,
  }: RelayProcessOptions) {
    // A short path: the relay's private socket lies below it.
    this.root = mkdtempSync(path.join(tmpdir(), "pr-"));
    for (const name of ["home", "tmp", "agent"]) mkdirSync(path.join(this.root, name));
    const args = ["start", "--port", "0", ...flags];
    if (agent !== undefined) args.push("--agent", this.#agentLine(agent, around));
    if (config !== undefined) {
      const file = path.join(this.root, "relay.jsonc");
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      args.push("--config", file);
    }
    this.#child = spawn(
      process.execPath,
      ["--conditions=@acp-kit/source", ...nodeFlags, program, ...args],
      {
        env: {
          PATH: process.env["PATH"],
          HOME: path.join(this.root, "home"),
          TMPDIR: path.join(this.root, "tmp"),
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          ...(config !== undefined && { POE_ACCESS_KEY: KEY }),
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#ended = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  #agentLine(script: Script, around: string | undefined): string {
    const directory = path.join(this.root, "agent");
    const command = agentCommand(script, { directory, record: this.record });
    const words = around === undefined ? command : ["/bin/sh", "-c", around, "sh", ...command];
    return words.map((word) => `'${word}'`).join(" ");
  }

  async #serves(): Promise<void> {
    const address = /^(?:Address +| +)(http:\S+)/m;
    const serves = () => {
      const { exitCode, signalCode } = this.#child;
      if ((exitCode ?? signalCode) !== null) throw new Error(`it ended: ${this.stderr}`);
      return address.exec(this.stdout) ?? undefined;
    };
    const [, url = ""] = await waitFor("the relay to serve", serves, SOON_MS);
    const [, key = KEY] = /Bearer (\w{32})/.exec(this.stdout) ?? [];
    this.url = url;
    this.#poe = createPoeDriver({ url, key });
  }

  get poe(): PoeDriver {
    if (!this.#poe) throw new Error("it does not serve");
    return this.#poe;
  }

  /** File of what reached the agent; of no use for the demo. */
  get record(): string {
    return path.join(this.root, "agent", "record.jsonl");
  }

  /** Process of the agent that was started last. */
  get agentPid(): number {
    const last = readRecord(this.record).findLast(({ kind }) => kind === "start");
    if (!last) throw new Error("no agent has been started");
    return last.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Exit code, or the signal's name. */
  async ends(): Promise<unknown> {
    const [code, signal] = await waitFor("the relay to end", this.#ended, SOON_MS);
    return signal ?? code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGTERM");
    const how = await this.ends().finally(() => this.kill("SIGKILL"));
    const orphans = await collectOrphans(this.root);
    for (const { pid } of orphans) process.kill(pid, "SIGKILL");
    // A relay that is killed has no chance to remove its own.
    const left = how === "SIGKILL" ? [] : readdirSync(path.join(this.root, "tmp"));
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    if (orphans.length > 0) throw new Error(`processes were left: ${JSON.stringify(orphans)}`);
    if (left.length > 0) throw new Error(`state was left: ${left.join(" ")}`);
  }
}
