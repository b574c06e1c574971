import { setTimeout } from "node:timers/promises";
import type { LogEvent, NewEvent } from "../events.ts";
import { EMPTY_VIEW, type FinalView, reduceFinalView } from "./final-view.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { LogTail } from "./log-tail.ts";
import type { Statements } from "./statements.ts";

/** What may leave the logs, once every consumer with a checkpoint has confirmed it. */
export type RetentionRules = {
  /** Turns that ended longer ago lose their events. */
  readonly olderThanMs: number;
  /** So do turns that lie wholly behind the newest so many events of their log. */
  readonly maxEvents: number;
  /** What stays of turns without events, their final views, goes when they ended longer ago. */
  readonly viewsOlderThanMs: number;
};

/** What retention has removed. */
export type RetentionReport = {
  readonly events: number;
  /** Turns whose events were removed, and those of which nothing is left. */
  readonly turns: number;
  readonly views: number;
};

/** What one transaction removes or looks at: a few milliseconds' worth. */
const SLICE_EVENTS = 200;
const SLICE_CHARS = 128 * 1024;
const SLICE_TURNS = 50;
const SLICE_CONVERSATIONS = 200;

type Row = {
  readonly id: number;
  readonly key: string;
  readonly first: number;
  readonly last: number;
};

/** A turn whose end was met, with what stays of it. */
type Ended = { readonly turn: string; readonly seq: number; readonly view: FinalView };

/**
 * Removes what is old from the front of logs, in slices with pauses as long as they took, so that it never takes more
 * than half of the process's time. Only whole turns go, and only what every consumer with a checkpoint has confirmed.
 */
export class Retention {
  readonly #sql: Statements;
  readonly #commits: GroupCommit;
  readonly #tail: LogTail;
  readonly #rules: RetentionRules;
  readonly #now: number;
  readonly #signal: AbortSignal;
  readonly #removed = { events: 0, turns: 0, views: 0 };
  #sliceBegan = performance.now();

  constructor(
    parts: { sql: Statements; commits: GroupCommit; tail: LogTail },
    options: { rules: RetentionRules; now: number; signal: AbortSignal },
  ) {
    this.#sql = parts.sql;
    this.#commits = parts.commits;
    this.#tail = parts.tail;
    this.#rules = options.rules;
    this.#now = options.now;
    this.#signal = options.signal;
  }

