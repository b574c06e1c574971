import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { RelayError } from "./errors.ts";
import { describingFailure } from "./open-store.ts";

/** The tables of one part of the relay. */
export type RelayTables = {
  /** Names the part in the database for ever; the names of its tables begin with it. */
  readonly name: string;
  /**
   * SQL that makes tables of version n those of n + 1: entry n. Processes of the version before may live on for a while
   * after it, so a step only adds.
   */
  readonly migrations: readonly string[];
  /** Removes what is kept of a person, in a transaction; gives the number of rows that went. */
  readonly erasePerson: (db: RelayDb, user: string) => number;
  /** The same for a conversation, by its whole key. Absent where nothing is kept by conversation. */
  readonly eraseConversation?: (db: RelayDb, conversation: string) => number;
};

/** What the relay itself keeps lies here, in its state directory. */
export const RELAY_DB = "relay.db";

/** How long a statement blocks this process while another one writes, in milliseconds; each writes for well under one. */
const BUSY_TIMEOUT_MS = 1_000;

/** How long opening waits for another process that opens, in milliseconds. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens `<stateDir>/relay.db` with these tables, and makes what of them is missing. Several processes may have it open.
 *
 * @throws RelayError `store` when it is damaged, or a newer version has written it.
 */
export async function openRelayDb(
  stateDir: string,
  tables: readonly RelayTables[],
): Promise<RelayDb> {
  // Loaded late: Node.js 22 warns when its SQLite is loaded, and the command line redirects warnings first.
  const sqlite = await import("node:sqlite");
  return describingFailure(stateDir, async () => {
    const file = join(stateDir, RELAY_DB);
    // SQLite gives the files beside it the same mode.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    const database = new sqlite.DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
    try {
      // What is deleted is overwritten, so that nothing of it stays in the file.
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON",
      );
      const db = new RelayDb(database);
      migrate(db, file, tables);
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      return db;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** A database of small tables. Every call is synchronous and short. */
export class RelayDb implements AsyncDisposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** The number of rows that changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Several statements, without values and results. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** All of it or nothing, and no other process writes in between. Not to be nested. */
  transaction<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk ends it by itself.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function migrate(db: RelayDb, file: string, tables: readonly RelayTables[]): void {
  db.transaction(() => {
    db.exec(
      "CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID",
    );
    for (const { name, migrations } of tables) {
      const sql = "SELECT version FROM parts WHERE name = ?";
      const version = db.get<{ version: number }>(sql, name)?.version ?? 0;
      if (version > migrations.length) throw tooNew(file, name, version, migrations.length);
      if (version === migrations.length) continue;
      for (const step of migrations.slice(version)) db.exec(step);
      db.run("INSERT OR REPLACE INTO parts VALUES (?, ?)", name, migrations.length);
    }
  });
}

function tooNew(file: string, part: string, version: number, known: number): RelayError {
  return new RelayError(
    `${file} was written by a newer version (${part} ${version}, this one knows ${known}); install that version again, or restore a backup`,
    { code: "store" },
  );
}
