import type { Statements } from "./statements.ts";

export type Part = "log" | "inbox";
type Listener = (conversation: string, part: Part) => void;

/**
 * What is noted: an item that was posted concerns this process, which may claim the conversation, and the owner; what
 * an owner has left behind concerns everybody.
 */
type Move = Part | "left";

/** Moves that are kept for processes that have not read them yet; one that was stopped for longer looks at everything. */
const KEPT_MOVES = 4096;

/** How many moves go by between two removals of older ones. */
const TRIM_EVERY = 1024;

/**
 * Tells who listens what has moved: of this process's transactions right behind their commit, of other processes'
 * from a table that is written only while there are other processes.
 */
export class ChangeFeed {
  readonly #sql: Statements;
  readonly #self: string;
  readonly #listeners = new Set<Listener>();
  readonly #onForeignMove: (conversation: string) => void;
  /** What the transaction under way has moved; may name a move more than once. */
  #moved: { readonly conversation: string; readonly move: Move }[] = [];
  /** The newest move of another process that was announced. */
  #seen: number;

  /** @param onForeignMove - Called before a move of another process is announced. */
  constructor(sql: Statements, self: string, onForeignMove: (conversation: string) => void) {
    this.#sql = sql;
    this.#self = self;
    this.#onForeignMove = onForeignMove;
    this.#seen = this.#newest();
  }

  onChange(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  close(): void {
    this.#listeners.clear();
  }

  /** Notes a move of the transaction under way. */
  mark(conversation: string, move: Move): void {
    const last = this.#moved.at(-1);
    if (last?.conversation === conversation && last.move === move) return;
    this.#moved.push({ conversation, move });
  }

  /** Leaves word for other processes. One that registers later than this transaction sees its effects anyway. */
  beforeCommit(): void {
    if (this.#moved.length === 0) return;
    if (!this.#sql.get("SELECT 1 FROM owners WHERE id <> ? LIMIT 1", this.#self)) return;
    for (const { conversation, move } of this.#moved) this.#leaveWord(conversation, move);
  }

  /** Ends the transaction; gives what it has moved. */
  ended(committed: boolean): readonly { readonly conversation: string }[] {
    const moved = this.#moved;
    if (moved.length === 0) return moved;
    this.#moved = [];
    if (committed) for (const { conversation, move } of moved) this.#announce(conversation, move);
    return moved;
  }

  /** Tells that something waits in an inbox for whoever claims the conversation. */
  announceWaiting(conversation: string): void {
    this.#announce(conversation, "left");
  }

  /** Announces what other processes have moved since the last time. */
  announceOthers(): void {
    const oldest = this.#sql.get<{ id: number }>("SELECT min(id) AS id FROM moves")?.id ?? 0;
    const newest = this.#newest();
    if (newest <= this.#seen) return;
    if (oldest > this.#seen + 1) this.#announceEverything();
    else {
      const moves = this.#sql.all<{ conversation: string; move: Move }>(
        `SELECT DISTINCT conversation, part AS move FROM moves WHERE id > ?1 AND owner <> ?2 AND (
           part <> 'inbox' OR
           EXISTS (SELECT 1 FROM conversations WHERE key = conversation AND owner = ?2))`,
        this.#seen,
        this.#self,
      );
      for (const { conversation, move } of moves) this.#announceForeign(conversation, move);
    }
    this.#seen = newest;
  }

  #announceEverything(): void {
    for (const { key } of this.#sql.all<{ key: string }>("SELECT key FROM conversations")) {
      this.#announceForeign(key, "log");
    }
    const owned = this.#sql.all<{ key: string }>(
      `SELECT key FROM conversations
       WHERE owner = ? AND id IN (SELECT conversation FROM inbox WHERE taken = 0)`,
      this.#self,
    );
    for (const { key } of owned) this.#announce(key, "inbox");
  }

  #announceForeign(conversation: string, move: Move): void {
    this.#onForeignMove(conversation);
    this.#announce(conversation, move);
  }

  #announce(conversation: string, move: Move): void {
    const part = move === "log" ? "log" : "inbox";
    for (const listener of this.#listeners) listener(conversation, part);
  }

  #leaveWord(conversation: string, move: Move): void {
    const row = this.#sql.get<{ id: number }>(
      "INSERT INTO moves (owner, conversation, part) VALUES (?, ?, ?) RETURNING id",
      this.#self,
      conversation,
      move,
    );
    if (row && row.id % TRIM_EVERY === 0) {
      this.#sql.run("DELETE FROM moves WHERE id <= ?", row.id - KEPT_MOVES);
    }
  }

  #newest(): number {
    return this.#sql.get<{ id: number | null }>("SELECT max(id) AS id FROM moves")?.id ?? 0;
  }
}
