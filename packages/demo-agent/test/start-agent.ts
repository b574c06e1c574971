import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentOptions,
  AgentProcess,
  type PermissionOutcome,
  type PermissionRequestParams,
  type SessionUpdateParams,
} from "@acp-kit/acp-wire";
import { afterAll, onTestFinished, vi } from "vitest";
import { demoAgentCommand } from "../src/command.ts";
import type { RecordEntry } from "../src/recorder.ts";
import type { Script } from "../src/script.ts";

// Each test starts processes, and on a busy machine one takes seconds.
vi.setConfig({ testTimeout: 30_000 });

/** A directory that is gone when the test has ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "demo-agent-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

type Options = Pick<AgentOptions, "onNoise" | "stopTimings" | "trace">;

function start(args: readonly string[], options: Options = {}): Promise<AgentProcess> {
  return AgentProcess.start({
    command: demoAgentCommand(args),
    hostEnv: process.env,
    clientInfo: { name: "test", version: "0" },
    ...options,
  });
}

/** The agent as a child process, initialized; it is stopped when the test has ended. */
export async function startAgent(args: readonly string[], options?: Options) {
  const agent = await start(args, options);
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return agent;
}

let shared: Promise<AgentProcess> | undefined;

/** One agent for all tests of a file that bring their script with the prompt. */
export function sharedAgent(): Promise<AgentProcess> {
  shared ??= start(["--scenario", "echo", "--allow-inline"]);
  return shared;
}

afterAll(async () => {
  await (await shared)?.[Symbol.asyncDispose]();
});

export function scriptFile(script: Script): string {
  const file = join(temporaryDirectory(), "script.json");
  writeFileSync(file, JSON.stringify(script));
  return file;
}

/** A session's client that keeps what it gets. */
export class Listener {
  readonly updates: SessionUpdateParams[] = [];
  readonly asked: PermissionRequestParams[] = [];
  readonly #answer: (request: PermissionRequestParams) => Promise<PermissionOutcome>;
  #waiting: { holds: (update: SessionUpdateParams) => boolean; resolve: () => void }[] = [];

  constructor(answer: (request: PermissionRequestParams) => Promise<PermissionOutcome> = never) {
    this.#answer = answer;
  }

  update(params: SessionUpdateParams): void {
    this.updates.push(params);
    for (const { holds, resolve } of this.#waiting) if (holds(params)) resolve();
  }

  ask(request: PermissionRequestParams): Promise<PermissionOutcome> {
    this.asked.push(request);
    return this.#answer(request);
  }

  /** Resolves when an update has come for which `holds` is true. */
  until(holds: (update: SessionUpdateParams) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ holds, resolve });
      if (this.updates.some(holds)) resolve();
    });
  }

  /** Resolves when the agent has said `text` in one chunk. */
  untilSays(text: string): Promise<void> {
    return this.until((params) => textOf(params) === text);
  }

  get kinds(): string[] {
    return this.updates.map(({ update }) => update.sessionUpdate);
  }

  /** All that the agent said. */
  get text(): string {
    return this.updates
      .filter(({ update }) => update.sessionUpdate === "agent_message_chunk")
      .map(textOf)
      .join("");
  }
}

export function textOf({ update }: SessionUpdateParams): string {
  const content = update["content"] as { text?: string } | undefined;
  return content?.text ?? "";
}

export function choose(optionId: string): () => Promise<PermissionOutcome> {
  return async () => ({ outcome: "selected", optionId });
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Opens a session with a listener and sends one prompt. */
export async function converse(agent: AgentProcess, text: string, listener = new Listener()) {
  const { sessionId } = await agent.newSession("/", listener);
  const result = await agent.prompt(sessionId, [{ type: "text", text }]);
  return { sessionId, result, listener };
}

export function readEntries(file: string): RecordEntry[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RecordEntry);
}
