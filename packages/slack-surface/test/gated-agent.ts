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

/** A prompt that an agent works on, step by step as the test says. */
export class GatedPrompt {
  /** Its last block, and all of them. */
  readonly text: string;
  readonly blocks: readonly ContentBlock[];
  readonly #session: string;
  readonly #client: SessionClient;
  readonly #result = Promise.withResolvers<PromptResult>();

  constructor(blocks: readonly ContentBlock[], session: string, client: SessionClient) {
    this.blocks = blocks;
    const last = blocks.at(-1);
    this.text = last?.type === "text" ? String(last.text) : "";
    this.#session = session;
    this.#client = client;
  }

  get result(): Promise<PromptResult> {
    return this.#result.promise;
  }

  say(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  startTool(id: string, title: string): void {
    const fields = { toolCallId: id, title, kind: "execute", status: "in_progress" } as const;
    this.update({ sessionUpdate: "tool_call", ...fields });
  }

  endTool(id: string): void {
    this.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "completed" });
  }

  update(update: SessionUpdateParams["update"]): void {
    this.#client.update({ sessionId: this.#session, update });
  }

  ask(
    command: string,
    options: readonly { optionId: string; name: string; kind: string }[] = YES_NO,
  ): Promise<PermissionOutcome> {
    const toolCall = {
      toolCallId: command,
      title: command,
      kind: "execute",
      rawInput: { command },
    };
    const request = { sessionId: this.#session, toolCall, options: [...options] };
    return this.#client.ask(request, new AbortController().signal);
  }

  end(stopReason = "end_turn"): void {
    this.#result.resolve({ stopReason });
  }
}

/** An agent in this process. */
export class GatedAgent implements Agent {
  readonly capabilities = {};
  /** In the order in which they came. */
  readonly prompts: GatedPrompt[] = [];
  readonly #clients = new Map<string, SessionClient>();
  readonly #running = new Map<string, GatedPrompt>();

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
    return prompt.result;
  }

  async cancel(session: string): Promise<void> {
    this.#running.get(session)?.end("cancelled");
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
