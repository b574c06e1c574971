import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { waitFor } from "../wait-for.ts";

const KEPT_LINES = 40;
/** From SIGTERM to SIGKILL: longer than a relay drains. */
const END_MS = 20_000;

/** The app of a workspace as a process, until it is disposed. */
export class AppChild implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #log: string[] = [];

  constructor([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    // A group of its own: Ctrl-C is for the terminal, which ends the app.
    this.#child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#ended = Promise.race([
      once(this.#child, "close"),
      once(this.#child, "error").then(([error]) => this.#keep(String(error))),
    ]);
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output) createInterface({ input: output }).on("line", (line) => this.#keep(line));
    }
  }

  /** Its last lines. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** Resolves when it is no longer there. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal("SIGTERM");
    await waitFor("the app to end", this.#ended, END_MS).catch(() => undefined);
    // Whatever it has left behind.
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  #keep(line: string): void {
    this.#log = [...this.#log.slice(1 - KEPT_LINES), line];
  }
}
