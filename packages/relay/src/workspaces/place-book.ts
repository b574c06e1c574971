import type { RelayDb, RelayTables } from "../relay-db.ts";

/** What is kept of where conversations work. */
export const PLACE_TABLES: RelayTables = {
  name: "places",
  migrations: [
    `CREATE TABLE places_choices (
       conversation TEXT PRIMARY KEY,
       workspace TEXT NOT NULL,
       chosen_by TEXT,
       at INTEGER NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE places_worktrees (
       id TEXT PRIMARY KEY,
       conversation TEXT,
       workspace TEXT NOT NULL,
       repository TEXT NOT NULL,
       path TEXT NOT NULL,
       branch TEXT NOT NULL,
       base TEXT NOT NULL,
       start TEXT NOT NULL,
       setup TEXT NOT NULL,
       state TEXT NOT NULL,
       created_at INTEGER NOT NULL,
       used_at INTEGER NOT NULL
     ) WITHOUT ROWID;
     CREATE INDEX places_worktrees_by_conversation ON places_worktrees (conversation, workspace);`,
  ],
  erasePerson: (db, user) =>
    db.run("UPDATE places_choices SET chosen_by = NULL WHERE chosen_by = ?", user),
  // A worktree may hold work that is nowhere else: it stays, and belongs to nobody.
  eraseConversation: (db, conversation) =>
    db.run("DELETE FROM places_choices WHERE conversation = ?", conversation) +
    db.run("UPDATE places_worktrees SET conversation = NULL WHERE conversation = ?", conversation),
};

/** A worktree that was made for a conversation. */
export type WorktreeRecord = {
  /** 8 hex digits; names its directory and its branch. */
  readonly id: string;
  /** Absent: the conversation was erased, or has left it. */
  readonly conversation: string | null;
  readonly workspace: string;
  readonly repository: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** The commit that its branch started from. */
  readonly start: string;
  readonly setup: "pending" | "done";
  /** As it was last looked at. `lost`: its directory is gone. */
  readonly state: "unknown" | "clean" | "changed" | "unmerged" | "lost";
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly usedAt: number;
};

const COLUMNS =
  "id, conversation, workspace, repository, path, branch, base, start, setup, state, created_at AS createdAt, used_at AS usedAt";

/** Where conversations work, kept in the relay's database. */
export class PlaceBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** Name of the workspace that a conversation has. */
  workspaceOf(conversation: string): string | undefined {
    const sql = "SELECT workspace FROM places_choices WHERE conversation = ?";
    return this.#db.get<{ workspace: string }>(sql, conversation)?.workspace;
  }

  /** @param by - The person who chose it; absent for the bot's own, fixed by the first turn. */
  choose(conversation: string, workspace: string, by: string | undefined, at: number): void {
    const sql = "INSERT OR REPLACE INTO places_choices VALUES (?, ?, ?, ?)";
    this.#db.run(sql, conversation, workspace, by ?? null, at);
  }

  worktreeOf(conversation: string, workspace: string): WorktreeRecord | undefined {
    const sql = `SELECT ${COLUMNS} FROM places_worktrees WHERE conversation = ? AND workspace = ?`;
    return this.#db.get<WorktreeRecord>(sql, conversation, workspace);
  }

  worktree(id: string): WorktreeRecord | undefined {
    return this.#db.get(`SELECT ${COLUMNS} FROM places_worktrees WHERE id = ?`, id);
  }

  /** All, oldest first. */
  worktrees(): readonly WorktreeRecord[] {
    return this.#db.all(`SELECT ${COLUMNS} FROM places_worktrees ORDER BY created_at, id`);
  }

  addWorktree(record: WorktreeRecord): void {
    const { id, conversation, workspace, repository, path, branch, base, start } = record;
    const { setup, state, createdAt, usedAt } = record;
    this.#db.run(
      "INSERT INTO places_worktrees VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[id, conversation, workspace, repository, path, branch, base, start],
      ...[setup, state, createdAt, usedAt],
    );
  }

  useWorktree(id: string, at: number): void {
    this.#db.run("UPDATE places_worktrees SET used_at = ? WHERE id = ?", at, id);
  }

  setUp(id: string): void {
    this.#db.run("UPDATE places_worktrees SET setup = 'done' WHERE id = ?", id);
  }

  noteState(id: string, state: WorktreeRecord["state"]): void {
    this.#db.run("UPDATE places_worktrees SET state = ? WHERE id = ?", state, id);
  }

  /** The conversation gets a new one when it comes back. */
  leaveWorktree(id: string): void {
    this.#db.run("UPDATE places_worktrees SET conversation = NULL WHERE id = ?", id);
  }

  forgetWorktree(id: string): void {
    this.#db.run("DELETE FROM places_worktrees WHERE id = ?", id);
  }
}
