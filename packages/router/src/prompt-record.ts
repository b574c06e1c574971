import type { ServingAgent } from "./agent-directory.ts";
import { fingerprint, hashId } from "./divergence.ts";
import { type SessionBook, type SessionRecord, withSession } from "./session-record.ts";
import type { Attached } from "./session-slot.ts";
import type { PromptItem } from "./store.ts";
import { absorbAgentChanges } from "./turn-settings.ts";

/** What is kept of one prompt in the record of its session. */
export class PromptRecord {
  readonly #book: SessionBook;
  readonly #agent: Pick<ServingAgent, "name" | "key">;
  #before: SessionRecord | undefined;

  constructor(book: SessionBook, agent: Pick<ServingAgent, "name" | "key">) {
    this.#book = book;
    this.#agent = agent;
  }

  /**
   * Before the prompt is sent: after a crash it counts as heard.
   *
   * @param isBare - Nothing went with it of what the session has not heard: that is still to be told.
   */
  async send(turn: string, { key, query }: PromptItem, isBare: boolean): Promise<void> {
    const prompted = hashId(key === "" ? turn : key);
    await this.#book.change((record) => {
      this.#before = record.sessions[this.#agent.key];
      if (!this.#before) return record;
      const told = isBare
        ? { isBehind: true }
        : { transcript: fingerprint(query), isBriefed: true, heardTo: turn, isBehind: false };
      const after = { ...this.#before, ...told, prompted: [...this.#before.prompted, prompted] };
      return { ...withSession(record, this.#agent.key, after), lastAgent: this.#agent.key };
    });
  }

  /** The agent has answered. */
  async answered(attached: Attached, now: number): Promise<void> {
    const { contextUse } = attached.live;
    await this.#book.change((record) => {
      const known = record.sessions[this.#agent.key];
      // A reset may have come meanwhile.
      if (known?.session !== attached.session) return record;
      const use = contextUse !== undefined && { contextUse };
      return withSession(record, this.#agent.key, { ...known, lastUsedAt: now, ...use });
    });
    await absorbAgentChanges(this.#book, this.#agent.name, attached);
  }

  /** The agent has refused it without a word: it has heard nothing. */
  async takeBack(): Promise<void> {
    const before = this.#before;
    await this.#book.change((record) => {
      const isSame = before && record.sessions[this.#agent.key]?.session === before.session;
      return isSame ? withSession(record, this.#agent.key, before) : record;
    });
  }
}
