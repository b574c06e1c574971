import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { NewEvent } from "../events.ts";
import { grantsKey } from "../grants.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { type Conversations, digestOf } from "./conversations.ts";
import { emptyWriteAheadLog } from "./empty-write-ahead-log.ts";
import { StoreError } from "./errors.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { LogTail } from "./log-tail.ts";
import { isOwnWord, redactEvent, withoutPerson } from "./redact.ts";
import type { Statements } from "./statements.ts";

/** Whose data goes: all of a conversation, or all of a person. */
export type Erasable = { readonly conversation: string } | { readonly user: string };

/** What is erased, or would be. */
export type ErasureReport = {
  /** Conversations that go as a whole. */
  readonly conversations: readonly string[];
  /** Conversations with others, in which the person's turns are emptied and the person's name removed. */
  readonly shared: readonly string[];
  /** Copies of the database that older versions left beside it: they go too. */
  readonly copies: readonly string[];
};

/** Rows that one transaction touches. */
const SLICE_ROWS = 200;

/** How long readers in other processes may hold up the removal of the write-ahead log, in milliseconds. */
const CHECKPOINT_PATIENCE_MS = 2_000;

/** Tables with rows of a conversation, and the column that tells them apart. */
const tables: readonly [table: string, column: string][] = [
  ["inbox", "id"],
  ["events", "seq"],
  ["views", "end_seq"],
  ["keys", "key"],
  ["requests", "key"],
  ["questions", "id"],
  ["turns", "turn"],
  ["checkpoints", "consumer"],
  ["records", "key"],
];

/**
 * Removes what was said from every file of the store: rows are overwritten as they go, and so is the write-ahead log.
 * Works in slices; one that was cut short is finished by the next.
 */
export class Erasure {
  readonly #sql: Statements;
  readonly #commits: GroupCommit;
  readonly #conversations: Conversations;
  readonly #feed: ChangeFeed;
  readonly #tail: LogTail;
  readonly #database: string;

  constructor(parts: {
    sql: Statements;
    commits: GroupCommit;
    conversations: Conversations;
    feed: ChangeFeed;
    tail: LogTail;
    /** Path of the database. */
    database: string;
  }) {
    this.#sql = parts.sql;
    this.#commits = parts.commits;
    this.#conversations = parts.conversations;
    this.#feed = parts.feed;
    this.#tail = parts.tail;
    this.#database = parts.database;
  }

  /** @throws StoreError `in-use` when a process keeps reading what was removed: erase again. */
  async run(what: Erasable, dryRun: boolean): Promise<ErasureReport> {
    const report = await this.#find(what);
    if (dryRun) return report;
    for (const key of report.conversations) await this.#disown(key);
    await this.#removeDisowned();
    if ("user" in what) {
      for (const key of report.shared) await this.#redact(key, what.user);
    }
    for (const key of report.conversations) {
      await this.#commits.run(() => this.#sql.run("DELETE FROM moves WHERE conversation = ?", key));
    }
    for (const copy of report.copies) rmSync(copy, { force: true });
    await this.#emptyLog();
    return report;
  }

