import { hashId } from "../log.ts";
import type { RelayDb, RelayTables } from "../relay-db.ts";

/** Something that came in. Ids are digests, as in the log. */
export type Entry = {
  readonly at: number;
  readonly surface: string;
  readonly bot: string;
  readonly what: string;
  readonly decision: string;
  readonly reason: string;
  readonly conversation?: string;
  readonly message?: string;
  readonly user?: string;
  readonly turn?: string | undefined;
};

/** Something that failed. */
export type FailureEntry = {
  readonly ref: string;
  readonly at: number;
  readonly conversation?: string;
  readonly what: string;
  readonly code: string;
  readonly detail: string;
};

/** What is kept: the newest rows of the last 30 days, 100,000 of what came in and 10,000 failures. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_ENTRIES = 100_000;
const MAX_FAILURES = 10_000;

/** Newest rows of each kind that a search gives. */
const MAX_FOUND = 50;

/** Rows that are added between two looks for those that have to go. */
const SWEEP_EVERY = 500;

/** Rows that one look removes at most of each table, so that it stays short. */
const SWEEP_ROWS = 2_000;

export const journalTables: RelayTables = {
  name: "journal",
  migrations: [
    `CREATE TABLE journal_entries (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      surface TEXT NOT NULL,
      bot TEXT NOT NULL,
      what TEXT NOT NULL,
      decision TEXT NOT NULL,
      reason TEXT NOT NULL,
      conversation TEXT,
      message TEXT,
      user TEXT,
      turn TEXT
    ) STRICT;
    CREATE INDEX journal_entries_by_conversation ON journal_entries (conversation);
    CREATE INDEX journal_entries_by_message ON journal_entries (message);
    CREATE INDEX journal_entries_by_user ON journal_entries (user);
    CREATE TABLE journal_failures (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      ref TEXT NOT NULL,
      at INTEGER NOT NULL,
      conversation TEXT,
      what TEXT NOT NULL,
      code TEXT NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;
    CREATE INDEX journal_failures_by_ref ON journal_failures (ref);
    CREATE INDEX journal_failures_by_conversation ON journal_failures (conversation);`,
  ],
  erasePerson: (db, user) => db.run("DELETE FROM journal_entries WHERE user = ?", hashId(user)),
  eraseConversation: (db, conversation) => {
    const id = hashId(conversation);
    return (
      db.run("DELETE FROM journal_entries WHERE conversation = ?", id) +
      db.run("DELETE FROM journal_failures WHERE conversation = ?", id)
    );
  },
};

/** The rows of the journal. */
export class JournalTables {
  readonly #db: RelayDb;
  #added = 0;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  addEntry(entry: Entry): void {
    const { at, surface, bot, what, decision, reason } = entry;
    const { conversation = null, message = null, user = null, turn = null } = entry;
    this.#db.run(
      `INSERT INTO journal_entries
        (at, surface, bot, what, decision, reason, conversation, message, user, turn)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[at, surface, bot, what, decision, reason, conversation, message, user, turn],
    );
    this.#sweep(at);
  }

  addFailure(failure: FailureEntry): void {
    const { ref, at, what, code, detail } = failure;
    const { conversation = null } = failure;
    this.#db.run(
      `INSERT INTO journal_failures (ref, at, conversation, what, code, detail)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[ref, at, conversation, what, code, detail],
    );
    this.#sweep(at);
  }

  /** Oldest first. A short reference may come again after a long time. */
  failuresByRef(ref: string): readonly FailureEntry[] {
    return this.#db.all("SELECT * FROM journal_failures WHERE ref = ? ORDER BY seq", ref);
  }

  /** The newest rows of any of these digests, oldest first: of conversations, messages or people. */
  entriesOf(digests: readonly string[]): readonly Entry[] {
    const rows = this.#db.all<Entry>(
      `SELECT * FROM journal_entries WHERE seq IN (
        SELECT seq FROM journal_entries, json_each(?1) AS one
        WHERE conversation = one.value OR message = one.value OR user = one.value OR turn = one.value
        ORDER BY seq DESC LIMIT ?2) ORDER BY seq`,
      ...[JSON.stringify(digests), MAX_FOUND],
    );
    return rows;
  }

  failuresOf(conversations: readonly string[]): readonly FailureEntry[] {
    return this.#db.all(
      `SELECT * FROM journal_failures WHERE seq IN (
        SELECT seq FROM journal_failures
        WHERE conversation IN (SELECT value FROM json_each(?1)) ORDER BY seq DESC LIMIT ?2)
       ORDER BY seq`,
      ...[JSON.stringify(conversations), MAX_FOUND],
    );
  }

  /** Bots that something came in for: their names are parts of the keys of conversations. */
  bots(): readonly { readonly surface: string; readonly bot: string }[] {
    return this.#db.all("SELECT DISTINCT surface, bot FROM journal_entries");
  }

  #sweep(now: number): void {
    this.#added += 1;
    if (this.#added % SWEEP_EVERY !== 1) return;
    for (const [table, max] of [
      ["journal_entries", MAX_ENTRIES],
      ["journal_failures", MAX_FAILURES],
    ] as const) {
      this.#db.run(
        `DELETE FROM ${table} WHERE seq IN (
          SELECT seq FROM ${table}
          WHERE at < ? OR seq <= (SELECT max(seq) FROM ${table}) - ?
          ORDER BY seq LIMIT ?)`,
        ...[now - MAX_AGE_MS, max, SWEEP_ROWS],
      );
    }
  }
}
