import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** How a program ended, and all that it printed. */
export type Ended = { code: number | null; stdout: string; stderr: string };

/** A program that runs in a process group of its own, as under a terminal, with this environment and no more. */
export class Running implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  stdout = "";
  #stderr = "";

  constructor(command: string, args: readonly string[], options: { cwd: string; env: Env }) {
    this.#child = spawn(command, args, {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  /** Resolves with the first match in what it prints to stdout; rejects when it ends before, or after a minute. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    const late = AbortSignal.timeout(60_000);
    const ended = this.ends().then(({ code, stdout, stderr }) => {
      throw new Error(`it ended with ${code}:\n${stdout}\n${stderr}`);
    });
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (!this.#child.stdout) throw new TypeError("no stdout");
      await Promise.race([once(this.#child.stdout, "data", { signal: late }), ended]);
    }
  }

  async ends(): Promise<Ended> {
    await this.#closed;
    return { code: this.#child.exitCode, stdout: this.stdout, stderr: this.#stderr };
  }

  /** What Ctrl-C in a terminal does: the whole group gets the signal. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.signal("SIGKILL");
    } catch {
      // Nothing of the group is left.
    }
    await this.#closed;
  }
}

export type Env = Readonly<Record<string, string>>;
