import type { ContentBlock, SessionClient, SessionSetup } from "@acp-kit/acp-wire";
import type { Agent } from "./agent.ts";
import { readModelSetting } from "./session-model.ts";
import { within } from "./within.ts";

/** How long an agent may take to close a session, in milliseconds; it is let go in any case. */
const CLOSE_TIMEOUT_MS = 10_000;

/** A session of the agent that this process may prompt. */
export type Attached = {
  readonly session: string;
  readonly cwd: string;
  readonly setup: SessionSetup;
  /** The model that runs, as far as the agent tells. */
  model: string | undefined;
};

export type AttachResult = {
  readonly attached: Attached;
  /** `kept`: it was attached already. */
  readonly how: "kept" | "new" | "resumed" | "loaded";
  /** True when an earlier session was known and could not be had again. */
  readonly lost: boolean;
};

/** What is kept of a session over restarts. */
export type SessionRecord = { readonly session: string; readonly cwd: string };

/** Whatever a conversation's slot needs of the conversation. */
export type SlotHost = {
  readonly agent: Agent;
  readonly client: SessionClient;
  readRecord(): Promise<SessionRecord | undefined>;
  writeRecord(record: SessionRecord): Promise<void>;
  systemPrompt(): readonly ContentBlock[] | undefined;
  onPhase(phase: "starting-agent" | "opening-session"): void;
};

/**
 * The one session of a conversation: found again by its stored id, resumed before loaded before made anew.
 *
 * A listing is never searched for it: the first entry for a directory may be somebody else's.
 */
export class SessionSlot {
  readonly #host: SlotHost;
  #attached: Attached | undefined;
  #pending: Promise<AttachResult> | undefined;
  /** A session that the agent holds but does not answer for: never to be opened again. */
  #abandoned: string | undefined;
  /** Counts what makes an attachment void: clients of older ones hear nothing any more. */
  #generation = 0;

  constructor(host: SlotHost) {
    this.#host = host;
  }

  get attached(): Attached | undefined {
    return this.#attached;
  }

  /** Attaches, or tells what is attached. Calls that overlap share one attempt. */
  attach(cwd: string): Promise<AttachResult> {
    const attached = this.#attached;
    if (attached && attached.cwd === cwd) {
      return Promise.resolve({ attached, how: "kept", lost: false });
    }
    this.#pending ??= this.#open(cwd).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** Forgets the session without telling the agent: its process is gone, or does not answer. */
  detach(): void {
    this.#generation += 1;
    this.#attached = undefined;
    this.#pending = undefined;
  }

  /** Gives the session up for good: the agent does not answer for it, so the next attach makes a new one. */
  abandon(): void {
    this.#abandoned = this.#attached?.session;
    this.detach();
  }

  /** Lets the session go, and tells the agent if it wants to know. @throws RouterError `timeout`. */
  async close(): Promise<void> {
    const attached = this.#attached;
    this.detach();
    const { agent } = this.#host;
    if (attached && agent.capabilities.sessionCapabilities?.close && agent.closeSession) {
      await within(CLOSE_TIMEOUT_MS, agent.closeSession(attached.session));
    }
  }

  async #open(cwd: string): Promise<AttachResult> {
    const generation = this.#generation;
    const { agent } = this.#host;
    if (agent.ready && !agent.running) this.#host.onPhase("starting-agent");
    await agent.ready?.();
    this.#host.onPhase("opening-session");
    const record = await this.#host.readRecord();
    const isUsable = record?.cwd === cwd && record.session !== this.#abandoned;
    const known = isUsable ? record.session : undefined;
    const again = known === undefined ? undefined : await this.#reopen(cwd, known, generation);
    if (again) return this.#settle(generation, again.how, again.setup, known ?? "", cwd, false);
    const setup = await agent.newSession(cwd, this.#client(generation), this.#host.systemPrompt());
    const { sessionId } = setup;
    await this.#host.writeRecord({ session: sessionId, cwd });
    return this.#settle(generation, "new", setup, sessionId, cwd, record !== undefined);
  }

  async #reopen(
    cwd: string,
    session: string,
    generation: number,
  ): Promise<{ how: "resumed" | "loaded"; setup: SessionSetup } | undefined> {
    const { agent } = this.#host;
    if (agent.capabilities.sessionCapabilities?.resume) {
      try {
        const client = this.#client(generation);
        return { how: "resumed", setup: await agent.resumeSession(cwd, session, client) };
      } catch (error) {
        if (!isAnswer(error)) throw error;
      }
    }
    if (agent.capabilities.loadSession && agent.loadSession) {
      // Everything that was said is replayed before the answer; the log has it already.
      const replay = { muted: true };
      try {
        const setup = await agent.loadSession(cwd, session, this.#client(generation, replay));
        return { how: "loaded", setup };
      } catch (error) {
        if (!isAnswer(error)) throw error;
      } finally {
        replay.muted = false;
      }
    }
    return undefined;
  }

  #settle(
    generation: number,
    how: "new" | "resumed" | "loaded",
    setup: SessionSetup,
    session: string,
    cwd: string,
    lost: boolean,
  ): AttachResult {
    const attached = { session, cwd, setup, model: readModelSetting(setup)?.current };
    if (generation === this.#generation) this.#attached = attached;
    return { attached, how, lost };
  }

  #client(generation: number, replay?: { muted: boolean }): SessionClient {
    const { client } = this.#host;
    return {
      update: (params) => {
        if (generation === this.#generation && !replay?.muted) client.update(params);
      },
      ask: async (request, signal) =>
        generation === this.#generation
          ? client.ask(request, signal)
          : { outcome: "cancelled" as const },
    };
  }
}

/** True for an error that the agent answered with, as against a connection that broke. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
