import {
  AgentSupervisor,
  type ContentBlock,
  type SessionClient,
  type SessionSetup,
  type SupervisorOptions,
} from "@acp-kit/acp-wire";
import type { SettingsSource } from "@acp-kit/router";

/** Called with what an agent says of a session; `isFresh` for a new one. What it throws is the caller's own loss. */
export type HearSettings = (source: SettingsSource, isFresh: boolean) => void;

/** A supervised agent whose sessions tell what it offers. */
export class ObservedAgent extends AgentSupervisor {
  readonly #hear: HearSettings;

  constructor(options: SupervisorOptions, hear: HearSettings) {
    super(options);
    this.#hear = hear;
  }

  override async newSession(
    cwd: string,
    client: SessionClient,
    systemPrompt?: readonly ContentBlock[],
  ): Promise<SessionSetup> {
    return this.#heard(await super.newSession(cwd, this.#listening(client), systemPrompt), true);
  }

  override async loadSession(
    cwd: string,
    session: string,
    client: SessionClient,
  ): Promise<SessionSetup> {
    return this.#heard(await super.loadSession(cwd, session, this.#listening(client)), false);
  }

  override async resumeSession(
    cwd: string,
    session: string,
    client: SessionClient,
  ): Promise<SessionSetup> {
    return this.#heard(await super.resumeSession(cwd, session, this.#listening(client)), false);
  }

  #heard(setup: SessionSetup, isFresh: boolean): SessionSetup {
    this.#hear(setup, isFresh);
    return setup;
  }

  #listening(client: SessionClient): SessionClient {
    return {
      ...client,
      update: (params) => {
        const { update } = params;
        if (update.sessionUpdate === "config_option_update")
          this.#hear({ configOptions: update["configOptions"] }, false);
        client.update(params);
      },
      ask: (request, signal) => client.ask(request, signal),
      lost: () => client.lost?.(),
    };
  }
}
