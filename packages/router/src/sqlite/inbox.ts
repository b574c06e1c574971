import { randomUUID } from "node:crypto";
import { RouterError } from "../errors.ts";
import {
  type InboxItem,
  type Lease,
  MAX_QUEUED,
  MAX_WAITING,
  type Posted,
  type PromptItem,
  REDRIVE_WINDOW_MS,
  type TakenItem,
} from "../store.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { ConversationRow, Conversations } from "./conversations.ts";
import type { Statements } from "./statements.ts";

type KeyRow = { turn: string; after: number; attempt: number; delivered: number };

/** What is wanted of owners, and what their keys have led to. Everything here runs within a transaction. */
export class Inbox {
  readonly #sql: Statements;
  readonly #conversations: Conversations;
  readonly #feed: ChangeFeed;

  constructor(sql: Statements, conversations: Conversations, feed: ChangeFeed) {
    this.#sql = sql;
    this.#conversations = conversations;
    this.#feed = feed;
  }

  post(conversation: string, item: InboxItem): Posted {
    const row = this.#conversations.ensure(conversation);
    const posted =
      item.kind === "prompt" ? this.#postPrompt(row, item) : this.#postOther(row, item);
    if (posted.how === "new") this.#feed.mark(conversation, "inbox");
    return posted;
  }

