import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type LaunchOptions, planLaunch, spawnFailed } from "./launch.ts";
import { LineSplitter } from "./line-splitter.ts";
import { createRedactor } from "./redact.ts";
import { StderrTail } from "./stderr-tail.ts";

export interface ChildOptions extends LaunchOptions {
  onStderr?: ((line: string) => void) | undefined;
  stopTimings?: StopTimings | undefined;
  stopCommand?: readonly string[] | undefined;
}

/** How long each step of stopping an agent may take, in milliseconds. */
export interface StopTimings {
  /** From the end of its input to SIGTERM. Default 2,000. */
  eofMs?: number | undefined;
  /** From SIGTERM to SIGKILL, and from the stop command to SIGTERM. Default 2,000. */
  termMs?: number | undefined;
}

export interface ChildExit {
  code: number | null;
  signal: string | null;
}

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
  readonly #stderr = new StderrTail();
  readonly #options: ChildOptions;
  readonly #exit = Promise.withResolvers<ChildExit>();
  #stopped: Promise<void> | undefined;
  /** Set once the group was killed behind its leader: its number may be another group's by now. */
  #ended = false;

  /** @throws WireError `spawn_failed` */
  static async spawn(options: ChildOptions): Promise<AgentChild> {
    const launch = planLaunch(options);
    const started = Promise.withResolvers<void>();
    let child: ChildProcess;
    try {
      child = spawn(launch.file, launch.args, launch.options);
    } catch (cause) {
      throw spawnFailed((cause as Error).message, cause);
    }
    child.once("spawn", started.resolve);
    child.once("error", (cause) => started.reject(spawnFailed(cause.message, cause)));
    await started.promise;
    return new AgentChild(child, options);
  }

  private constructor(child: ChildProcess, options: ChildOptions) {
    const { stdin, stdout, stderr, pid } = child;
    if (!stdin || !stdout || !stderr || pid === undefined) throw new TypeError("no pipes");
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#child = child;
    this.#options = options;
    this.exited = this.#exit.promise;
    const redact = createRedactor(options.env);
    const onStderr = (line: string) => {
      this.#stderr.push(line);
      options.onStderr?.(line);
    };
    const lines = new LineSplitter({
      maxLineBytes: MAX_STDERR_LINE_BYTES,
      onLine: (line) => onStderr(redact(line)),
      // Its start may be that of a secret, which nobody would recognise.
      onOversize: () => onStderr(`(a line of more than ${MAX_STDERR_LINE_BYTES} bytes)`),
    });
    stderr.on("data", (chunk: Buffer) => lines.push(chunk));
    stderr.on("close", () => lines.flush());
    // A pipe of a dead process breaks; its exit says all there is to say.
    for (const stream of [child, ...child.stdio]) stream?.on("error", () => {});
    child.on("exit", (code, signal) => this.#onExit({ code, signal }));
  }

  get stderrTail(): string {
    return this.#stderr.toString();
  }

  /**
   * Ends the input once `flushed`, then runs the stop command, then asks with SIGTERM, then kills,
   * each within its time. Idempotent.
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

  async #stop(): Promise<void> {
    const { stopTimings: { eofMs = 2_000, termMs = 2_000 } = {}, stopCommand } = this.#options;
    if (await this.exitsWithin(eofMs)) return;
    if (stopCommand !== undefined) {
      this.#runStopCommand(stopCommand, termMs);
      if (await this.exitsWithin(termMs)) return;
    }
    this.#signal("SIGTERM");
    if (await this.exitsWithin(termMs)) return;
    await this.kill();
  }

  #runStopCommand([file = "", ...args]: readonly string[], timeout: number): void {
    const { env, cwd } = this.#options;
    const command = spawn(file, args, {
      env,
      cwd,
      stdio: "ignore",
      timeout,
      killSignal: "SIGKILL",
    });
    // It has failed when the agent is still there: then the signals follow.
    command.on("error", () => {});
  }

  #onExit(exit: ChildExit): void {
    // Whatever the agent left behind in its group, and the guard.
    this.#signal("SIGKILL");
    this.#ended = true;
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

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#ended) return;
    if (process.platform === "win32") {
      // Windows has no groups and no signals: the tree is ended, or nothing is.
      const args = ["/pid", String(this.pid), "/T", ...(signal === "SIGKILL" ? ["/F"] : [])];
      spawn("taskkill", args, { stdio: "ignore", windowsHide: true }).on("error", () => {});
      return;
    }
    try {
      process.kill(-this.pid, signal);
    } catch {
      // Nobody is left in the group, or it is another user's and its guard has to do it.
    }
  }
}
