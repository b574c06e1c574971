import type { LogEvent } from "../events.ts";
import type { Checkpoint } from "../store.ts";
import type { TurnView } from "../turn-view.ts";
import type { Conversations } from "./conversations.ts";
import type { EventLog } from "./event-log.ts";
import { parseFinalView } from "./final-view.ts";
import type { OwnerLock } from "./owner-lock.ts";
import type { Statements } from "./statements.ts";

/** A conversation as a list shows it. */
export type ConversationSummary = {
  readonly conversation: string;
  /** Oldest and newest seq of the log; an empty one has first = last + 1. */
  readonly first: number;
  readonly last: number;
  /** When the newest event happened, in milliseconds since the epoch. */
  readonly lastAt?: number;
  /** A process that lives owns it. */
  readonly isOwned: boolean;
  /** Turns that run or wait. */
  readonly openTurns: number;
};

/** One piece of an exported conversation. */
export type ExportItem =
  | {
      readonly kind: "conversation";
      readonly conversation: string;
      readonly first: number;
      readonly last: number;
    }
  /** A turn whose events have been removed. */
  | { readonly kind: "view"; readonly view: TurnView }
  | { readonly kind: "event"; readonly event: LogEvent }
  | ({ readonly kind: "checkpoint"; readonly consumer: string } & Checkpoint);

/** Events that an export reads at a time. */
const PAGE_EVENTS = 256;

/** Looks at conversations from outside: for lists, exports and whoever reads below a log's front. */
export class Catalogue {
  readonly #sql: Statements;
  readonly #lock: OwnerLock;
  readonly #conversations: Conversations;
  readonly #log: EventLog;

  constructor(
    sql: Statements,
    lock: OwnerLock,
    parts: { conversations: Conversations; log: EventLog },
  ) {
    this.#sql = sql;
    this.#lock = lock;
    this.#conversations = parts.conversations;
    this.#log = parts.log;
  }

  list(after: string, limit: number): readonly ConversationSummary[] {
    const keys = this.#sql.all<{ key: string }>(
      "SELECT key FROM conversations WHERE key > ? AND erased = 0 ORDER BY key LIMIT ?",
      after,
      limit,
    );
    return keys.flatMap(({ key }) => this.#summarize(key));
  }

  finalViews(conversation: string, before: number, limit: number): readonly TurnView[] {
    return this.#sql
      .all<{ view: string }>(
        `SELECT view FROM views WHERE end_seq < ?
         AND conversation = (SELECT id FROM conversations WHERE key = ?)
         ORDER BY end_seq DESC LIMIT ?`,
        before,
        conversation,
        limit,
      )
      .map(({ view }) => parseFinalView(view));
  }

  *export(conversation: string): Generator<ExportItem> {
    const row = this.#conversations.find(conversation);
    if (!row) return;
    const { id, first, last } = row;
    yield { kind: "conversation", conversation, first, last };
    const views = this.#sql.all<{ end_seq: number }>(
      "SELECT end_seq FROM views WHERE conversation = ? ORDER BY end_seq",
      id,
    );
    for (const { end_seq } of views) {
      for (const view of this.finalViews(conversation, end_seq + 1, 1))
        yield { kind: "view", view };
    }
    for (let after = first - 1; after < last; ) {
      const events = this.#log.read(conversation, after, PAGE_EVENTS);
      for (const event of events) yield { kind: "event", event };
      after = events.at(-1)?.seq ?? last;
    }
    const checkpoints = this.#sql.all<{ consumer: string; seq: number; state: string | null }>(
      "SELECT consumer, seq, state FROM checkpoints WHERE conversation = ? ORDER BY consumer",
      id,
    );
    for (const { consumer, seq, state } of checkpoints) {
      yield { kind: "checkpoint", consumer, seq, ...(state !== null && { state }) };
    }
  }

  #summarize(conversation: string): ConversationSummary[] {
    const row = this.#conversations.find(conversation);
    if (!row) return [];
    const { id, first, last, owner } = row;
    const at = this.#sql.get<{ at: number }>(
      "SELECT json_extract(body, '$.at') AS at FROM events WHERE conversation = ? AND seq = ?",
      id,
      last,
    )?.at;
    const open = this.#sql.get<{ open: number }>(
      "SELECT count(*) AS open FROM turns WHERE conversation = ? AND end_seq IS NULL",
      id,
    );
    return [
      {
        conversation,
        first,
        last,
        ...(at !== undefined && { lastAt: at }),
        isOwned: owner !== null && this.#lock.isAlive(owner),
        openTurns: open?.open ?? 0,
      },
    ];
  }
}
