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
  readonly text: string;
  readonly #session: string;
  readonly #client: SessionClient;
  readonly #result = Promise.withResolvers<PromptResult>();
  #isCancelled = false;

  constructor(text: string, session: string, client: SessionClient) {
    this.text = text;
    this.#session = session;
    this.#client = client;
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
    this.#client.update({ sessionId: this.#session, update });
  }

  ask(
    command: string,
    options: readonly { optionId: string; name: string; kind: string }[] = YES_NO,
  ): Promise<PermissionOutcome> {
    return this.#client.ask(
      {
        sessionId: this.#session,
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
    const last = blocks.at(-1);
    const prompt = new GatedPrompt(textOf(last), session, client);
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
  async setModel(): Promise<void> {}
  async setConfigOption(): Promise<void> {}
}

function textOf(block: ContentBlock | undefined): string {
  return block?.type === "text" ? String(block.text) : "";
}

function rejectOn(signal: AbortSignal, message: string): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error(message))),
  );
}
