import { type Fingerprint, hashId, MAX_FINGERPRINTS } from "./divergence.ts";
import { RouterError } from "./errors.ts";
import { asFields } from "./fields.ts";
import type { Settings } from "./session-settings.ts";
import type { Lease, Store } from "./store.ts";

/** What is kept over restarts of one agent's session in a conversation. */
export type SessionRecord = {
  readonly session: string;
  readonly cwd: string;
  /** The platform's transcript as of the newest prompt. */
  readonly transcript: readonly Fingerprint[];
  /** Hashed keys of the newest prompts; a turn's id stands for a message without a key. */
  readonly prompted: readonly string[];
  /** What it ran with before anything was chosen. */
  readonly initial: Settings;
  /** The session has been told what was said before it. */
  readonly isBriefed: boolean;
  /** Turn of the newest prompt that came with all that the session had not heard: it has heard every turn before it. */
  readonly heardTo?: string;
  /** The newest prompt was a command, with which nothing came of what the session had not heard. */
  readonly isBehind?: boolean;
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number;
  /** How full the context window was, 0 to 1. */
  readonly contextUse?: number;
};

/** What is kept over restarts of a conversation's sessions. */
export type ConversationRecord = {
  /** The agent that was chosen here, by name; absent: the conversation's own. */
  readonly agent?: string;
  /** Key of the session that was prompted last. */
  readonly lastAgent?: string;
  /** By the agent's name, or by agent and person; see {@link import("./agent-directory.ts").sessionKey}. */
  readonly sessions: Readonly<Record<string, SessionRecord>>;
  /** The newest choice for each setting, by agent. */
  readonly wanted: Readonly<Record<string, Settings>>;
  /** Who made those choices, by agent and setting; empty for a default, absent for what the agent changed by itself. */
  readonly wantedBy?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * People, and what came last with each one's messages: only a value that differs from it is a choice. Their ids stand
   * here as they are, so that whoever erases a person finds what is kept of them.
   */
  readonly parameters: readonly (readonly [user: string, settings: Settings])[];
  /** Set by a reset until the next message, which is told of nothing before it. */
  readonly isFresh: boolean;
  /** Id of the first message behind the newest reset. */
  readonly since?: string;
};

/** How much is remembered, so that a record stays below {@link MAX_RECORD_BYTES}: prompts, people, agents. */
const MAX_PROMPTED = 200;
const MAX_PEOPLE = 32;
const MAX_ID_CHARS = 100;
const MAX_AGENTS = 3;

const empty: ConversationRecord = { sessions: {}, wanted: {}, parameters: [], isFresh: false };

export type BookHost = {
  /** Absent: nothing can be saved, another owner has come. */
  lease(): Lease | undefined;
  onFailure(error: unknown): void;
};

/** The record of one conversation, read and changed one after another. */
export class SessionBook {
  readonly #store: Pick<Store, "readRecord" | "writeRecord">;
  readonly #key: string;
  readonly #host: BookHost;
  /** What could not be saved: it is saved with the next change. */
  #unsaved: ConversationRecord | undefined;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    store: Pick<Store, "readRecord" | "writeRecord">,
    conversation: string,
    host: BookHost,
  ) {
    this.#store = store;
    this.#key = `session:${conversation}`;
    this.#host = host;
  }

  async read(): Promise<ConversationRecord> {
    if (this.#unsaved) return this.#unsaved;
    const value = asFields(await this.#store.readRecord<unknown>(this.#key));
    // What an older version has kept is not worth a session that may be another one's.
    return value?.["sessions"] && Array.isArray(value["parameters"])
      ? (value as ConversationRecord)
      : empty;
  }

  /** Changes the record as it is by then, and resolves with what it became. @throws RouterError `fenced`. */
  change(next: (record: ConversationRecord) => ConversationRecord): Promise<ConversationRecord> {
    const changed = this.#changing.then(async () => {
      const before = await this.read();
      const after = next(before);
      if (after !== before) await this.#write(after);
      return after;
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** What cannot be saved for a while costs no turn: it is only a crash then that forgets. */
  async #write(record: ConversationRecord): Promise<void> {
    const lease = this.#host.lease();
    if (!lease) return;
    try {
      await this.#store.writeRecord(lease, this.#key, record);
      this.#unsaved = undefined;
    } catch (error) {
      if (error instanceof RouterError && error.code === "fenced") throw error;
      this.#unsaved = record;
      this.#host.onFailure(error);
    }
  }
}

/** The record with another session under a key, or with none. */
export function withSession(
  record: ConversationRecord,
  key: string,
  session: SessionRecord | undefined,
): ConversationRecord {
  const { [key]: _, ...others } = record.sessions;
  if (!session) return { ...record, sessions: others };
  const kept = {
    ...session,
    transcript: session.transcript.slice(-MAX_FINGERPRINTS),
    prompted: session.prompted.slice(-MAX_PROMPTED),
  };
  const newest = Object.entries(others)
    .sort(([, a], [, b]) => b.lastUsedAt - a.lastUsedAt)
    .slice(0, MAX_AGENTS - 1);
  return { ...record, sessions: { ...Object.fromEntries(newest), [key]: kept } };
}

/** What came with a person's last message, if it is remembered. */
export function parametersOf(record: ConversationRecord, user: string): Settings | undefined {
  return record.parameters.find(([id]) => id === boundedId(user))?.[1];
}

/** The record with what came with a person's newest message; of too many people the first one is forgotten. */
export function withParameters(
  record: ConversationRecord,
  user: string,
  settings: Settings,
): ConversationRecord {
  const id = boundedId(user);
  const others = record.parameters.filter(([other]) => other !== id);
  return { ...record, parameters: [...others, [id, settings] as const].slice(-MAX_PEOPLE) };
}

/**
 * The record with other choices for an agent's settings.
 *
 * @param byOf - Who made one that is new; empty: nobody, it is the default; absent: the agent.
 */
export function withWanted(
  record: ConversationRecord,
  agent: string,
  wanted: Settings,
  byOf: (name: string) => string | undefined,
): ConversationRecord {
  const before = record.wanted[agent] ?? {};
  const madeBy = Object.keys(wanted).flatMap((name): [string, string][] => {
    const isSame = Object.hasOwn(before, name) && before[name] === wanted[name];
    const who = isSame ? record.wantedBy?.[agent]?.[name] : byOf(name);
    return who === undefined ? [] : [[name, boundedId(who)]];
  });
  return {
    ...record,
    wanted: { ...record.wanted, [agent]: wanted },
    wantedBy: { ...record.wantedBy, [agent]: Object.fromEntries(madeBy) },
  };
}

function boundedId(user: string): string {
  return user.length <= MAX_ID_CHARS ? user : hashId(user);
}
