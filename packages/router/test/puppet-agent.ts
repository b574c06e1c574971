import {
  type AgentExit,
  type ContentBlock,
  type PermissionOutcome,
  type SessionClient,
  type SessionPromptResult,
  type SessionSetup,
  type SessionUpdateParams,
  STEERING,
  WireError,
} from "@acp-kit/acp-wire";
import type { Agent } from "../src/index.ts";

const exit: AgentExit = {
  phase: "prompt",
  cause: "exited",
  code: 1,
  signal: null,
  stderrTail: "",
};

/** A prompt that the agent has; the test says what the agent says to it. */
export class PuppetPrompt {
  readonly session: string;
  /** What the person wrote: the last text in front of the files, behind which stands what could not be had. */
  readonly text: string;
  readonly blocks: readonly ContentBlock[];
  readonly result = Promise.withResolvers<SessionPromptResult>();
  isOpen = true;
  readonly #client: SessionClient | undefined;

  constructor(session: string, blocks: readonly ContentBlock[], client?: SessionClient) {
    this.session = session;
    this.blocks = blocks;
    const files = blocks.findIndex((block) => block.type !== "text");
    const last = blocks.slice(0, files < 0 ? blocks.length : files).at(-1);
    this.text = last && "text" in last && typeof last.text === "string" ? last.text : "";
    this.#client = client;
  }

  update(update: SessionUpdateParams["update"]): void {
    this.#client?.update({ sessionId: this.session, update });
  }

  say(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  think(text: string): void {
    this.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  tool(toolCallId: string, status: string): void {
    this.update({ sessionUpdate: "tool_call", toolCallId, title: "work", kind: "execute", status });
  }

  /** A line that was too long to be read. */
  lose(): void {
    this.#client?.lost?.();
  }

  ask(signal: AbortSignal = new AbortController().signal): Promise<PermissionOutcome> {
    const request = {
      sessionId: this.session,
      toolCall: { toolCallId: "asks", title: "Run", rawInput: { command: "ls" } },
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" as const },
        { optionId: "no", name: "No", kind: "reject_once" as const },
      ],
    };
    return this.#client?.ask(request, signal) ?? Promise.resolve({ outcome: "cancelled" });
  }

  answer(stopReason = "end_turn"): void {
    this.isOpen = false;
    this.result.resolve({ stopReason });
  }

  fail(error: Error): void {
    this.isOpen = false;
    this.result.reject(error);
  }
}

/** An agent in this process that does nothing by itself. Its sessions outlive its crashes, as on a disk. */
export class PuppetAgent implements Agent {
  readonly capabilities: Agent["capabilities"];
  /** All prompts that it ever received, oldest first. */
  readonly prompts: PuppetPrompt[] = [];
  /** What it received, cancels among it. */
  readonly received: (PuppetPrompt | "cancel")[] = [];
  readonly cancels: string[] = [];
  readonly steers: string[] = [];
  /** The same messages, whole. */
  readonly steered: (readonly ContentBlock[])[] = [];
  readonly opened: string[] = [];
  /** Whether it ends a prompt when it is told to cancel. */
  heedsCancel = true;
  takesSteering: () => Promise<boolean> = async () => true;
  toHost = (file: string): string => file;
  readonly #clients = new Map<string, SessionClient>();
  readonly #exits = new Set<(exit: AgentExit) => void>();
  readonly #waiting = new Set<() => void>();

  constructor(about: { steering?: boolean; resume?: boolean } = {}) {
    this.capabilities = {
      sessionCapabilities: about.resume === false ? {} : { resume: {} },
      ...(about.steering && { _meta: { [STEERING]: {} } }),
    };
  }

  /** The prompts that it has not answered. */
  get open(): PuppetPrompt[] {
    return this.prompts.filter(({ isOpen }) => isOpen);
  }

  /** The prompt of this number, counted from 1, once it is there. */
  async prompted(count: number): Promise<PuppetPrompt> {
    for (;;) {
      const prompt = this.prompts[count - 1];
      if (prompt) return prompt;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
    }
  }

  async newSession(_cwd: string, client: SessionClient): Promise<SessionSetup> {
    const sessionId = `s${this.opened.length + 1}`;
    this.opened.push(sessionId);
    this.#clients.set(sessionId, client);
    return { sessionId };
  }

  async resumeSession(_cwd: string, sessionId: string, client: SessionClient) {
    this.#clients.set(sessionId, client);
    return { sessionId };
  }

  async listSessions() {
    return [];
  }

  async setModel() {}
  async setConfigOption() {}

  prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    const prompt = new PuppetPrompt(session, blocks, this.#clients.get(session));
    this.prompts.push(prompt);
    this.received.push(prompt);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    return prompt.result.promise;
  }

  async steer(_session: string, blocks: readonly ContentBlock[]): Promise<boolean> {
    const isTaken = await this.takesSteering();
    const [block] = blocks;
    if (isTaken) this.steered.push(blocks);
    if (isTaken && block && "text" in block) this.steers.push(String(block.text));
    return isTaken;
  }

  async cancel(session: string): Promise<void> {
    this.cancels.push(session);
    this.received.push("cancel");
    if (!this.heedsCancel) return;
    for (const prompt of this.open) if (prompt.session === session) prompt.answer("cancelled");
  }

  /** Its process ends, and with it what it was doing. */
  crash(): void {
    this.#clients.clear();
    const message = "The agent exited";
    for (const prompt of this.open) {
      prompt.fail(new WireError(message, { code: "agent_exited", exit }));
    }
    for (const listener of this.#exits) listener(exit);
  }

  onExit(listener: (exit: AgentExit) => void): Disposable {
    this.#exits.add(listener);
    return { [Symbol.dispose]: () => void this.#exits.delete(listener) };
  }
}
