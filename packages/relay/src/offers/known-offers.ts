import type { SettingsSource } from "@acp-kit/router";
import type { SurfaceNotes } from "../surface-notes.ts";
import type { AgentOffer, AgentOffers } from "./agent-offers.ts";
import { readOffer } from "./read-offer.ts";

/** Longest offer that is remembered, as JSON, in characters. */
const MAX_KEPT_CHARS = 500_000;

/**
 * What agents have said of their sessions. Nothing is started or opened to find out: the first session tells, and what
 * it told is remembered beyond this process.
 */
export class KnownOffers implements AgentOffers {
  readonly #notes: SurfaceNotes;
  readonly #known = new Map<string, AgentOffer | undefined>();
  readonly #listeners = new Set<(agent: string) => void>();

  constructor(notes: SurfaceNotes) {
    this.#notes = notes;
  }

  of(agent: string): AgentOffer | undefined {
    if (!this.#known.has(agent)) {
      this.#known.set(agent, parseOffer(this.#notes.read(noteOf(agent))));
    }
    return this.#known.get(agent);
  }

  /** Takes note of what an agent says of a session. */
  hear(agent: string, source: SettingsSource, isFresh: boolean): void {
    const before = this.of(agent);
    const offer = readOffer(source, before, isFresh);
    if (!offer) return;
    const text = JSON.stringify(offer);
    if (text === JSON.stringify(before)) return;
    this.#known.set(agent, offer);
    if (text.length <= MAX_KEPT_CHARS) this.#notes.write(noteOf(agent), text);
    for (const listener of this.#listeners) listener(agent);
  }

  onChange(listener: (agent: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

function noteOf(agent: string): string {
  return `offer ${agent}`;
}

/** What this or an earlier version has written. */
function parseOffer(text: string | undefined): AgentOffer | undefined {
  if (text === undefined) return undefined;
  try {
    const { models = [], modes = [], currentModel = "" } = JSON.parse(text) as Partial<AgentOffer>;
    return { models, modes, currentModel };
  } catch {
    return undefined;
  }
}
