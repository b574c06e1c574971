import { randomUUID } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { RouterError } from "../errors.ts";
import type { LogEvent, NewEvent } from "../events.ts";
import {
  type Checkpoint,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  type Posted,
  type PromptItem,
  REDRIVE_WINDOW_MS,
  type Store,
  type TakenItem,
} from "../store.ts";
import { GroupCommit } from "./group-commit.ts";
import { LogTail } from "./log-tail.ts";
import type { OwnerLock } from "./owner-lock.ts";
import type { PeerWatch } from "./peer-watch.ts";

type Listener = (conversation: string, part: "log" | "inbox") => void;
type ConversationRow = { id: number; last: number; fence: number; owner: number | null };
type KeyRow = { turn: string; after: number; attempt: number; delivered: number };

/** The durable store: what it has confirmed survives the end of the process by any means. */
export class SqliteStore implements Store {
  readonly epoch: string;
  readonly #database: DatabaseSync;
  readonly #lock: OwnerLock;
  readonly #commits: GroupCommit;
  readonly #tail = new LogTail();
  readonly #statements = new Map<string, StatementSync>();
  readonly #listeners = new Set<Listener>();
  /** Conversations that the transaction under way has moved: announced once it is committed. */
  #moved = new Map<string, Set<"log" | "inbox">>();
  /** This transaction's place on the clock; set by its first move. */
  #move: number | undefined;
  readonly #peers: PeerWatch;