  /** What was taken the last time has had its effect by now, but for prompts whose turn has not started. */
  take(lease: Lease): readonly TakenItem[] {
    const { id } = this.#conversations.owned(lease);
    this.#forgetTaken(id);
    const rows = this.#sql.all<{ item: string; turn: string | null; attempt: number | null }>(
      "SELECT item, turn, attempt FROM inbox WHERE conversation = ? AND taken = 0 ORDER BY id",
      id,
    );
    if (rows.length === 0) return [];
    this.#sql.run("UPDATE inbox SET taken = 1 WHERE conversation = ? AND taken = 0", id);
    return rows.map(({ item, turn, attempt }): TakenItem => {
      const parsed = JSON.parse(item) as InboxItem;
      return parsed.kind === "prompt"
        ? { item: parsed, turn: turn ?? "", attempt: attempt ?? 1 }
        : { item: parsed };
    });
  }

  /** Offers again what an owner has taken and not started; after a death also what may have had no effect. */
  giveBack(conversation: string, id: number, owner: "left" | "died"): void {
    if (owner === "left") this.#forgetTaken(id);
    this.#sql.run("UPDATE inbox SET taken = 0 WHERE conversation = ? AND taken = 1", id);
    if (this.#sql.get("SELECT 1 FROM inbox WHERE conversation = ? LIMIT 1", id)) {
      this.#feed.mark(conversation, "left");
    }
  }

  #forgetTaken(id: number): void {
    this.#sql.run("DELETE FROM inbox WHERE conversation = ? AND taken = 1 AND turn IS NULL", id);
  }

  #postPrompt(row: ConversationRow, item: PromptItem): Posted {
    const known = item.key === "" ? undefined : this.#key(row.id, item.key);
    if (known && this.#isRepeat(row.id, known, item)) {
      this.#noteRequest(row.id, item);
      return { turn: known.turn, after: known.after, how: "repeat" };
    }
    this.#checkRoom(row.id);
    this.#checkQueue(row.id);
    const turn = randomUUID();
    const after = Math.min(item.after ?? row.last, row.last);
    const attempt = (known?.attempt ?? 0) + 1;
    if (item.key !== "") {
      this.#sql.run(
        `INSERT INTO keys VALUES (?1, ?2, ?3, ?4, ?5, 0)
         ON CONFLICT DO UPDATE SET turn = ?3, after = ?4, attempt = ?5, delivered = 0`,
        row.id,
        item.key,
        turn,
        after,
        attempt,
      );
      // A regeneration by a request id of long ago starts that id's ten minutes anew.
      if (item.request) {
        const sql = "DELETE FROM requests WHERE conversation = ? AND key = ? AND request = ?";
        this.#sql.run(sql, row.id, item.key, item.request);
      }
      this.#noteRequest(row.id, item);
    }
    const turnSql = "INSERT INTO turns (conversation, turn, who, key) VALUES (?, ?, ?, ?)";
    this.#sql.run(turnSql, row.id, turn, item.user, item.key);
    const sql = "INSERT INTO inbox (conversation, item, turn, attempt) VALUES (?, ?, ?, ?)";
    this.#sql.run(sql, row.id, JSON.stringify(item), turn, attempt);
    return { turn, after, how: "new" };
  }

  #checkRoom(id: number): void {
    const sql = "SELECT count(*) AS waiting FROM inbox WHERE conversation = ? AND taken = 0";
    const waiting = this.#sql.get<{ waiting: number }>(sql, id)?.waiting ?? 0;
    if (waiting < MAX_WAITING) return;
    const message = `${waiting} items wait in this conversation already`;
    throw new RouterError(message, { code: "queue-full" });
  }

  #checkQueue(id: number): void {
    const sql = "SELECT count(*) AS waiting FROM inbox WHERE conversation = ? AND turn IS NOT NULL";
    const waiting = this.#sql.get<{ waiting: number }>(sql, id)?.waiting ?? 0;
    if (waiting < MAX_QUEUED) return;
    const message = `${waiting} messages wait in this conversation already`;
    throw new RouterError(message, { code: "queue-full" });
  }

  #isRepeat(id: number, known: KeyRow, item: PromptItem): boolean {
    if (item.repeat === "attach") return true;
    const asked = item.request
      ? this.#sql.get<{ at: number }>(
          "SELECT at FROM requests WHERE conversation = ? AND key = ? AND request = ?",
          id,
          item.key,
          item.request,
        )?.at
      : undefined;
    if (asked !== undefined && item.at - asked < REDRIVE_WINDOW_MS) return true;
    return known.delivered === 0 && this.#turn(id, known.turn)?.outcome !== "cancelled";
  }

  #noteRequest(id: number, item: PromptItem): void {
    if (!item.request) return;
    const sql = "INSERT INTO requests VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    this.#sql.run(sql, id, item.key, item.request, item.at);
  }

  #postOther(row: ConversationRow, item: Exclude<InboxItem, PromptItem>): Posted {
    const known = item.key === "" ? undefined : this.#key(row.id, item.key);
    if (known) return { turn: known.turn, after: known.after, how: "repeat" };
    const wanted = item.kind === "answer" ? item.after : undefined;
    const after = Math.min(wanted ?? row.last, row.last);
    const question = item.kind === "answer" ? this.#question(row.id, item.permission) : undefined;
    const turn = item.kind === "cancel" ? item.turn : (question?.turn ?? "");
    const ended = item.kind === "cancel" && this.#turn(row.id, item.turn)?.end_seq != null;
    if (ended || (item.kind === "answer" && question?.open !== 1)) {
      return { turn, after, how: "late" };
    }
    this.#checkRoom(row.id);
    if (item.key !== "") {
      this.#sql.run("INSERT INTO keys VALUES (?, ?, ?, ?, 1, 0)", row.id, item.key, turn, after);
    }
    const sql = "INSERT INTO inbox (conversation, item) VALUES (?, ?)";
    this.#sql.run(sql, row.id, JSON.stringify(item));
    return { turn, after, how: "new" };
  }

  #key(id: number, key: string): KeyRow | undefined {
    const sql =
      "SELECT turn, after, attempt, delivered FROM keys WHERE conversation = ? AND key = ?";
    return this.#sql.get<KeyRow>(sql, id, key);
  }

  #turn(id: number, turn: string): { end_seq: number | null; outcome: string | null } | undefined {
    const sql = "SELECT end_seq, outcome FROM turns WHERE conversation = ? AND turn = ?";
    return this.#sql.get(sql, id, turn);
  }

  #question(id: number, question: string): { turn: string; open: number } | undefined {
    const sql =
      "SELECT turn, ask IS NOT NULL AS open FROM questions WHERE conversation = ? AND id = ?";
    return this.#sql.get(sql, id, question);
  }
}
