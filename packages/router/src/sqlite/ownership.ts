import type { NewEvent } from "../events.ts";
import { createReference } from "../reference.ts";
import type { Lease } from "../store.ts";
import type { ConversationRow, Conversations } from "./conversations.ts";
import type { EventLog } from "./event-log.ts";
import type { Inbox } from "./inbox.ts";
import type { OwnerLock } from "./owner-lock.ts";
import type { Statements } from "./statements.ts";

/** Gives up an owner's conversations in which no turn or question is open and nothing waits, some at a time. */
const FREE_IDLE = `
  UPDATE conversations SET owner = NULL WHERE id IN (
    SELECT id FROM conversations WHERE owner = ?
    AND NOT EXISTS (SELECT 1 FROM turns WHERE conversation = conversations.id AND end_seq IS NULL)
    AND NOT EXISTS (SELECT 1 FROM inbox WHERE conversation = conversations.id)
    AND NOT EXISTS (SELECT 1 FROM questions WHERE conversation = conversations.id AND ask IS NOT NULL)
    LIMIT 500)`;

/** Who owns which conversation. Changes run within a transaction. */
export class Ownership {
  readonly #sql: Statements;
  readonly #lock: OwnerLock;
  readonly #conversations: Conversations;
  readonly #log: EventLog;
  readonly #inbox: Inbox;

  constructor(
    sql: Statements,
    lock: OwnerLock,
    parts: { conversations: Conversations; log: EventLog; inbox: Inbox },
  ) {
    this.#sql = sql;
    this.#lock = lock;
    this.#conversations = parts.conversations;
    this.#log = parts.log;
    this.#inbox = parts.inbox;
  }

  /** @param at - Milliseconds since the epoch: when a dead owner's turns end, if this takes over from one. */
  claim(conversation: string, at: number): Lease | undefined {
    const row = this.#conversations.ensure(conversation);
    if (row.owner !== null && this.#lock.isAlive(row.owner)) return undefined;
    const fence = row.fence + 1;
    const sql = "UPDATE conversations SET owner = ?, fence = ? WHERE id = ?";
    this.#sql.run(sql, this.#lock.id, fence, row.id);
    const lease = { conversation, fence };
    if (row.owner === null) return lease;
    const interrupted = this.#takeOver(lease, row, at);
    const left = this.#sql.get("SELECT 1 FROM conversations WHERE owner = ? LIMIT 1", row.owner);
    if (!left) this.#bury(row.owner);
    return { ...lease, interrupted };
  }

  /** False when the lease was no longer the newest. */
  release(lease: Lease): boolean {
    const row = this.#sql.get<{ id: number }>(
      "UPDATE conversations SET owner = NULL WHERE key = ? AND fence = ? AND owner = ? RETURNING id",
      lease.conversation,
      lease.fence,
      this.#lock.id,
    );
    if (row) this.#inbox.giveBack(lease.conversation, row.id, "left");
    return row !== undefined;
  }

  releaseAll(): void {
    const held = this.#sql.all<{ id: number; key: string }>(
      "UPDATE conversations SET owner = NULL WHERE owner = ? RETURNING id, key",
      this.#lock.id,
    );
    for (const { id, key } of held) this.#inbox.giveBack(key, id, "left");
    this.#sql.run("DELETE FROM owners WHERE id = ?", this.#lock.id);
  }

  /** Conversations whose owner has died, and those that nobody owns although something waits in their inbox. */
  orphans(): readonly string[] {
    const rows = this.#sql.all<{ key: string }>(
      "SELECT key FROM conversations WHERE owner IN (SELECT value FROM json_each(?))",
      JSON.stringify(this.#findDead()),
    );
    return [...rows.map(({ key }) => key), ...this.waiting()];
  }

  /** Conversations that nobody owns although something waits in their inbox. */
  waiting(): readonly string[] {
    const sql = `SELECT DISTINCT key FROM inbox
      JOIN conversations ON conversations.id = inbox.conversation WHERE owner IS NULL`;
    return this.#sql.all<{ key: string }>(sql).map(({ key }) => key);
  }

  /**
   * Removes what is left of dead owners, but for conversations in which they have left something to do.
   * @returns How many conversations were freed; there may be more.
   */
  bury(): number {
    let freed = 0;
    for (const owner of this.#findDead()) freed += this.#sql.run(FREE_IDLE, owner);
    const rows = this.#sql.all<{ id: string; owns: number }>(
      "SELECT id, EXISTS (SELECT 1 FROM conversations WHERE owner = owners.id) AS owns FROM owners",
    );
    for (const { id, owns } of rows) if (owns === 0) this.#bury(id);
    this.#lock.buryAll(new Set(rows.map(({ id }) => id)));
    return freed;
  }

  #findDead(): string[] {
    return this.#sql
      .all<{ owner: string }>("SELECT DISTINCT owner FROM conversations WHERE owner IS NOT NULL")
      .map(({ owner }) => owner)
      .filter((owner) => !this.#lock.isAlive(owner));
  }

  #bury(owner: string): void {
    if (this.#lock.bury(owner)) this.#sql.run("DELETE FROM owners WHERE id = ?", owner);
  }

  /** Ends what the dead owner left running, visibly; what it had not started is offered again. */
  #takeOver(lease: Lease, row: ConversationRow, at: number): Lease["interrupted"] & object {
    const questions = this.#sql.all<{ id: string; turn: string }>(
      `SELECT id, turn FROM questions
       WHERE conversation = ? AND ask IS NOT NULL ORDER BY asked_seq`,
      row.id,
    );
    const turns = this.#sql.all<{ turn: string }>(
      `SELECT turn FROM turns
       WHERE conversation = ? AND end_seq IS NULL AND start_seq IS NOT NULL ORDER BY start_seq`,
      row.id,
    );
    const expired = questions.map(
      ({ id: permission, turn }): NewEvent => ({
        kind: "permission-answer",
        permission,
        end: "expired",
        at,
        turn,
      }),
    );
    const interrupted = turns.map(({ turn }) => ({ turn, ref: createReference() }));
    const ends = interrupted.map(
      ({ turn, ref }): NewEvent => ({
        kind: "turn-end",
        outcome: { kind: "interrupted", ref },
        at,
        turn,
      }),
    );
    this.#log.append(lease, [...expired, ...ends]);
    this.#inbox.giveBack(lease.conversation, row.id, "died");
    return interrupted;
  }
}