  /** Use {@link import("./open-sqlite-store.ts").openSqliteStore}. */
  constructor(
    database: DatabaseSync,
    parts: {
      epoch: string;
      lock: OwnerLock;
      watchPeers: (store: { announceMovedSince: (move: number) => number }) => PeerWatch;
    },
  ) {
    this.#database = database;
    this.epoch = parts.epoch;
    this.#lock = parts.lock;
    this.#commits = new GroupCommit(database, (committed) => this.#endTransaction(committed));
    this.#peers = parts.watchPeers({
      announceMovedSince: (move) => this.#announceMovedSince(move),
    });
  }

  claim(conversation: string): Promise<Lease | undefined> {
    return this.#commits.run(() => {
      const row = this.#ensure(conversation);
      if (row.owner === this.#lock.id) return undefined;
      const dead = row.owner !== null && !this.#lock.isAlive(row.owner);
      if (row.owner !== null && !dead) return undefined;
      const fence = row.fence + 1;
      this.#run(
        "UPDATE conversations SET owner = ?, fence = ? WHERE id = ?",
        this.#lock.id,
        fence,
        row.id,
      );
      const lease = { conversation, fence };
      if (dead) this.#takeOver(lease, row);
      return lease;
    });
  }

  release(lease: Lease): Promise<void> {
    return this.#commits.run(() => {
      this.#tail.drop(lease.conversation);
      const row = this.#get<{ id: number }>(
        "UPDATE conversations SET owner = NULL WHERE key = ? AND fence = ? AND owner = ? RETURNING id",
        lease.conversation,
        lease.fence,
        this.#lock.id,
      );
      if (row) this.#giveBack(row.id);
    });
  }

  /** Conversations whose owner has died, or that nobody owns although somebody waits for an answer. */
  async orphans(): Promise<readonly string[]> {
    const owners = this.#all<{ owner: number }>(
      "SELECT DISTINCT owner FROM conversations WHERE owner IS NOT NULL",
    );
    const dead = owners.map(({ owner }) => owner).filter((owner) => !this.#lock.isAlive(owner));
    const rows = this.#all<{ key: string }>(
      `SELECT key FROM conversations WHERE owner IN (SELECT value FROM json_each(?))
       UNION SELECT key FROM conversations JOIN inbox ON inbox.conversation = conversations.id
       WHERE owner IS NULL`,
      JSON.stringify(dead),
    );
    return rows.map(({ key }) => key);
  }

  append(lease: Lease, events: readonly NewEvent[]): Promise<number> {
    return this.#commits.run(() => this.#append(lease, events));
  }

  async read(conversation: string, after: number, limit: number): Promise<readonly LogEvent[]> {
    const near = this.#tail.read(conversation, after, limit);
    if (near) return near;
    const row = this.#get<{ id: number; first: number; last: number }>(
      "SELECT id, first, last FROM conversations WHERE key = ?",
      conversation,
    );
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
    return this.#all<{ seq: number; body: string }>(
      "SELECT seq, body FROM events WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?",
      row.id,
      after,
      limit,
    ).map(({ seq, body }) => ({ ...(JSON.parse(body) as NewEvent), seq }));
  }

  async last(conversation: string): Promise<number> {
    const sql = "SELECT last FROM conversations WHERE key = ?";
    return this.#get<{ last: number }>(sql, conversation)?.last ?? 0;
  }

  post(conversation: string, item: InboxItem): Promise<Posted> {
    return this.#commits.run(() => {
      const row = this.#ensure(conversation);
      const posted =
        item.kind === "prompt" ? this.#postPrompt(row, item) : this.#postOther(row, item);
      if (posted.how === "new") this.#touch(conversation, row.id, "inbox");
      return posted;
    });
  }

  take(lease: Lease): Promise<readonly TakenItem[]> {
    return this.#commits.run(() => {
      const { id } = this.#owned(lease);
      const rows = this.#all<{ item: string; turn: string | null; attempt: number | null }>(
        "SELECT item, turn, attempt FROM inbox WHERE conversation = ? AND taken = 0 ORDER BY id",
        id,
      );
      if (rows.length === 0) return [];
      this.#run("DELETE FROM inbox WHERE conversation = ? AND turn IS NULL", id);
      this.#run("UPDATE inbox SET taken = 1 WHERE conversation = ? AND taken = 0", id);
      return rows.map(({ item, turn, attempt }): TakenItem => {
        const parsed = JSON.parse(item) as InboxItem;
        return parsed.kind === "prompt"
          ? { item: parsed, turn: turn ?? "", attempt: attempt ?? 1 }
          : { item: parsed };
      });
    });
  }

  confirm(conversation: string, consumer: string, from: number, to: Checkpoint): Promise<boolean> {
    return this.#commits.run(() => {
      const { id, last } = this.#ensure(conversation);
      if (this.#checkpoint(id, consumer).seq !== from) return false;
      if (to.seq > last || to.seq < from) {
        const message = `A checkpoint at ${to.seq} is outside ${from}..${last}`;
        throw new RouterError(message, { code: "ahead", last });
      }
      if (to.state !== undefined && Buffer.byteLength(to.state) > MAX_CHECKPOINT_STATE_BYTES) {
        throw new RangeError(`A checkpoint's state is at most ${MAX_CHECKPOINT_STATE_BYTES} bytes`);
      }
      this.#run(
        `INSERT INTO checkpoints VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET seq = ?3, state = ?4`,
        id,
        consumer,
        to.seq,
        to.state ?? null,
      );
      for (const key of to.delivered ?? []) {
        this.#run("UPDATE keys SET delivered = 1 WHERE conversation = ? AND key = ?", id, key);
      }
      return true;
    });
  }

  async checkpoint(conversation: string, consumer: string): Promise<Checkpoint> {
    const row = this.#find(conversation);
    return row ? this.#checkpoint(row.id, consumer) : { seq: 0 };
  }

  async readRecord<T>(key: string): Promise<T | undefined> {
    const row = this.#get<{ value: string }>("SELECT value FROM records WHERE key = ?", key);
    return row && (JSON.parse(row.value) as T);
  }

  writeRecord(lease: Lease, key: string, value: unknown): Promise<void> {
    return this.#commits.run(() => {
      this.#owned(lease);
      this.#run(
        "INSERT INTO records VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
        key,
        JSON.stringify(value),
      );
    });
  }

  async turnEnd(conversation: string, turn: string): Promise<number | undefined> {
    const row = this.#find(conversation);
    const end = row && this.#turn(row.id, turn)?.end_seq;
    return end ?? undefined;
  }

  onChange(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#database.isOpen) return;
    this.#peers[Symbol.dispose]();
    await this.#commits.run(() => {
      const held = this.#all<{ id: number }>(
        "UPDATE conversations SET owner = NULL WHERE owner = ? RETURNING id",
        this.#lock.id,
      );
      for (const { id } of held) this.#giveBack(id);
      this.#run("DELETE FROM owners WHERE id = ?", this.#lock.id);
    });
    this.#listeners.clear();
    this.#statements.clear();
    this.#database.close();
    this.#lock[Symbol.dispose]();
  }

  #append(lease: Lease, events: readonly NewEvent[]): number {
    const move = this.#nextMove();
    // The fence is part of the statement that makes room: nothing can come between check and write.
    const row = this.#get<{ id: number; last: number }>(
      `UPDATE conversations SET last = last + ?, log_moved = ?
       WHERE key = ? AND fence = ? AND owner = ? RETURNING id, last`,
      events.length,
      move,
      lease.conversation,
      lease.fence,
      this.#lock.id,
    );
    if (!row) throw fenced();
    let seq = row.last - events.length;
    const placed = events.map((event): LogEvent => {
      seq += 1;
      this.#run("INSERT INTO events VALUES (?, ?, ?)", row.id, seq, JSON.stringify(event));
      const logged = { ...event, seq };
      this.#index(row.id, logged);
      return logged;
    });
    if (placed.length > 0) {
      this.#tail.append(lease.conversation, placed);
      this.#mark(lease.conversation, "log");
    }
    return row.last;
  }

  /** Keeps what later posts and take-overs have to know without reading the log. */
  #index(id: number, event: LogEvent): void {
    switch (event.kind) {
      case "turn-queued":
        this.#run(
          "INSERT OR IGNORE INTO turns (conversation, turn) VALUES (?, ?)",
          id,
          event.turn ?? "",
        );
        return;
      case "turn-start":
        this.#run(
          `INSERT INTO turns (conversation, turn, started) VALUES (?, ?, 1)
           ON CONFLICT DO UPDATE SET started = 1`,
          id,
          event.turn ?? "",
        );
        this.#run("DELETE FROM inbox WHERE conversation = ? AND turn = ?", id, event.turn ?? "");
        return;
      case "turn-end":
        this.#run(
          `INSERT INTO turns (conversation, turn, started, end_seq, outcome) VALUES (?1, ?2, 1, ?3, ?4)
           ON CONFLICT DO UPDATE SET end_seq = ?3, outcome = ?4`,
          id,
          event.turn ?? "",
          event.seq,
          event.outcome.kind,
        );
        this.#run("DELETE FROM inbox WHERE conversation = ? AND turn = ?", id, event.turn ?? "");
        return;
      case "permission-ask":
        this.#run(
          "INSERT OR REPLACE INTO questions VALUES (?, ?, ?, 1)",
          id,
          event.ask.id,
          event.turn ?? "",
        );
        return;
      case "permission-answer":
        this.#run(
          "UPDATE questions SET open = 0 WHERE conversation = ? AND id = ?",
          id,
          event.permission,
        );
        return;
      default:
        return;
    }
  }

  /** Ends what the dead owner left running, visibly; what it had not started is offered again. */
  #takeOver(lease: Lease, row: ConversationRow): void {
    const at = Date.now();
    const questions = this.#all<{ id: string; turn: string }>(
      "SELECT id, turn FROM questions WHERE conversation = ? AND open = 1",
      row.id,
    );
    const turns = this.#all<{ turn: string }>(
      "SELECT turn FROM turns WHERE conversation = ? AND end_seq IS NULL AND started = 1",
      row.id,
    );
    this.#append(lease, [
      ...questions.map(
        ({ id, turn }): NewEvent => ({
          kind: "permission-answer",
          permission: id,
          end: "expired",
          at,
          turn,
        }),
      ),
      ...turns.map(
        ({ turn }): NewEvent => ({ kind: "turn-end", outcome: { kind: "interrupted" }, at, turn }),
      ),
    ]);
    this.#giveBack(row.id);
  }

  #giveBack(conversation: number): void {
    this.#run("UPDATE inbox SET taken = 0 WHERE conversation = ? AND taken = 1", conversation);
  }

  #postPrompt(row: ConversationRow, item: PromptItem): Posted {
    const known = item.key === "" ? undefined : this.#key(row.id, item.key);
    if (known && this.#isRepeat(row.id, known, item)) {
      this.#noteRequest(row.id, item);
      return { turn: known.turn, after: known.after, how: "repeat" };
    }
    const turn = randomUUID();
    const after = Math.min(item.after ?? row.last, row.last);
    const attempt = (known?.attempt ?? 0) + 1;
    if (item.key !== "") {
      this.#run(
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
        this.#run(sql, row.id, item.key, item.request);
      }
      this.#noteRequest(row.id, item);
    }
    this.#run(
      "INSERT INTO inbox (conversation, item, turn, attempt) VALUES (?, ?, ?, ?)",
      row.id,
      JSON.stringify(item),
      turn,
      attempt,
    );
    return { turn, after, how: "new" };
  }

  #isRepeat(id: number, known: KeyRow, item: PromptItem): boolean {
    if (item.repeat === "attach") return true;
    const asked = item.request
      ? this.#get<{ at: number }>(
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
    const sql = "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)";
    this.#run(sql, id, item.key, item.request, item.at);
  }

  #postOther(row: ConversationRow, item: Exclude<InboxItem, PromptItem>): Posted {
    const known = item.key === "" ? undefined : this.#key(row.id, item.key);
    if (known) return { turn: known.turn, after: known.after, how: "repeat" };
    const wanted = item.kind === "answer" ? item.after : undefined;
    const after = Math.min(wanted ?? row.last, row.last);
    const question =
      item.kind === "answer"
        ? this.#get<{ turn: string; open: number }>(
            "SELECT turn, open FROM questions WHERE conversation = ? AND id = ?",
            row.id,
            item.permission,
          )
        : undefined;
    const turn = item.kind === "cancel" ? item.turn : (question?.turn ?? "");
    const ended = item.kind === "cancel" && this.#turn(row.id, item.turn)?.end_seq != null;
    if (ended || (item.kind === "answer" && question?.open !== 1)) {
      return { turn, after, how: "late" };
    }
    if (item.key !== "") {
      this.#run("INSERT INTO keys VALUES (?, ?, ?, ?, 1, 0)", row.id, item.key, turn, after);
    }
    const sql = "INSERT INTO inbox (conversation, item) VALUES (?, ?)";
    this.#run(sql, row.id, JSON.stringify(item));
    return { turn, after, how: "new" };
  }

  #ensure(conversation: string): ConversationRow {
    const known = this.#find(conversation);
    if (known) return known;
    this.#run("INSERT INTO conversations (key) VALUES (?)", conversation);
    return this.#find(conversation) as ConversationRow;
  }

  #find(conversation: string): ConversationRow | undefined {
    const sql = "SELECT id, last, fence, owner FROM conversations WHERE key = ?";
    return this.#get<ConversationRow>(sql, conversation);
  }

  #owned(lease: Lease): ConversationRow {
    const row = this.#find(lease.conversation);
    if (!row || row.fence !== lease.fence || row.owner !== this.#lock.id) throw fenced();
    return row;
  }

  #key(id: number, key: string): KeyRow | undefined {
    const sql =
      "SELECT turn, after, attempt, delivered FROM keys WHERE conversation = ? AND key = ?";
    return this.#get<KeyRow>(sql, id, key);
  }

  #turn(id: number, turn: string): { end_seq: number | null; outcome: string | null } | undefined {
    return this.#get(
      "SELECT end_seq, outcome FROM turns WHERE conversation = ? AND turn = ?",
      id,
      turn,
    );
  }

  #checkpoint(id: number, consumer: string): Checkpoint {
    const sql = "SELECT seq, state FROM checkpoints WHERE conversation = ? AND consumer = ?";
    const row = this.#get<{ seq: number; state: string | null }>(sql, id, consumer);
    if (!row) return { seq: 0 };
    return { seq: row.seq, ...(row.state !== null && { state: row.state }) };
  }

  #touch(conversation: string, id: number, part: "inbox"): void {
    const move = this.#nextMove();
    this.#run("UPDATE conversations SET inbox_moved = ? WHERE id = ?", move, id);
    this.#mark(conversation, part);
  }

  #mark(conversation: string, part: "log" | "inbox"): void {
    const parts = this.#moved.get(conversation) ?? new Set();
    this.#moved.set(conversation, parts.add(part));
  }

  #nextMove(): number {
    this.#move ??= this.#get<{ moves: number }>(
      "UPDATE clock SET moves = moves + 1 RETURNING moves",
    )?.moves;
    return this.#move ?? 0;
  }

  #endTransaction(committed: boolean): void {
    const moved = this.#moved;
    this.#moved = new Map();
    this.#move = undefined;
    for (const [conversation, parts] of moved) {
      if (!committed) this.#tail.drop(conversation);
      else for (const part of parts) this.#announce(conversation, part);
    }
  }

  /** Announces what any process has moved behind `move`, and tells the newest move. */
  #announceMovedSince(move: number): number {
    const rows = this.#all<{ key: string; log_moved: number; inbox_moved: number }>(
      `SELECT key, log_moved, inbox_moved FROM conversations WHERE log_moved > ?1
       UNION SELECT key, log_moved, inbox_moved FROM conversations WHERE inbox_moved > ?1`,
      move,
    );
    let newest = move;
    for (const row of rows) {
      newest = Math.max(newest, row.log_moved, row.inbox_moved);
      if (row.log_moved > move) this.#announce(row.key, "log");
      if (row.inbox_moved > move) this.#announce(row.key, "inbox");
    }
    return newest;
  }

  #announce(conversation: string, part: "log" | "inbox"): void {
    for (const listener of this.#listeners) listener(conversation, part);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).run(...values);
  }

  #get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  #all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }
}

function fenced(): RouterError {
  return new RouterError("Another owner has taken this conversation over", { code: "fenced" });
}