  async #find(what: Erasable): Promise<ErasureReport> {
    const copies = this.#findCopies();
    if ("conversation" in what) {
      const known = this.#conversations.find(what.conversation) !== undefined;
      return { conversations: known ? [what.conversation] : [], shared: [], copies };
    }
    const alone: string[] = [];
    const shared: string[] = [];
    const rows = this.#sql.all<{ id: number; key: string; theirs: number; others: number }>(
      `SELECT id, key,
         EXISTS (SELECT 1 FROM turns WHERE conversation = id AND who = ?1) AS theirs,
         EXISTS (SELECT 1 FROM turns WHERE conversation = id AND who NOT IN (?1, '')) AS others
       FROM conversations WHERE erased = 0 ORDER BY key`,
      what.user,
    );
    for (const { id, key, theirs, others } of rows) {
      if (theirs === 1 && others === 0) alone.push(key);
      else if (theirs === 1 || (await this.#mentions(id, what.user))) shared.push(key);
    }
    return { conversations: alone, shared, copies };
  }

  /** Whether the log of others' turns names the person, who may have answered a question of theirs. */
  async #mentions(id: number, user: string): Promise<boolean> {
    const name = JSON.stringify(user);
    for (let after = 0; ; ) {
      const slice = this.#sql.get<{ last: number | null; found: number | null }>(
        `SELECT max(seq) AS last, max(instr(body, ?1)) AS found FROM (
           SELECT seq, body FROM events WHERE conversation = ?2 AND seq > ?3
           ORDER BY seq LIMIT ${SLICE_ROWS})`,
        name,
        id,
        after,
      );
      if (slice?.found) return true;
      if (!slice?.last) return false;
      after = slice.last;
      await setImmediate();
    }
  }

  /** Copies from before a migration, and what a restored backup has replaced. */
  #findCopies(): string[] {
    const directory = path.dirname(this.#database);
    return readdirSync(directory)
      .filter((name) => /^store-(?:v\d+|replaced)\.db/.test(name))
      .map((name) => path.join(directory, name));
  }

  /** Takes the conversation from its owner and from whoever would look for it, and remembers that its seqs are used. */
  async #disown(key: string): Promise<void> {
    await this.#commits.run(() => {
      const row = this.#conversations.find(key);
      if (!row) return;
      this.#sql.run(
        "INSERT INTO erased VALUES (?1, ?2) ON CONFLICT DO UPDATE SET last = ?2",
        digestOf(key),
        row.last,
      );
      const sql =
        "UPDATE conversations SET key = ?, owner = NULL, fence = fence + 1, erased = 1 WHERE id = ?";
      this.#sql.run(sql, `\0${row.id}`, row.id);
      this.#feed.mark(key, "log");
    });
    this.#tail.drop(key);
  }

  async #removeDisowned(): Promise<void> {
    const rows = this.#sql.all<{ id: number }>("SELECT id FROM conversations WHERE erased = 1");
    for (const { id } of rows) {
      for (const [table, column] of tables) {
        const sql = `DELETE FROM ${table} WHERE conversation = ?1 AND ${column} IN
          (SELECT ${column} FROM ${table} WHERE conversation = ?1 LIMIT ${SLICE_ROWS})`;
        while ((await this.#commits.run(() => this.#sql.run(sql, id))) > 0) await setTimeout(1);
      }
      await this.#commits.run(() => this.#sql.run("DELETE FROM conversations WHERE id = ?", id));
    }
  }

  async #redact(key: string, user: string): Promise<void> {
    const row = this.#conversations.find(key);
    if (!row) return;
    const turns = new Set(
      this.#sql
        .all<{ turn: string }>(
          "SELECT turn FROM turns WHERE conversation = ? AND who = ?",
          row.id,
          user,
        )
        .map(({ turn }) => turn),
    );
    for (let after = row.first - 1; after < row.last; ) {
      after = await this.#commits.run(() => this.#redactSlice(row.id, after, { turns, user }));
      await setTimeout(1);
    }
    await this.#commits.run(() => this.#redactRows(row.id, { turns, user }));
    this.#tail.drop(key);
  }

  /** @returns Seq of the last event that was looked at. */
  #redactSlice(
    id: number,
    after: number,
    { turns, user }: { turns: ReadonlySet<string>; user: string },
  ): number {
    const rows = this.#sql.all<{ seq: number; body: string }>(
      "SELECT seq, body FROM events WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?",
      id,
      after,
      SLICE_ROWS,
    );
    for (const { seq, body } of rows) {
      const event = JSON.parse(body) as NewEvent;
      const isTheirs =
        isOwnWord(event, user) || (event.turn !== undefined && turns.has(event.turn));
      const kept = JSON.stringify(isTheirs ? redactEvent(event, user) : withoutPerson(event, user));
      if (kept === body) continue;
      const sql = "UPDATE events SET body = ? WHERE conversation = ? AND seq = ?";
      this.#sql.run(sql, kept, id, seq);
    }
    return rows.at(-1)?.seq ?? Number.MAX_SAFE_INTEGER;
  }

  #redactRows(id: number, { turns, user }: { turns: ReadonlySet<string>; user: string }): void {
    this.#sql.run("DELETE FROM records WHERE key = ?", grantsKey(user));
    for (const turn of turns) {
      this.#sql.run("DELETE FROM views WHERE conversation = ? AND turn = ?", id, turn);
      this.#sql.run(
        `DELETE FROM requests WHERE conversation = ?1
         AND key IN (SELECT key FROM keys WHERE conversation = ?1 AND turn = ?2)`,
        id,
        turn,
      );
      for (const table of ["keys", "questions"]) {
        this.#sql.run(`DELETE FROM ${table} WHERE conversation = ? AND turn = ?`, id, turn);
      }
      const sql = "UPDATE turns SET who = '', key = '' WHERE conversation = ? AND turn = ?";
      this.#sql.run(sql, id, turn);
    }
    for (const { end_seq, view } of this.#sql.all<{ end_seq: number; view: string }>(
      "SELECT end_seq, view FROM views WHERE conversation = ?",
      id,
    )) {
      const kept = JSON.stringify(withoutPerson(JSON.parse(view), user));
      if (kept === view) continue;
      const sql = "UPDATE views SET view = ? WHERE conversation = ? AND end_seq = ?";
      this.#sql.run(sql, kept, id, end_seq);
    }
    this.#sql.run(
      "DELETE FROM inbox WHERE conversation = ? AND json_extract(item, '$.user') = ?",
      id,
      user,
    );
    // What a record is about is its writer's business: one that names the person goes.
    const sql = "DELETE FROM records WHERE conversation = ? AND instr(value, ?) > 0";
    this.#sql.run(sql, id, JSON.stringify(user));
  }

  async #emptyLog(): Promise<void> {
    if (await emptyWriteAheadLog(this.#sql, CHECKPOINT_PATIENCE_MS)) return;
    const message =
      "Everything was removed, but a process still reads an older state, which stays in the write-ahead log; erase again";
    throw new StoreError(message, { code: "in-use" });
  }
}
