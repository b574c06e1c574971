import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { WireError } from "./errors.ts";
import { findCommand } from "./find-command.ts";
import { LineSplitter } from "./line-splitter.ts";
import { StderrTail } from "./stderr-tail.ts";

export interface ChildOptions {
  command: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  /** Values that must not show in the stderr tail. */
  secrets: Iterable<string>;
  onStderr?: ((line: string) => void) | undefined;
  stopTimings?: StopTimings | undefined;
}

/** How long each step of stopping an agent may take, in milliseconds. */
export interface StopTimings {
  /** From the end of its input to SIGTERM. Default 2,000. */
  eofMs?: number | undefined;
  /** From SIGTERM to SIGKILL. Default 2,000. */
  termMs?: number | undefined;
}

export interface ChildExit {
  code: number | null;
  signal: string | null;
}

/**
 * Starts the agent in a process group of its own, and beside it, in that group, a guard that waits
 * for the end of a pipe (fd 3) which only this process holds. However this process ends, the guard
 * sees it, leaves the agent a second to follow the end of its input, and kills the group. Being a
 * member of the group it keeps the group's number from being reused, and it may kill where this
 * process may not (another user). It is orphaned on purpose, so that the agent has no child that it
 * does not know; it ignores the signals that the agent is asked to end with.
 */
const START_GUARDED = `
( (
  trap '' HUP INT TERM
  read -r _ <&3
  sleep 1
  kill -KILL -$$
) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&-`;

/** Output that comes later than this behind the exit is somebody else's: a grandchild's. */
const OUTPUT_GRACE_MS = 500;
/** How long a process may take to disappear after SIGKILL before it is given up. */
const KILL_GRACE_MS = 5_000;
const MAX_STDERR_LINE_BYTES = 64 * 1024;

/** An agent's process: its pipes, the end of its stderr, its exit, and how to end it. */
export class AgentChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has ended and its output was read. Never rejects. */
  readonly exited: Promise<ChildExit>;
  readonly #child: ChildProcess;
  readonly #stderr: StderrTail;
  readonly #timings: StopTimings;
  readonly #exit = Promise.withResolvers<ChildExit>();
  #stopped: Promise<void> | undefined;

  /** @throws WireError `spawn_failed` */
  static async spawn(options: ChildOptions): Promise<AgentChild> {
    const [name = "", ...args] = options.command;
    const { cwd, env } = options;
    const file = findCommand(name, { cwd, path: env["PATH"] });
    if (file === undefined) {
      throw spawnFailed(`no executable ${JSON.stringify(name)}; is it installed and on PATH?`);
    }
    if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw spawnFailed(`its working directory ${JSON.stringify(cwd)} does not exist.`);
    }
    const child = spawn("/bin/sh", ["-c", START_GUARDED, "sh", file, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (cause) => reject(spawnFailed(cause.message, cause)));
    });
    return new AgentChild(child, options);
  }

  private constructor(child: ChildProcess, options: ChildOptions) {
    const { stdin, stdout, stderr, pid } = child;
    if (!stdin || !stdout || !stderr || pid === undefined) throw new TypeError("no pipes");
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#child = child;
    this.#timings = options.stopTimings ?? {};
    this.exited = this.#exit.promise;
    this.#stderr = new StderrTail(options.secrets);
    const lines = new LineSplitter({
      maxLineBytes: MAX_STDERR_LINE_BYTES,
      onLine: (line) => options.onStderr?.(line),
      onOversize: (start) => options.onStderr?.(`${start}…`),
    });
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr.push(chunk);
      lines.push(chunk);
    });
    stderr.on("end", () => lines.flush());
    // A pipe of a dead process breaks; its exit says all there is to say.
    for (const stream of [child, ...child.stdio]) stream?.on("error", () => {});
    child.on("exit", (code, signal) => this.#onExit({ code, signal }));
  }

  get stderrTail(): string {
    return this.#stderr.toString();
  }

  /**
   * Ends the input once `flushed`, then asks with SIGTERM, then kills, each within its time.
   * Idempotent.
   */
  stop(flushed: Promise<void>): Promise<void> {
    void flushed.then(() => this.stdin.end());
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Kills the whole group at once. */
  async kill(): Promise<void> {
    this.#signal("SIGKILL");
    // Where this process may not kill the agent, its guard may.
    this.#child.stdio[3]?.destroy();
    if (await this.exitsWithin(KILL_GRACE_MS)) return;
    this.#exit.resolve({ code: null, signal: null });
  }

  async #stop(): Promise<void> {
    if (await this.exitsWithin(this.#timings.eofMs ?? 2_000)) return;
    this.#signal("SIGTERM");
    if (await this.exitsWithin(this.#timings.termMs ?? 2_000)) return;
    await this.kill();
  }

  #onExit(exit: ChildExit): void {
    // Whatever the agent left behind in its group, and the guard.
    this.#signal("SIGKILL");
    this.#child.stdio[3]?.destroy();
    const timer = setTimeout(() => {
      this.stdout.destroy();
      this.#child.stderr?.destroy();
    }, OUTPUT_GRACE_MS);
    this.#child.once("close", () => {
      clearTimeout(timer);
      this.#exit.resolve(exit);
    });
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // Nobody is left in the group, or it is another user's and its guard has to do it.
    }
  }

  /** Whether the process is gone within this time. */
  async exitsWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, ms, false);
    try {
      return await Promise.race([this.exited.then(() => true), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function spawnFailed(why: string, cause?: Error): WireError {
  const message = `Cannot run the agent: ${why}`;
  return new WireError(message, { code: "spawn_failed", phase: "spawn", cause, sent: false });
}
