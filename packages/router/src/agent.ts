import type {
  AgentCapabilities,
  AgentExit,
  ContentBlock,
  PromptResult,
  SessionClient,
  SessionInfo,
  SessionSetup,
} from "@acp-kit/acp-wire";

/**
 * What the router needs of an agent: acp-wire's `AgentProcess` and `AgentSupervisor` are ones.
 *
 * Methods that an agent may lack are optional; so are those that it has but does not offer: see `capabilities`.
 */
export interface Agent {
  /** Known once the agent has been initialized; `undefined` before. */
  readonly capabilities: AgentCapabilities | undefined;
  /** Resolves once the agent runs and `capabilities` is known. */
  ready?(): Promise<void>;
  newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup>;
  listSessions(cwd: string): Promise<readonly SessionInfo[]>;
  resumeSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup>;
  prompt(session: string, blocks: readonly ContentBlock[]): Promise<PromptResult>;
  cancel(session: string): Promise<void>;
  setModel(session: string, model: string): Promise<void>;
  setConfigOption(session: string, id: string, value: string | boolean): Promise<void>;
  loadSession?(cwd: string, session: string, client: SessionClient): Promise<SessionSetup>;
  setMode?(session: string, mode: string): Promise<void>;
  closeSession?(session: string): Promise<void>;
  /** Tells that the process is gone, and with it every session that was attached. */
  onExit?(listener: (exit: AgentExit) => void): Disposable;
}