  /** Until everything is done or the signal aborts. */
  async run(): Promise<RetentionReport> {
    for (let after = 0; !this.#signal.aborted; ) {
      const rows = this.#sql.all<Row>(
        `SELECT id, key, first, coalesce((SELECT max(seq) FROM events WHERE conversation = id), first - 1) AS last
         FROM conversations WHERE id > ? ORDER BY id LIMIT ?`,
        after,
        SLICE_CONVERSATIONS,
      );
      if (rows.length === 0) break;
      after = rows.at(-1)?.id ?? after;
      for (const row of rows) {
        const cut = this.#findCut(row);
        if (cut !== undefined) await this.#removeEvents(row, cut);
        await this.#removeViews(row);
        await this.#pause();
      }
    }
    return this.#removed;
  }

  /** Seq of the last turn's end that may go. */
  #findCut({ id, first, last }: Row): number | undefined {
    if (last < first) return undefined;
    const cut = this.#sql.get<{ cut: number | null }>(
      `SELECT max(end_seq) AS cut FROM turns
       WHERE conversation = ? AND end_seq BETWEEN ? AND ? AND (ended_at <= ? OR end_seq <= ?)`,
      id,
      first,
      Math.min(last, this.#confirmed(id)),
      this.#now - this.#rules.olderThanMs,
      last - this.#rules.maxEvents,
    )?.cut;
    return cut ?? undefined;
  }

  /** What every consumer with a checkpoint has confirmed. */
  #confirmed(id: number): number {
    const sql = "SELECT min(seq) AS seq FROM checkpoints WHERE conversation = ?";
    return this.#sql.get<{ seq: number | null }>(sql, id)?.seq ?? Number.MAX_SAFE_INTEGER;
  }

  /**
   * Reads on to the cut, and removes what was read whenever no turn is open: a turn leaves as a whole, also where
   * another one, which waited and was cancelled, ended within it.
   */
  async #removeEvents(row: Row, cut: number): Promise<void> {
    const views = new Map<string, FinalView>();
    const open = new Set<string>();
    let ended: Ended[] = [];
    /** Where removals may stop, the last one behind the newest end at which no turn was open. */
    let stops: number[] = [];
    for (let seq = row.first - 1; seq < cut && !this.#signal.aborted; ) {
      let closed: { at: number; ended: number } | undefined;
      const slice = this.#readSlice(row.id, seq, cut);
      // Another process has come first.
      if (slice.length === 0) return;
      for (const { event, chars } of slice) {
        seq = event.seq;
        const { turn } = event;
        if (turn === undefined) continue;
        const view = reduceFinalView(views.get(turn) ?? EMPTY_VIEW, event, chars);
        views.set(turn, view);
        if (event.kind === "turn-start") open.add(turn);
        if (event.kind !== "turn-end") continue;
        views.delete(turn);
        open.delete(turn);
        ended.push({ turn, seq, view });
        if (open.size === 0) closed = { at: seq, ended: ended.length };
      }
      await this.#pause();
      if (!closed) {
        stops.push(seq);
        continue;
      }
      const removed = await this.#removeTo(
        row,
        [...stops, closed.at],
        ended.slice(0, closed.ended),
      );
      if (!removed) return;
      ended = ended.slice(closed.ended);
      stops = [];
    }
  }

  #readSlice(id: number, after: number, cut: number): { event: LogEvent; chars: number }[] {
    const slice: { event: LogEvent; chars: number }[] = [];
    let chars = 0;
    const rows = this.#sql.each<{ seq: number; body: string }>(
      `SELECT seq, body FROM events WHERE conversation = ? AND seq > ? AND seq <= ?
       ORDER BY seq LIMIT ?`,
      id,
      after,
      cut,
      SLICE_EVENTS,
    );
    for (const { seq, body } of rows) {
      slice.push({ event: { ...(JSON.parse(body) as NewEvent), seq }, chars: body.length });
      chars += body.length;
      if (chars >= SLICE_CHARS) break;
    }
    return slice;
  }

  /** Removes the events up to the last stop, stop by stop; the views are saved with the first. */
  async #removeTo(row: Row, stops: readonly number[], ended: readonly Ended[]): Promise<boolean> {
    const last = stops.at(-1) ?? 0;
    for (const [index, stop] of stops.entries()) {
      const isDone = await this.#commits.run(() => {
        // A consumer may have come since.
        if (index === 0 && last > this.#confirmed(row.id)) return false;
        if (index === 0) for (const one of ended) this.#saveView(row.id, one);
        const sql = "DELETE FROM events WHERE conversation = ? AND seq <= ?";
        this.#removed.events += this.#sql.run(sql, row.id, stop);
        this.#sql.run("UPDATE conversations SET first = ? WHERE id = ?", stop + 1, row.id);
        return true;
      });
      if (!isDone) return false;
      this.#tail.drop(row.key);
      await this.#pause();
      if (this.#signal.aborted) return false;
    }
    this.#removed.turns += ended.length;
    return true;
  }

  /** A view that is there already was saved before a removal that did not come to its end: it is the complete one. */
  #saveView(id: number, { turn, seq, view }: Ended): void {
    this.#sql.run(
      "INSERT INTO views VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      id,
      turn,
      seq,
      JSON.stringify(view.view),
    );
  }

  /** Forgets turns without events, and with them the keys of their messages. */
  async #removeViews({ id }: Row): Promise<void> {
    for (let more = true; more && !this.#signal.aborted; ) {
      const turns = this.#sql.all<{ turn: string; end_seq: number }>(
        `SELECT turn, end_seq FROM turns WHERE conversation = ?1
         AND end_seq < (SELECT first FROM conversations WHERE id = ?1) AND ended_at <= ?2 LIMIT ?3`,
        id,
        this.#now - this.#rules.viewsOlderThanMs,
        SLICE_TURNS,
      );
      if (turns.length === 0) return;
      await this.#commits.run(() => {
        for (const { turn, end_seq } of turns) this.#forgetTurn(id, turn, end_seq);
      });
      this.#removed.views += turns.length;
      more = turns.length === SLICE_TURNS;
      await this.#pause();
    }
  }

  #forgetTurn(id: number, turn: string, endSeq: number): void {
    this.#sql.run("DELETE FROM views WHERE conversation = ? AND end_seq = ?", id, endSeq);
    this.#sql.run(
      `DELETE FROM requests WHERE conversation = ?1
       AND key IN (SELECT key FROM keys WHERE conversation = ?1 AND turn = ?2)`,
      id,
      turn,
    );
    for (const table of ["keys", "questions", "turns"]) {
      this.#sql.run(`DELETE FROM ${table} WHERE conversation = ? AND turn = ?`, id, turn);
    }
  }

  /** Leaves the process as much time as this slice took. */
  async #pause(): Promise<void> {
    const took = performance.now() - this.#sliceBegan;
    if (took < 1) return;
    await setTimeout(Math.ceil(took));
    this.#sliceBegan = performance.now();
  }
}
