import type { Statements } from "./statements.ts";

export type Part = "log" | "inbox";
type Listener = (conversation: string, part: Part) => void;

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
  /** What the transaction under way has moved. */
  #moved = new Map<string, Set<Part>>();
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
  mark(conversation: string, part: Part): void {
    const parts = this.#moved.get(conversation);
    if (parts) parts.add(part);
    else this.#moved.set(conversation, new Set([part]));
  }

  /** Leaves word for other processes. One that registers later than this transaction sees its effects anyway. */
  beforeCommit(): void {
    if (this.#moved.size === 0) return;
    if (!this.#sql.get("SELECT 1 FROM owners WHERE id <> ? LIMIT 1", this.#self)) return;
    for (const [conversation, parts] of this.#moved) {
      for (const part of parts) this.#leaveWord(conversation, part);
    }
  }

  /** Ends the transaction; gives the conversations that it has moved. */
  ended(committed: boolean): Iterable<string> {
    const moved = this.#moved;
    if (moved.size === 0) return [];
    this.#moved = new Map();
    if (committed) {
      for (const [conversation, parts] of moved) {
        for (const part of parts) this.announce(conversation, part);
      }
    }
    return moved.keys();
  }

  announce(conversation: string, part: Part): void {
    for (const listener of this.#listeners) listener(conversation, part);
  }

  /** Announces what other processes have moved since the last time. */
  announceOthers(): void {
    const oldest = this.#sql.get<{ id: number }>("SELECT min(id) AS id FROM moves")?.id ?? 0;
    const newest = this.#newest();
    if (newest <= this.#seen) return;
    if (oldest > this.#seen + 1) this.#announceEverything();
    else {
      const moves = this.#sql.all<{ conversation: string; part: Part }>(
        "SELECT DISTINCT conversation, part FROM moves WHERE id > ? AND owner <> ?",
        this.#seen,
        this.#self,
      );
      for (const { conversation, part } of moves) this.#announceForeign(conversation, part);
    }
    this.#seen = newest;
  }

  #announceEverything(): void {
    for (const { key } of this.#sql.all<{ key: string }>("SELECT key FROM conversations")) {
      this.#announceForeign(key, "log");
    }
    const waiting = this.#sql.all<{ key: string }>(
      "SELECT key FROM conversations WHERE id IN (SELECT conversation FROM inbox)",
    );
    for (const { key } of waiting) this.announce(key, "inbox");
  }

  #announceForeign(conversation: string, part: Part): void {
    this.#onForeignMove(conversation);
    this.announce(conversation, part);
  }

  #leaveWord(conversation: string, part: Part): void {
    const move = this.#sql.get<{ id: number }>(
      "INSERT INTO moves (owner, conversation, part) VALUES (?, ?, ?) RETURNING id",
      this.#self,
      conversation,
      part,
    );
    if (move && move.id % TRIM_EVERY === 0) {
      this.#sql.run("DELETE FROM moves WHERE id <= ?", move.id - KEPT_MOVES);
    }
  }

  #newest(): number {
    return this.#sql.get<{ id: number | null }>("SELECT max(id) AS id FROM moves")?.id ?? 0;
  }
}
