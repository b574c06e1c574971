import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { RouterError } from "../errors.ts";
import type { LogEvent, NewEvent } from "../events.ts";
import { formatRecord } from "../record.ts";
import {
  type Checkpoint,
  type InboxItem,
  type Lease,
  MAX_CHECKPOINT_STATE_BYTES,
  type OpenTurn,
  type Posted,
  type Store,
  type TakenItem,
} from "../store.ts";
import type { TurnView } from "../turn-view.ts";
import { Catalogue, type ConversationSummary, type ExportItem } from "./catalogue.ts";
import { ChangeFeed, type Part } from "./change-feed.ts";
import { checkDatabase } from "./check-database.ts";
import { Conversations } from "./conversations.ts";
import { copyDatabase } from "./copy-database.ts";
import { type Erasable, Erasure, type ErasureReport } from "./erasure.ts";
import { StoreError } from "./errors.ts";
import { EventLog } from "./event-log.ts";
import { GroupCommit } from "./group-commit.ts";
import { Inbox } from "./inbox.ts";
import { LogTail } from "./log-tail.ts";
import type { OwnerLock } from "./owner-lock.ts";
import { Ownership } from "./ownership.ts";
import { PeerWatch } from "./peer-watch.ts";
import { redactMessage } from "./redaction.ts";
import { Retention, type RetentionReport, type RetentionRules } from "./retention.ts";
import { Statements } from "./statements.ts";
import { isBusy, parseStorageFailure } from "./storage-failure.ts";

/** How long a read waits while another process recovers the database after a crash, in milliseconds. */
const READ_PATIENCE_MS = 2_000;

/** The durable store: what it has confirmed survives the end of the process by any means. */
export class SqliteStore implements Store {
  readonly epoch: string;
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #sql: Statements;
  readonly #lock: OwnerLock;
  readonly #commits: GroupCommit;
  readonly #tail = new LogTail();
  readonly #conversations: Conversations;
  readonly #feed: ChangeFeed;
  readonly #log: EventLog;
  readonly #inbox: Inbox;
  readonly #ownership: Ownership;
  readonly #catalogue: Catalogue;
  readonly #peers: PeerWatch;
  /** Aborts when the store closes. */
  readonly #closing = new AbortController();

