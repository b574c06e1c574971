import { REDRIVE_WINDOW_MS } from "@acp-kit/router";
import type { CommandMessage, CommandOutcome } from "./command-context.ts";

/** Outcomes that are kept; of more the oldest is forgotten. */
const MAX_KEPT = 500;

/** What messages came to, so that the same one again changes nothing again. */
export class KeptOutcomes {
  readonly #kept = new Map<
    string,
    { readonly at: number; readonly outcome: Promise<CommandOutcome> }
  >();

  /** Runs it, or gives what became of it when the same message came before. What failed may be tried again. */
  once(
    { conversation, user, key, at }: CommandMessage,
    run: () => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    if (key === "") return run();
    const id = JSON.stringify([conversation, user, key]);
    const known = this.#kept.get(id);
    if (known && at - known.at < REDRIVE_WINDOW_MS) return known.outcome;
    const outcome = run();
    this.#kept.delete(id);
    this.#kept.set(id, { at, outcome });
    outcome.catch(() => this.#kept.delete(id));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return outcome;
  }
}
