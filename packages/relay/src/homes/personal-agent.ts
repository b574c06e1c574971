import type {
  ContentBlock,
  LoginState,
  LoginStep,
  SessionClient,
  SessionPromptResult,
  SessionSetup,
  SupervisorOptions,
} from "@acp-kit/acp-wire";
import { type HearSettings, ObservedAgent } from "../offers/observed-agent.ts";

/** An agent that serves one person, and knows whether it is in use. */
export class PersonalAgent extends ObservedAgent {
  readonly #onIdle: () => void;
  #calls = 0;
  #usedAt = performance.now();

  constructor(options: SupervisorOptions, hear: HearSettings, onIdle: () => void) {
    super(options, hear);
    this.#onIdle = onIdle;
  }

  /** No call of it is open that takes its time: neither a start nor an answer. */
  get isIdle(): boolean {
    return this.#calls === 0;
  }

  /** When such a call last began or ended, by the clock of `performance.now()`. */
  get usedAt(): number {
    return this.#usedAt;
  }

  override ready(): Promise<void> {
    return this.#using(() => super.ready());
  }

  override newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup> {
    return this.#using(() => super.newSession(cwd, client, systemPrompt));
  }

  override loadSession(cwd: string, session: string, client: SessionClient) {
    return this.#using(() => super.loadSession(cwd, session, client));
  }

  override resumeSession(cwd: string, session: string, client: SessionClient) {
    return this.#using(() => super.resumeSession(cwd, session, client));
  }

  override prompt(session: string, blocks: readonly ContentBlock[]): Promise<SessionPromptResult> {
    return this.#using(() => super.prompt(session, blocks));
  }

  override login(methodId: string, step: LoginStep): Promise<LoginState> {
    return this.#using(() => super.login(methodId, step));
  }

  async #using<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#calls += 1;
    this.#usedAt = performance.now();
    try {
      return await call();
    } finally {
      this.#calls -= 1;
      this.#usedAt = performance.now();
      if (this.#calls === 0) this.#onIdle();
    }
  }
}
