import type {
  AgentCapabilities,
  AgentExit,
  ContentBlock,
  SessionClient,
  SessionInfo,
  SessionPromptResult,
  SessionSetup,
} from "@acp-kit/acp-wire";

/**
 * What the router needs of an agent: acp-wire's `AgentProcess` and `AgentSupervisor` are ones.
 *
 * Methods that an agent may lack are optional; so are those that it has but does not offer: see `capabilities`.
 */
export interface Agent {
  /** What the agent offers, as far as it is known: see `ready`. */
  readonly capabilities: AgentCapabilities;
  /** Of an agent that is started when it is needed: the process that runs now. */
  readonly running?: object | undefined;
  /** Resolves once the agent runs and `capabilities` is known. */
  ready?(): Promise<unknown>;
  newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup>;
  listSessions(cwd: string): Promise<readonly SessionInfo[]>;
  resumeSession(cwd: string, session: string, client: SessionClient): Promise<SessionSetup>;
  prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult>;
  /**
   * Gives a session another message while it answers one. Resolves with false when nothing is being answered any more
   * or the agent does not take it. Asked only of agents that offer acp-wire's `STEERING`.
   */
  steer?(session: string, blocks: readonly ContentBlock[]): Promise<boolean>;
  cancel(session: string): Promise<void>;
  setModel(session: string, model: string): Promise<void>;
  setConfigOption(session: string, id: string, value: string | boolean): Promise<void>;
  loadSession?(cwd: string, session: string, client: SessionClient): Promise<SessionSetup>;
  setMode?(session: string, mode: string): Promise<void>;
  closeSession?(session: string): Promise<void>;
  /** The path on this machine of a file that the agent names by its own. Default: the same. */
  toHost?(path: string): string;
  /** Of an agent that serves each person by a process of their own: theirs. No session is opened with this one then. */
  forPerson?(user: string): Agent;
  /** Tells that the process is gone, and with it every session that was attached. */
  onExit?(listener: (exit: AgentExit) => void): Disposable;
}
