import type {
  ContentBlock,
  PermissionOutcome,
  SessionClient,
  SessionSetup,
  SessionUpdateParams,
} from "@acp-kit/acp-wire";
import type { Agent } from "@acp-kit/router";

type PromptResult = Awaited<ReturnType<Agent["prompt"]>>;

export const YES_NO = [
  { optionId: "once", name: "yes", kind: "allow_once" },
  { optionId: "no", name: "no", kind: "reject_once" },
] as const;

/** One prompt that the agent works on: the test says what it does, step by step. */
export class GatedPrompt {
  readonly blocks: readonly ContentBlock[];
  readonly session: string;
  readonly #client: SessionClient;
  readonly #result = Promise.withResolvers<PromptResult>();
  #isCancelled = false;

  constructor(blocks: readonly ContentBlock[], session: string, client: SessionClient) {
    this.blocks = blocks;
    this.session = session;
    this.#client = client;
  }

  /** The message itself, behind whatever context came with it. */
  get text(): string {
    const last = this.blocks.at(-1);
    return last?.type === "text" ? String(last.text) : "";
  }

  get result(): Promise<PromptResult> {
    return this.#result.promise;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  say(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  think(text: string): void {
    this.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  update(update: SessionUpdateParams["update"]): void {
    this.#client.update({ sessionId: this.session, update });
  }

  ask(
    command: string,
    options: readonly { optionId: string; name: string; kind: string }[] = YES_NO,
  ): Promise<PermissionOutcome> {
    return this.#client.ask(
      {
        sessionId: this.session,
        toolCall: { toolCallId: command, title: command, kind: "execute", rawInput: { command } },
        options: [...options],
      },
      new AbortController().signal,
    );
  }

  end(stopReason = "end_turn"): void {
    this.#result.resolve({ stopReason });
  }

  fail(error: Error): void {
    this.#result.reject(error);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.end("cancelled");
  }
}

/** An agent in this process whose every step a test decides. */
export class GatedAgent implements Agent {
  readonly capabilities = {};
  /** In the order in which they came. */
  readonly prompts: GatedPrompt[] = [];
  /** Models and config options that were set. */
  readonly chosen: string[] = [];
  readonly #clients = new Map<string, SessionClient>();
  readonly #running = new Map<string, GatedPrompt>();
  #arrived = Promise.withResolvers<void>();

  async newSession(_cwd: string, client: SessionClient): Promise<SessionSetup> {
    const sessionId = `s${this.#clients.size + 1}`;
    this.#clients.set(sessionId, client);
    return { sessionId };
  }

  prompt(session: string, blocks: readonly ContentBlock[]): Promise<PromptResult> {
    const client = this.#clients.get(session);
    if (!client) throw new Error(`no session ${session}`);
    const prompt = new GatedPrompt(blocks, session, client);
    this.prompts.push(prompt);
    this.#running.set(session, prompt);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    return prompt.result;
  }

  async cancel(session: string): Promise<void> {
    this.#running.get(session)?.cancel();
  }

  /** The n-th prompt that came, from 1; waits for it. */
  async prompted(count: number): Promise<GatedPrompt> {
    const late = AbortSignal.timeout(5_000);
    for (;;) {
      const prompt = this.prompts[count - 1];
      if (prompt) return prompt;
      await Promise.race([this.#arrived.promise, rejectOn(late, `prompt ${count} did not come`)]);
    }
  }

  async listSessions() {
    return [];
  }
  async resumeSession(): Promise<SessionSetup> {
    throw new Error("not offered");
  }
  async setModel(_session: string, model: string): Promise<void> {
    this.chosen.push(model);
  }
  async setConfigOption(_session: string, id: string): Promise<void> {
    this.chosen.push(id);
  }
}

function rejectOn(signal: AbortSignal, message: string): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error(message))),
  );
}
