import {
  type AgentSession,
  Conn,
  type Factory,
  type PermissionOutcome,
  type PermissionRequestParams,
  type PromptTurn,
  type ServeAgentOptions,
  type SessionParams,
  type SessionUpdateParams,
  serveAgent,
} from "../src/index.ts";
import { createPair } from "./pair.ts";
import { both, wireCheck } from "./wire-check.ts";

export type Script = (
  turn: PromptTurn,
  params: SessionParams,
) => ReturnType<AgentSession["prompt"]>;

/** A factory whose sessions answer every prompt with `script`. */
export function scripted(
  script: Script,
  more: Partial<AgentSession> = {},
): Factory & { built: SessionParams[] } {
  const built: SessionParams[] = [];
  return {
    built,
    newSession(params) {
      built.push(params);
      return { prompt: (turn) => script(turn, params), ...more };
    },
  };
}

/** A served agent, and its client as a bare connection that writes down what it hears. */
export class Served implements AsyncDisposable {
  readonly client: Conn;
  readonly done: Promise<void>;
  readonly updates: SessionUpdateParams[] = [];
  readonly errors: unknown[] = [];
  readonly wire: { direction: "in" | "out"; message: Record<string, unknown> }[] = [];
  onAsk: (request: PermissionRequestParams) => Promise<PermissionOutcome> = () =>
    new Promise(() => {});

  constructor(options: Partial<ServeAgentOptions> & Pick<ServeAgentOptions, "factory">) {
    const [agentIo, clientIo] = createPair();
    this.client = new Conn(clientIo);
    this.client.handleNotify("session/update", (params) => {
      this.updates.push(params as SessionUpdateParams);
    });
    this.client.handle("session/request_permission", async (params) => ({
      outcome: await this.onAsk(params as PermissionRequestParams),
    }));
    void this.client.serve();
    this.done = serveAgent({
      info: { name: "served", version: "1" },
      io: agentIo,
      onError: (error) => this.errors.push(error),
      ...options,
      // What compat mode adds is, by its nature, no ACP.
      trace: both(options.compat ? () => {} : wireCheck(), (direction, message) =>
        this.wire.push({ direction, message: message as Record<string, unknown> }),
      ),
    });
  }

  call<T = Record<string, unknown>>(method: string, params: object = {}): Promise<T> {
    return this.client.request<T>(method, params);
  }

  async open(params: object = {}): Promise<string> {
    const { sessionId } = await this.call<{ sessionId: string }>("session/new", {
      cwd: "/repo",
      mcpServers: [],
      ...params,
    });
    return sessionId;
  }

  prompt(sessionId: string, text: string): Promise<Record<string, unknown>> {
    return this.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  get kinds(): string[] {
    return this.updates.map(({ update }) => update.sessionUpdate);
  }

  get texts(): string[] {
    return this.updates.flatMap(({ update }) => {
      const { text } = (update["content"] ?? {}) as { text?: string };
      return text ?? [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.done;
  }
}
