import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { LogEvent } from "../../src/index.ts";
import type { Calls } from "./relay-process.ts";

export type Call = { readonly id: number; readonly method: keyof Calls; readonly args: unknown[] };
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  | { readonly kind: "failure"; readonly what: string; readonly code: string }
  | { readonly kind: "inbox"; readonly conversation: string; readonly at: number }
  | {
      readonly kind: "events";
      readonly conversation: string;
      readonly events: readonly LogEvent[];
    };

const DEADLINE_MS = 20_000;

/** A relay in a process of its own, with an agent of its own. */
export class RelayRig implements AsyncDisposable {
  readonly record: string;
  readonly told: Told[] = [];
  readonly #child: ChildProcess;
  readonly #results = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  readonly #waiting = new Set<() => void>();
  #calls = 0;

  private constructor(directory: string, name: string, script: object) {
    this.record = path.join(directory, `${name}-record.jsonl`);
    const scriptFile = path.join(directory, `${name}-script.json`);
    writeFileSync(scriptFile, JSON.stringify(script));
    this.#child = fork(
      fileURLToPath(new URL("./relay-process.ts", import.meta.url)),
      [path.join(directory, "store"), scriptFile, this.record, path.join(directory, "sessions")],
      { execArgv: ["--conditions=@acp-kit/source", "--disable-warning=ExperimentalWarning"] },
    );
    this.#child.on("message", (told: Told) => this.#hear(told));
    this.#child.on("exit", () => {
      for (const { reject } of this.#results.values()) reject(new Error("the process has ended"));
      this.#results.clear();
    });
  }

  /** @param directory - Shared by all relays of one store. */
  static async start(directory: string, name: string, script: object): Promise<RelayRig> {
    const rig = new RelayRig(directory, name, script);
    await rig.until((told) => told.kind === "ready");
    return rig;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  call<Method extends keyof Calls>(
    method: Method,
    ...args: Parameters<Calls[Method]>
  ): Promise<Awaited<ReturnType<Calls[Method]>>> {
    const id = ++this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#results.set(id, { resolve, reject });
    this.#child.send({ id, method, args } satisfies Call);
    return promise as Promise<Awaited<ReturnType<Calls[Method]>>>;
  }

  /** The first thing told that is wanted, now or later. */
  async until<Kind extends Told>(wanted: (told: Told) => told is Kind): Promise<Kind>;
  async until(wanted: (told: Told) => boolean): Promise<Told>;
  async until(wanted: (told: Told) => boolean): Promise<Told> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const found = this.told.find(wanted);
      if (found) return found;
      const left = deadline - performance.now();
      if (left <= 0)
        throw new Error(`not told in time; last: ${JSON.stringify(this.told.slice(-3))}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const timer = setTimeout(resolve, left);
      await promise;
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    }
  }

  /** Params of what the agent received under `method`, oldest first. */
  received(method: string): unknown[] {
    return readRecord(this.record)
      .filter((fact) => fact.method === method)
      .map(({ params }) => params);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGCONT");
    await this.call("close").catch(() => undefined);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await exited;
    clearTimeout(timer);
  }

  #hear(told: Told): void {
    if (told.kind === "result") this.#results.get(told.id)?.resolve(told.result);
    else if (told.kind === "failed") this.#results.get(told.id)?.reject(new Error(told.message));
    else this.told.push(told);
    for (const wake of this.#waiting) wake();
  }
}

/** What an agent has written down of what it received; the last line may be cut. */
export function readRecord(file: string): { method?: string; params?: unknown }[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
