import type { Journal } from "@acp-kit/relay";
import { createReference } from "@acp-kit/router";
import type { ResponseRequest } from "./response-host.ts";
import type { Verdict } from "./verdict.ts";

/** What the journal is told of one request. */
export class ResponseEntry {
  readonly #journal: Journal;
  readonly #request: ResponseRequest;
  #isNoted = false;

  constructor(journal: Journal, request: ResponseRequest) {
    this.#journal = journal;
    this.#request = request;
  }

  /** What became of it. */
  note(verdict: Verdict): void {
    this.#isNoted = true;
    const { bot, conversation, message } = this.#request;
    const { key, user } = message;
    const about = { surface: "poe", bot: bot.name, what: "query", conversation };
    this.#journal.note({ ...about, ...verdict, message: key, user });
  }

  /** The reference of what kept it from being answered. */
  fail(error: unknown): string {
    if (!this.#isNoted) this.note({ decision: "refuse", reason: "failed" });
    const ref = createReference();
    const { conversation } = this.#request;
    this.#journal.fail({ ref, conversation, what: "response", error });
    return ref;
  }
}
