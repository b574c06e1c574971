import type {
  ContentBlock,
  PermissionOutcome,
  SessionClient,
  SessionPromptResult,
  SessionSetup,
  SessionUpdateParams,
} from "@acp-kit/acp-wire";
import { waitFor } from "../wait-for.ts";

/** The options of a question, unless it has others. */
export const YES_NO = [
  { optionId: "once", name: "yes", kind: "allow_once" },
  { optionId: "no", name: "no", kind: "reject_once" },
] as const;

/** One prompt that the agent works on: the test says what it does, step by step. */
export class GatedPrompt {
  readonly blocks: readonly ContentBlock[];
  readonly session: string;
  readonly #client: SessionClient;
  readonly #result = Promise.withResolvers<SessionPromptResult>();
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

  get result(): Promise<SessionPromptResult> {
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

  startTool(id: string, title: string): void {
    const fields = { toolCallId: id, title, kind: "execute", status: "in_progress" } as const;
    this.update({ sessionUpdate: "tool_call", ...fields });
  }

  endTool(id: string): void {
    this.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "completed" });
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

/** An agent in this process whose every step a test decides, for a router: it takes prompts and offers nothing else. */
export class GatedAgent {
  readonly capabilities = {};
  /** In the order in which they came. */
  readonly prompts: GatedPrompt[] = [];
  /** Models and config options that were set. */
  readonly chosen: string[] = [];
  readonly #clients = new Map<string, SessionClient>();
  readonly #running = new Map<string, GatedPrompt>();

  async newSession(_cwd: string, client: SessionClient): Promise<SessionSetup> {
    const sessionId = `s${this.#clients.size + 1}`;
    this.#clients.set(sessionId, client);
    return { sessionId };
  }

  prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    const client = this.#clients.get(session);
    if (!client) throw new Error(`no session ${session}`);
    const prompt = new GatedPrompt(blocks, session, client);
    this.prompts.push(prompt);
    this.#running.set(session, prompt);
    return prompt.result;
  }

  async cancel(session: string): Promise<void> {
    this.#running.get(session)?.cancel();
  }

  /** The n-th prompt that came, from 1; waits for it. */
  async prompted(count: number): Promise<GatedPrompt> {
    return await waitFor(`prompt ${count}`, () => this.prompts[count - 1]);
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