  /** Use {@link import("./open-sqlite-store.ts").openSqliteStore}. */
  constructor(database: DatabaseSync, file: string, lock: OwnerLock, epoch: string) {
    this.epoch = epoch;
    this.#file = file;
    this.#database = database;
    this.#lock = lock;
    this.#sql = new Statements(database);
    // What another process has written is not in this one's tail.
    this.#feed = new ChangeFeed(this.#sql, lock.id, (conversation) =>
      this.#log.forget(conversation),
    );
    this.#conversations = new Conversations(this.#sql, lock.id);
    this.#log = new EventLog(this.#sql, lock.id, {
      conversations: this.#conversations,
      feed: this.#feed,
      tail: this.#tail,
    });
    this.#inbox = new Inbox(this.#sql, this.#conversations, this.#feed);
    this.#ownership = new Ownership(this.#sql, lock, {
      conversations: this.#conversations,
      log: this.#log,
      inbox: this.#inbox,
    });
    this.#catalogue = new Catalogue(this.#sql, lock, {
      conversations: this.#conversations,
      log: this.#log,
    });
    this.#commits = new GroupCommit(database, {
      beforeCommit: () => this.#feed.beforeCommit(),
      ended: (committed) => {
        const moved = this.#feed.ended(committed);
        if (!committed) for (const { conversation } of moved) this.#log.forget(conversation);
      },
    });
    this.#peers = new PeerWatch({
      sql: this.#sql,
      lock,
      feed: this.#feed,
      onLook: (died) => {
        const found = died ? this.#ownership.orphans() : this.#ownership.waiting();
        for (const conversation of found) this.#feed.announceWaiting(conversation);
        if (died) this.#bury();
      },
    });
    this.#bury();
  }

  claim(conversation: string): Promise<Lease | undefined> {
    return this.#commits.run(() => {
      const lease = this.#ownership.claim(conversation, Date.now());
      // What was known is of an earlier lease, perhaps of a log that was erased since.
      if (lease) this.#log.forget(conversation);
      return lease;
    });
  }

  release(lease: Lease): Promise<void> {
    return this.#commits.run(() => {
      if (this.#ownership.release(lease)) this.#log.forget(lease.conversation);
    });
  }

  orphans(): Promise<readonly string[]> {
    return this.#read(() => this.#ownership.orphans());
  }

  append(lease: Lease, events: readonly NewEvent[]): Promise<number> {
    return this.#commits.run(() => this.#log.append(lease, events));
  }

  read(conversation: string, after: number, limit: number): Promise<readonly LogEvent[]> {
    return this.#read(() => this.#log.read(conversation, after, limit));
  }

  last(conversation: string): Promise<number> {
    return this.#read(() => this.#conversations.find(conversation)?.last ?? 0);
  }

  redact(lease: Lease, message: string): Promise<void> {
    const parts = { sql: this.#sql, commits: this.#commits, feed: this.#feed, log: this.#log };
    return redactMessage({ ...parts, conversations: this.#conversations }, lease, message);
  }

  turnEnd(conversation: string, turn: string): Promise<number | undefined> {
    return this.#read(() => this.#log.turnEnd(conversation, turn));
  }

  openTurns(conversation: string): Promise<readonly OpenTurn[]> {
    return this.#read(() => this.#log.openTurns(conversation));
  }

  post(conversation: string, item: InboxItem): Promise<Posted> {
    return this.#commits.run(() => this.#inbox.post(conversation, item));
  }

  take(lease: Lease): Promise<readonly TakenItem[]> {
    return this.#commits.run(() => this.#inbox.take(lease));
  }

  confirm(conversation: string, consumer: string, from: number, to: Checkpoint): Promise<boolean> {
    return this.#commits.run(() => {
      const { id, last } = this.#conversations.ensure(conversation);
      if (this.#checkpoint(id, consumer).seq !== from) return false;
      if (to.seq > last || to.seq < from) {
        const message = `A checkpoint at ${to.seq} is outside ${from}..${last}`;
        throw new RouterError(message, { code: "ahead", last });
      }
      if (to.state !== undefined && Buffer.byteLength(to.state) > MAX_CHECKPOINT_STATE_BYTES) {
        throw new RangeError(`A checkpoint's state is at most ${MAX_CHECKPOINT_STATE_BYTES} bytes`);
      }
      this.#sql.run(
        `INSERT INTO checkpoints VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET seq = ?3, state = ?4`,
        id,
        consumer,
        to.seq,
        to.state ?? null,
      );
      for (const key of to.delivered ?? []) {
        this.#sql.run("UPDATE keys SET delivered = 1 WHERE conversation = ? AND key = ?", id, key);
      }
      return true;
    });
  }

  checkpoint(conversation: string, consumer: string): Promise<Checkpoint> {
    return this.#read(() => {
      const row = this.#conversations.find(conversation);
      return row ? this.#checkpoint(row.id, consumer) : { seq: 0 };
    });
  }

  readRecord<T>(key: string): Promise<T | undefined> {
    return this.#read(() => {
      const sql = "SELECT value FROM records WHERE key = ?";
      const row = this.#sql.get<{ value: string }>(sql, key);
      return row && (JSON.parse(row.value) as T);
    });
  }

  writeRecord(lease: Lease, key: string, value: unknown): Promise<void> {
    return this.#commits.run(() => {
      const { id } = this.#conversations.owned(lease);
      if (value === undefined) {
        this.#sql.run("DELETE FROM records WHERE key = ?", key);
        return;
      }
      this.#sql.run(
        `INSERT INTO records VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET conversation = ?2, value = ?3`,
        key,
        id,
        formatRecord(key, value),
      );
    });
  }

  onChange(listener: (conversation: string, part: Part) => void): Disposable {
    return this.#feed.onChange(listener);
  }

  /**
   * Removes what is old from the fronts of the logs, a few milliseconds at a time. Turns leave as a whole, and only when
   * every consumer with a checkpoint has confirmed them; their final views stay for longer.
   *
   * @param now - Milliseconds since the epoch.
   */
  retain(
    rules: RetentionRules,
    now: number,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<RetentionReport> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const parts = { sql: this.#sql, commits: this.#commits, tail: this.#tail };
    return new Retention(parts, { rules, now, signal: either }).run();
  }

  /**
   * Removes a conversation or a person from every file of the store: rows, their traces, the write-ahead log, and copies
   * that lie beside the database. Backups elsewhere are not touched, nor is what an agent keeps.
   *
   * @param dryRun - Only tells what would go.
   * @throws StoreError `in-use` when a process keeps reading an older state: erase again.
   */
  erase(what: Erasable, dryRun = false): Promise<ErasureReport> {
    const erasure = new Erasure({
      sql: this.#sql,
      commits: this.#commits,
      conversations: this.#conversations,
      feed: this.#feed,
      tail: this.#tail,
      database: this.#file,
    });
    return erasure.run(what, dryRun);
  }

  /**
   * Writes the store as it is now into one file with mode 0600, while it is used. Files beside the store are not in it.
   *
   * @param manifest - What a restore is to be told about those: JSON of the caller's own.
   * @throws StoreError `exists`, `corrupt`.
   */
  async backup(file: string, manifest?: unknown): Promise<void> {
    if (existsSync(file)) {
      throw new StoreError(`${file} exists; choose another name`, { code: "exists" });
    }
    await copyDatabase(this.#file, file, (copy) => {
      checkDatabase(copy, Number.POSITIVE_INFINITY);
      if (manifest === undefined) return;
      const sql = "INSERT OR REPLACE INTO meta VALUES ('manifest', ?)";
      copy.prepare(sql).run(JSON.stringify(manifest));
    });
  }

  /** In the order of their keys, those behind `after` only. */
  listConversations(after = "", limit = 100): Promise<readonly ConversationSummary[]> {
    return this.#read(() => this.#catalogue.list(after, limit));
  }

  /** Everything that is kept of a conversation; nothing when there is none. */
  exportConversation(conversation: string): Iterable<ExportItem> {
    return this.#catalogue.export(conversation);
  }

  /** Final views of turns whose events have been removed, newest first; of those that ended before seq `before` only. */
  finalViews(
    conversation: string,
    before: number = Number.MAX_SAFE_INTEGER,
    limit = 100,
  ): Promise<readonly TurnView[]> {
    return this.#read(() => this.#catalogue.finalViews(conversation, before, limit));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#database.isOpen) return;
    this.#closing.abort();
    this.#peers[Symbol.dispose]();
    this.#feed.close();
    try {
      await this.#commits.run(() => this.#ownership.releaseAll());
    } finally {
      this.#sql.close();
      this.#lock[Symbol.dispose]();
    }
  }

  /** What is left of dead owners is in nobody's way: if it cannot be removed now, then another time. */
  #bury(): void {
    this.#commits
      .run(() => this.#ownership.bury())
      .then(
        (freed) => freed > 0 && this.#bury(),
        () => undefined,
      );
  }

  #checkpoint(id: number, consumer: string): Checkpoint {
    const sql = "SELECT seq, state FROM checkpoints WHERE conversation = ? AND consumer = ?";
    const row = this.#sql.get<{ seq: number; state: string | null }>(sql, id, consumer);
    if (!row) return { seq: 0 };
    return { seq: row.seq, ...(row.state !== null && { state: row.state }) };
  }

  /** Reads outside of a transaction. */
  async #read<T>(read: () => T): Promise<T> {
    const giveUpAt = performance.now() + READ_PATIENCE_MS;
    for (;;) {
      try {
        return read();
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw parseStorageFailure(error);
      }
      await setTimeout(5);
    }
  }
}
