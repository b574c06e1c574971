import { RouterError } from "../errors.ts";
import type { LogEvent, NewEvent, PermissionAsk } from "../events.ts";
import type { Lease, OpenTurn } from "../store.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { type Conversations, fenced } from "./conversations.ts";
import type { LogTail } from "./log-tail.ts";
import type { Statements } from "./statements.ts";

/** Characters of event bodies that one read gives at most, but for a first one that is longer. */
const READ_CHARS = 1 << 19;

/** A conversation that this process has appended to: where its log ends, as long as the lease is the newest. */
type Place = { readonly fence: number; readonly id: number; last: number };

/** The logs, and what has to be known of their turns and questions without reading them. */
export class EventLog {
  readonly #sql: Statements;
  readonly #conversations: Conversations;
  readonly #feed: ChangeFeed;
  readonly #tail: LogTail;
  readonly #self: string;
  readonly #places = new Map<string, Place>();

  /** @param self - Id of the owner that this process is. */
  constructor(
    sql: Statements,
    self: string,
    parts: { conversations: Conversations; feed: ChangeFeed; tail: LogTail },
  ) {
    this.#sql = sql;
    this.#self = self;
    this.#conversations = parts.conversations;
    this.#feed = parts.feed;
    this.#tail = parts.tail;
  }

  /** Within a transaction. */
  append(lease: Lease, events: readonly NewEvent[]): number {
    const { conversation, fence } = lease;
    let place = this.#places.get(conversation);
    if (place?.fence !== fence || events.length === 0) {
      const { id, last } = this.#conversations.owned(lease);
      place = { id, fence, last };
      this.#places.set(conversation, place);
      if (events.length === 0) return last;
    }
    const { id } = place;
    let seq = place.last;
    let chars = 0;
    const placed: LogEvent[] = [];
    const insert = this.#sql.prepare("INSERT INTO events VALUES (?, ?, ?)");
    for (const event of events) {
      seq += 1;
      const body = JSON.stringify(event);
      chars += body.length;
      if (placed.length > 0) insert.run(id, seq, body);
      else this.#insertFenced(lease, id, seq, body);
      const logged = { ...event, seq };
      this.#index(id, logged);
      placed.push(logged);
    }
    place.last = seq;
    this.#tail.append(conversation, placed, chars);
    this.#feed.mark(conversation, "log");
    return seq;
  }

  /** Forgets what is known without asking: the lease was given up, or a transaction was undone. */
  forget(conversation: string): void {
    this.#places.delete(conversation);
    this.#tail.drop(conversation);
  }

  /** The fence is part of the statement, and holds for the rest of the transaction: nobody else writes until its end. */
  #insertFenced(lease: Lease, id: number, seq: number, body: string): void {
    const written = this.#sql.run(
      `INSERT INTO events SELECT ?, ?, ?
       WHERE EXISTS (SELECT 1 FROM conversations WHERE id = ? AND fence = ? AND owner = ?)`,
      id,
      seq,
      body,
      id,
      lease.fence,
      this.#self,
    );
    if (written > 0) return;
    this.forget(lease.conversation);
    // Whoever waits for this owner's next event has to look at what the log is now.
    this.#feed.mark(lease.conversation, "log");
    throw fenced();
  }

  read(conversation: string, after: number, limit: number): readonly LogEvent[] {
    const near = this.#tail.read(conversation, after, limit);
    if (near) return near;
    const row = this.#conversations.find(conversation);
    const last = row?.last ?? 0;
    if (after > last) {
      const message = `Seq ${after} is beyond the newest event, ${last}`;
      throw new RouterError(message, { code: "ahead", last });
    }
    if (!row || after === last) return [];
    if (after + 1 < row.first) {
      const message = `The events behind seq ${after} have been removed`;
      throw new RouterError(message, { code: "expired", first: row.first });
    }
    const events: LogEvent[] = [];
    let chars = 0;
    const rows = this.#sql.each<{ seq: number; body: string }>(
      "SELECT seq, body FROM events WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?",
      row.id,
      after,
      limit,
    );
    for (const { seq, body } of rows) {
      events.push({ ...(JSON.parse(body) as NewEvent), seq });
      chars += body.length;
      if (chars >= READ_CHARS) break;
    }
    return events;
  }

  turnEnd(conversation: string, turn: string): number | undefined {
    const row = this.#sql.get<{ seq: number | null }>(
      `SELECT end_seq AS seq FROM turns WHERE turn = ?
       AND conversation = (SELECT id FROM conversations WHERE key = ?)`,
      turn,
      conversation,
    );
    return row?.seq ?? undefined;
  }

  openTurns(conversation: string): readonly OpenTurn[] {
    const row = this.#conversations.find(conversation);
    if (!row) return [];
    const turns = this.#sql.all<{ turn: string; who: string; key: string; started: number }>(
      `SELECT turns.turn, who, key, start_seq IS NOT NULL AS started FROM turns
       LEFT JOIN inbox ON inbox.conversation = turns.conversation AND inbox.turn = turns.turn
       WHERE turns.conversation = ? AND end_seq IS NULL ORDER BY start_seq IS NULL, start_seq, inbox.id`,
      row.id,
    );
    const questions = this.#sql.all<{ turn: string; ask: string }>(
      `SELECT turn, ask FROM questions
       WHERE conversation = ? AND ask IS NOT NULL ORDER BY asked_seq`,
      row.id,
    );
    return turns.map(({ turn, who, key, started }) => ({
      turn,
      who,
      key,
      started: started === 1,
      asks: questions
        .filter((question) => question.turn === turn)
        .map(({ ask }) => JSON.parse(ask) as PermissionAsk),
    }));
  }

  #index(id: number, event: LogEvent): void {
    const turn = event.turn ?? "";
    switch (event.kind) {
      case "turn-queued":
        this.#sql.run(
          `INSERT INTO turns (conversation, turn, who, key) VALUES (?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
          id,
          turn,
          event.who,
          event.key,
        );
        return;
      case "turn-start":
        this.#sql.run(
          `INSERT INTO turns (conversation, turn, who, start_seq) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT DO UPDATE SET start_seq = ?4`,
          id,
          turn,
          event.who,
          event.seq,
        );
        this.#leaveInbox(id, turn);
        return;
      case "turn-end":
        this.#sql.run(
          `INSERT INTO turns (conversation, turn, end_seq, ended_at, outcome)
           VALUES (?1, ?2, ?3, ?4, ?5)
           ON CONFLICT DO UPDATE SET end_seq = ?3, ended_at = ?4, outcome = ?5`,
          id,
          turn,
          event.seq,
          event.at,
          event.outcome.kind,
        );
        this.#leaveInbox(id, turn);
        return;
      case "permission-ask":
        this.#sql.run(
          `INSERT INTO questions VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
           SET turn = excluded.turn, asked_seq = excluded.asked_seq, ask = excluded.ask
           WHERE ask IS NULL`,
          id,
          event.ask.id,
          turn,
          event.seq,
          JSON.stringify(event.ask),
        );
        return;
      case "permission-answer":
        this.#sql.run(
          "UPDATE questions SET ask = NULL WHERE conversation = ? AND id = ?",
          id,
          event.permission,
        );
        return;
      default:
        return;
    }
  }

  #leaveInbox(id: number, turn: string): void {
    this.#sql.run("DELETE FROM inbox WHERE conversation = ? AND turn = ?", id, turn);
  }
}
