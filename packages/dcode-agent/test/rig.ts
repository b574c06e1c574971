import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AgentOptions,
  AgentProcess,
  type PermissionOutcome,
  type PermissionRequestParams,
  type SessionClient,
  type SessionUpdateParams,
} from "@acp-kit/acp-wire";
import { FakeDcode, type FakeDcodeOptions, waitFor } from "@acp-kit/testkit";

export const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
export const NODE = [process.execPath, "--conditions=@acp-kit/source"];

export const text = (value: string) => [{ type: "text" as const, text: value }];
export const SOON_MS = 15_000;

/** A client that writes down what it hears. */
export class Listener implements SessionClient {
  readonly updates: SessionUpdateParams[] = [];
  readonly asks: { request: PermissionRequestParams; signal: AbortSignal }[] = [];
  answer: (request: PermissionRequestParams) => Promise<PermissionOutcome> = () =>
    new Promise(() => {});

  update(params: SessionUpdateParams): void {
    this.updates.push(params);
  }

  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    this.asks.push({ request, signal });
    return this.answer(request);
  }

  of(kind: string) {
    return this.updates.flatMap(({ update }) => (update.sessionUpdate === kind ? [update] : []));
  }

  /** What was said, by the agent unless told otherwise. */
  said(kind = "agent_message_chunk"): string {
    return this.of(kind)
      .map((update) => (update["content"] as { text: string }).text)
      .join("");
  }

  /** The cards as a client that merges updates sees them. */
  get cards(): Record<string, unknown>[] {
    const cards = new Map<unknown, Record<string, unknown>>();
    for (const { update } of this.updates) {
      const { sessionUpdate: kind, ...fields } = update as Record<string, unknown>;
      if (kind === "tool_call" || kind === "tool_call_update") {
        const id = fields["toolCallId"];
        if (kind === "tool_call" && cards.has(id)) throw new Error(`card ${id} was opened twice`);
        if (kind === "tool_call_update" && !cards.has(id)) throw new Error(`no card ${id}`);
        cards.set(id, { ...cards.get(id), ...fields });
      }
    }
    return [...cards.values()];
  }

  until(what: string, condition: (listener: this) => boolean): Promise<unknown> {
    return waitFor(what, () => condition(this), SOON_MS);
  }
}

export const choose = (optionId: string) => async (): Promise<PermissionOutcome> => ({
  outcome: "selected",
  optionId,
});

/** A daemon, and agents of it with one directory. */
export class Rig implements AsyncDisposable {
  readonly daemon: FakeDcode;
  readonly root = mkdtempSync(path.join(tmpdir(), "dcode-acp-"));
  readonly #agents: AgentProcess[] = [];

  private constructor(daemon: FakeDcode) {
    this.daemon = daemon;
  }

  static async start(options: FakeDcodeOptions = {}): Promise<Rig> {
    return new Rig(await FakeDcode.start(options));
  }

  get command(): string[] {
    return [...NODE, program, "--socket", this.daemon.socketPath, "--state", this.state];
  }

  /** The agent's own directory. */
  get state(): string {
    return path.join(this.root, "state");
  }

  async agent(options: Partial<AgentOptions> = {}): Promise<AgentProcess> {
    const agent = await AgentProcess.start({
      command: this.command,
      hostEnv: process.env,
      clientInfo: { name: "test", version: "0" },
      ...options,
    });
    this.#agents.push(agent);
    return agent;
  }

  /** The workspace of the sessions. */
  get cwd(): string {
    return this.root;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent[Symbol.asyncDispose]()));
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What a promise was rejected with. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}
