import { createHash } from "node:crypto";
import { RouterError } from "../errors.ts";
import type { Lease } from "../store.ts";
import type { Statements } from "./statements.ts";

export type ConversationRow = {
  readonly id: number;
  /** Oldest and newest seq of the log; an empty one has first = last + 1. */
  readonly first: number;
  readonly last: number;
  readonly fence: number;
  readonly owner: string | null;
};

const COLUMNS = `id, first, fence, owner, coalesce(
  (SELECT seq FROM events WHERE conversation = id ORDER BY seq DESC LIMIT 1), first - 1) AS last`;

/** Finds conversations by their keys, and the owner of one by its lease. */
export class Conversations {
  readonly #sql: Statements;
  readonly #self: string;

  /** @param self - Id of the owner that this process is. */
  constructor(sql: Statements, self: string) {
    this.#sql = sql;
    this.#self = self;
  }

  find(key: string): ConversationRow | undefined {
    const sql = `SELECT ${COLUMNS} FROM conversations WHERE key = ?`;
    return this.#sql.get<ConversationRow>(sql, key);
  }

  /** Finds or makes it. One that was erased goes on behind its last seq. */
  ensure(key: string): ConversationRow {
    const known = this.find(key);
    if (known) return known;
    this.#sql.run(
      `INSERT INTO conversations (key, first)
       VALUES (?, 1 + coalesce((SELECT last FROM erased WHERE digest = ?), 0))`,
      key,
      digestOf(key),
    );
    return this.find(key) as ConversationRow;
  }

  /**
   * The conversation of a lease. In a transaction nothing can come between this check and the writes behind it.
   * @throws RouterError `fenced`.
   */
  owned(lease: Lease): ConversationRow {
    const row = this.#sql.get<ConversationRow>(
      `SELECT ${COLUMNS} FROM conversations WHERE key = ? AND fence = ? AND owner = ?`,
      lease.conversation,
      lease.fence,
      this.#self,
    );
    if (row) return row;
    throw fenced();
  }
}

export function fenced(): RouterError {
  return new RouterError("Another owner has taken this conversation over", { code: "fenced" });
}

/** Stands for the key of a conversation that was erased, without telling it. */
export function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
