import { createHash } from "node:crypto";
import type { SettingsSource } from "@acp-kit/router";
import type { SurfaceNotes } from "../surface-notes.ts";
import type { AgentOffer, AgentOffers } from "./agent-offers.ts";
import { readOffer } from "./read-offer.ts";

/** Longest offer that is remembered, as JSON, in characters. */
const MAX_KEPT_CHARS = 500_000;

/**
 * For how long an offer that another one has replaced does not come back: sessions of one agent may differ by person and
 * directory, and would take turns. In milliseconds; and how many such offers are remembered.
 */
const REPLACED_MS = 3_600_000;
const MAX_REPLACED = 50;

/**
 * What agents have said of their sessions. Nothing is started or opened to find out: the first session tells, and what
 * it told is remembered beyond this process.
 */
export class KnownOffers implements AgentOffers {
  readonly #notes: SurfaceNotes;
  readonly #known = new Map<string, AgentOffer | undefined>();
  /** Digests of offers that others have replaced, oldest first, and when. */
  readonly #replaced = new Map<string, number>();
  readonly #now: () => number;
  readonly #listeners = new Set<(agent: string) => void>();

  constructor(notes: SurfaceNotes, now: () => number) {
    this.#notes = notes;
    this.#now = now;
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
    const old = JSON.stringify(before);
    if (text === old || !this.#replace(agent, old, text)) return;
    this.#known.set(agent, offer);
    if (text.length <= MAX_KEPT_CHARS) this.#notes.write(noteOf(agent), text);
    for (const listener of this.#listeners) listener(agent);
  }

  /** Whether an offer may take the place of another one now. */
  #replace(agent: string, old: string | undefined, text: string): boolean {
    const now = this.#now();
    const digest = digestOf(agent, text);
    const at = this.#replaced.get(digest);
    if (at !== undefined && now - at < REPLACED_MS) return false;
    this.#replaced.delete(digest);
    if (old !== undefined) this.#replaced.set(digestOf(agent, old), now);
    const [oldest] = this.#replaced.keys();
    if (this.#replaced.size > MAX_REPLACED && oldest !== undefined) this.#replaced.delete(oldest);
    return true;
  }

  onChange(listener: (agent: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

function digestOf(agent: string, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([agent, text]))
    .digest("hex");
}

function noteOf(agent: string): string {
  return `offer ${agent}`;
}

/** What this or an earlier version has written. */
function parseOffer(text: string | undefined): AgentOffer | undefined {
  if (text === undefined) return undefined;
  try {
    const {
      models = [],
      modes = [],
      currentModel = "",
      ...rest
    } = JSON.parse(text) as Partial<AgentOffer>;
    return { models, modes, currentModel, ...rest };
  } catch {
    return undefined;
  }
}
