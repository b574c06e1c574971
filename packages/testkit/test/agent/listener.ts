import type {
  PermissionOutcome,
  PermissionRequestParams,
  SessionClient,
  SessionUpdateParams,
} from "@acp-kit/acp-wire";

/** Keeps what a session is told, and answers questions with `answer`. */
export class Listener implements SessionClient {
  readonly updates: SessionUpdateParams[] = [];
  readonly asked: PermissionRequestParams[] = [];
  withdrawn = 0;
  #answer: () => Promise<PermissionOutcome>;

  constructor(answer: string | (() => Promise<PermissionOutcome>) = "yes") {
    this.#answer =
      typeof answer === "string" ? async () => ({ outcome: "selected", optionId: answer }) : answer;
  }

  update(params: SessionUpdateParams): void {
    this.updates.push(params);
  }

  ask(request: PermissionRequestParams, signal: AbortSignal): Promise<PermissionOutcome> {
    this.asked.push(request);
    signal.addEventListener("abort", () => {
      this.withdrawn += 1;
    });
    return this.#answer();
  }

  /** The texts of the agent's message chunks, one by one. */
  get chunks(): string[] {
    return this.updates.flatMap(({ update }) => {
      const content = update["content"] as { text?: string } | undefined;
      return update.sessionUpdate === "agent_message_chunk" ? [content?.text ?? ""] : [];
    });
  }

  get text(): string {
    return this.chunks.join("");
  }

  get kinds(): string[] {
    return this.updates.map(({ update }) => update.sessionUpdate);
  }
}
