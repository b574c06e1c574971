import type { CallQueue } from "../budget/call-queue.ts";
import type { Clock } from "../budget/clock.ts";
import type { SlackNames } from "../intake/decode-text.ts";
import { within } from "../within.ts";
import { type KnownPerson, parseProfile } from "./parse-profile.ts";

/** How long what is known of somebody is taken as it is, in milliseconds. */
export const FRESH_MS = 10 * 60_000;

/** How long it is taken while it is asked for again, in milliseconds. */
export const STALE_MS = 60 * 60_000;

/** People that are remembered; of more the one who was asked for longest ago is forgotten. */
export const MAX_KNOWN_PEOPLE = 5_000;

type Entry = { readonly person: KnownPerson; readonly at: number };

/** Who the people of a workspace are. */
export class Directory {
  readonly #queue: Pick<CallQueue, "run">;
  readonly #clock: Clock;
  readonly #known = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<KnownPerson | undefined>>();

  constructor(queue: Pick<CallQueue, "run">, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Names of people, as far as they are known. */
  readonly names: SlackNames = {
    user: (id) => {
      const name = this.#known.get(id)?.person.name;
      return name === "" ? undefined : name;
    },
  };

  /** Whether {@link person} answers at once. */
  isKnown(user: string): boolean {
    const entry = this.#known.get(user);
    return entry !== undefined && this.#clock.now() - entry.at < STALE_MS;
  }

  /** Undefined when nothing certain could be learnt within `waitMs`. Never rejects. */
  async person(user: string, waitMs: number): Promise<KnownPerson | undefined> {
    const entry = this.#known.get(user);
    const age = this.#clock.now() - (entry?.at ?? Number.NEGATIVE_INFINITY);
    if (entry && age < FRESH_MS) return entry.person;
    const asked = this.#ask(user);
    if (entry && age < STALE_MS) return entry.person;
    return await within(this.#clock, waitMs, asked);
  }

  /** Once at a time for each. */
  #ask(user: string): Promise<KnownPerson | undefined> {
    const asking = this.#asking.get(user);
    if (asking !== undefined) return asking;
    const asked = this.#fetch(user).finally(() => this.#asking.delete(user));
    this.#asking.set(user, asked);
    return asked;
  }

  async #fetch(user: string): Promise<KnownPerson | undefined> {
    const result = await this.#queue.run({
      method: "users.info",
      priority: "question",
      channel: "",
      args: () => ({ user }),
    });
    const person = result.kind === "ok" ? parseProfile(result.body) : undefined;
    if (person) this.#remember(user, person);
    return person;
  }

  #remember(user: string, person: KnownPerson): void {
    this.#known.delete(user);
    this.#known.set(user, { person, at: this.#clock.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN_PEOPLE && oldest !== undefined) this.#known.delete(oldest);
  }
}
