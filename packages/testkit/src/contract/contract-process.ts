import type { RecordEntry } from "@acp-kit/demo-agent";
import { collectOrphans } from "../agent/orphans.ts";
import { readRecord } from "../agent/record.ts";
import type { AppProcess } from "../app-process.ts";
import { waitFor } from "../wait-for.ts";
import {
  CONTRACT_DEADLINE_MS,
  type ContractApp,
  type ContractChat,
  type ContractPerson,
} from "./contract-app.ts";

/** What apps have in common that run as an {@link AppProcess}. Disposing ends that. */
export abstract class ContractProcess implements ContractApp, AsyncDisposable {
  readonly #app: AppProcess;

  /** @param app - It serves. */
  constructor(app: AppProcess) {
    this.#app = app;
  }

  abstract open(): ContractChat;
  abstract idOf(person: ContractPerson): string;
  abstract readonly secrets: readonly string[];

  get record(): readonly RecordEntry[] {
    return readRecord(this.#app.record);
  }

  get agentPid(): number {
    return this.#app.agentPid;
  }

  get output(): string {
    return this.#app.stdout + this.#app.stderr;
  }

  async orphans(): Promise<readonly unknown[]> {
    return await collectOrphans(this.#app.root);
  }

  async handOver(): Promise<void> {
    await this.#app.handOver();
  }

  async stop(): Promise<unknown> {
    this.#app.kill("SIGTERM");
    return await this.#app.ends();
  }

  async kill(): Promise<void> {
    await this.#app.crash();
  }

  async restart(): Promise<void> {
    const isGone = async () => (await collectOrphans(this.#app.root, 0)).length === 0;
    await waitFor("the agents of the last start to end", isGone, CONTRACT_DEADLINE_MS);
    await this.#app.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
  }
}
