import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory, within } from "./support.ts";

const program = join(import.meta.dirname, "relay-process.ts");

export const KEY = "0123456789abcdefghijklmnopqrstuv";

/** A directory with the home and the temporary directory of a relay in it. */
export function relayRoot(): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "tmp"));
  return root;
}

export type RelayRunOptions = {
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Program and arguments that start the relay's. */
  readonly wrapper?: readonly string[];
  /** What the process gets behind stderr. */
  readonly stdio?: readonly (number | "ipc")[];
};

/** The test app as a process of its own, killed at the end of the test. */
export class RelayRun {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly #exited: Promise<unknown[]>;

  constructor(root: string, args: readonly string[], options: RelayRunOptions = {}) {
    const { env, wrapper = [], stdio = [] } = options;
    const [command = "", ...rest] = [
      ...wrapper,
      ...[process.execPath, "--conditions=@acp-kit/source", program, ...args],
    ];
    this.child = spawn(command, rest, {
      env: {
        PATH: process.env["PATH"],
        HOME: join(root, "home"),
        TMPDIR: join(root, "tmp"),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe", ...stdio],
    });
    this.#exited = once(this.child, "close");
    this.child.stdout?.on("data", (chunk) => {
      this.stdout += String(chunk);
    });
    this.child.stderr?.on("data", (chunk) => {
      this.stderr += String(chunk);
    });
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  /** Resolves once its output matches; fails when the process ends before. */
  async says(pattern: RegExp, where: "stdout" | "stderr" = "stdout"): Promise<RegExpExecArray> {
    const stream = this.child[where];
    if (!stream) throw new TypeError("no output");
    const ended = this.#exited.then(() => {
      throw new Error(`it ended: ${this.stdout}${this.stderr}`);
    });
    ended.catch(() => {});
    for (;;) {
      const match = pattern.exec(this[where]);
      if (match) return match;
      await within(Promise.race([once(stream, "data"), ended]));
    }
  }

  /** Exit code, or the signal's name. */
  async ends(): Promise<unknown> {
    const [code, signal] = await within(this.#exited);
    return signal ?? code;
  }
}
