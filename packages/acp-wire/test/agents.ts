import { fileURLToPath } from "node:url";
import {
  type AgentOptions,
  AgentProcess,
  type PermissionOutcome,
  type PermissionRequestParams,
  type SessionClient,
  type SessionUpdateParams,
} from "../src/index.ts";
import { both, wireCheck } from "./wire-check.ts";

export const agentFile = (name: string) =>
  fileURLToPath(new URL(`agents/${name}`, import.meta.url));

/** Starts one of the agents in test/agents, and checks everything that it is sent. */
export function startAgent(file: string, args: string[] = [], options: Partial<AgentOptions> = {}) {
  return AgentProcess.start(agentOptions(file, args, options));
}

export function rawAgent(faults: string[] = [], options: Partial<AgentOptions> = {}) {
  return startAgent("raw-agent.mjs", faults, options);
}

export function agentOptions(
  file: string,
  args: string[] = [],
  options: Partial<AgentOptions> = {},
): AgentOptions {
  return {
    command: [process.execPath, "--conditions=@acp-kit/source", agentFile(file), ...args],
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
    ...options,
    trace: both(wireCheck(), options.trace),
  };
}

/** A client that writes down what it hears. */
export class Listener implements SessionClient {
  readonly updates: SessionUpdateParams[] = [];
  readonly asks: { request: PermissionRequestParams; signal: AbortSignal }[] = [];
  answer: (request: PermissionRequestParams) => Promise<PermissionOutcome> = () =>
    new Promise(() => {});
  #wake: (() => void)[] = [];

  get texts(): string[] {
    return this.updates.map(({ update }) => (update["content"] as { text: string }).text);
  }

  update(params: SessionUpdateParams): void {
    this.updates.push(params);
    this.#changed();
  }

  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    this.asks.push({ request, signal });
    this.#changed();
    return this.answer(request);
  }

  /** Resolves when `condition` holds after some update or question. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
