import type { RelayDb } from "@acp-kit/relay";
import { FOLLOW_MS, type FollowedThread } from "../intake/follow.ts";

/** For how long it is known what became of a message, in milliseconds: longer than a thread is followed. */
const KEPT_MS = FOLLOW_MS + 24 * 3_600_000;

/** For how long it is known who has used a conversation that nobody uses any more, in milliseconds. */
const PEOPLE_MS = 180 * 24 * 3_600_000;

/** How often somebody is told that they may not talk, in milliseconds. */
export const REFUSAL_MS = 3_600_000;

/** What became of a message. */
export type KnownMessage = {
  readonly conversation: string;
  readonly user: string;
  /** Absent where it has none: the relay itself has dealt with it. */
  readonly turn: string | undefined;
};

/** What one bot keeps of what it has heard, and from whom: for all of its processes. */
export class HeardBook {
  readonly #db: RelayDb;
  readonly #bot: string;

  /** @param bot - Its name in the configuration. */
  constructor(db: RelayDb, bot: string) {
    this.#db = db;
    this.#bot = bot;
  }

  /** Somebody has addressed the bot in a conversation. @param since - When they wrote that. */
  follow(conversation: string, user: string, at: number, since = at): void {
    const sql =
      "INSERT INTO slack_people VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET since = min(since, excluded.since)";
    this.#db.run(sql, conversation, user, Math.floor(since));
    this.active(conversation, at);
  }

  /** Whether people of other workspaces read a channel, as its last message says. */
  noteShared(channel: string, isShared: boolean): void {
    if (this.isShared(channel) === isShared) return;
    const sql = isShared
      ? "INSERT OR IGNORE INTO slack_shared VALUES (?, ?)"
      : "DELETE FROM slack_shared WHERE bot = ? AND channel = ?";
    this.#db.run(sql, this.#bot, channel);
  }

  isShared(channel: string): boolean {
    const sql = "SELECT 1 FROM slack_shared WHERE bot = ? AND channel = ?";
    return this.#db.get(sql, this.#bot, channel) !== undefined;
  }

  /** The bot has answered in a conversation. */
  active(conversation: string, at: number): void {
    const sql =
      "INSERT INTO slack_threads VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET active_at = max(active_at, excluded.active_at)";
    this.#db.run(sql, conversation, this.#bot, at);
  }

  /** @param at - As it was then: who has addressed the bot later is not among them. */
  followed(conversation: string, at = Number.MAX_SAFE_INTEGER): FollowedThread | undefined {
    const sql = "SELECT active_at AS at FROM slack_threads WHERE conversation = ?";
    const thread = this.#db.get<{ at: number }>(sql, conversation);
    if (!thread) return undefined;
    return { addressedBy: new Set(this.peopleOf(conversation, at)), lastAnswerAt: thread.at };
  }

  /** Conversations that were active after `since`, the latest first. */
  activeSince(since: number, limit: number): readonly string[] {
    const sql =
      "SELECT conversation FROM slack_threads WHERE bot = ? AND active_at > ? ORDER BY active_at DESC LIMIT ?";
    return this.#db
      .all<{ conversation: string }>(sql, this.#bot, since, limit)
      .map(({ conversation }) => conversation);
  }

  /** Who has addressed the bot in a conversation. */
  peopleOf(conversation: string, at = Number.MAX_SAFE_INTEGER): readonly string[] {
    const sql = "SELECT user FROM slack_people WHERE conversation = ? AND since <= ?";
    return this.#db.all<{ user: string }>(sql, conversation, at).map(({ user }) => user);
  }

  /** Keeps what became of a message. @param turn - Empty where it has none. */
  keep(key: string, message: Omit<KnownMessage, "turn"> & { turn: string }, at: number): void {
    const { conversation, user, turn } = message;
    const sql = "INSERT OR REPLACE INTO slack_messages VALUES (?, ?, ?, ?, ?, ?)";
    this.#db.run(sql, this.#bot, key, conversation, user, turn, at);
  }

  /** The right to deal with a message that becomes no turn. False: it was dealt with, or is being. */
  claim(key: string, message: Omit<KnownMessage, "turn">, at: number): boolean {
    const { conversation, user } = message;
    const sql = "INSERT OR IGNORE INTO slack_messages VALUES (?, ?, ?, ?, '', ?)";
    return this.#db.run(sql, this.#bot, key, conversation, user, at) === 1;
  }

  /** It could not be dealt with after all. */
  release(key: string): void {
    const sql = "DELETE FROM slack_messages WHERE bot = ? AND key = ? AND turn = ''";
    this.#db.run(sql, this.#bot, key);
  }

  message(key: string): KnownMessage | undefined {
    const sql = "SELECT conversation, user, turn FROM slack_messages WHERE bot = ? AND key = ?";
    const found = this.#db.get<KnownMessage>(sql, this.#bot, key);
    return found && { ...found, turn: found.turn === "" ? undefined : found.turn };
  }

  /** Whether somebody is to be told now that they may not talk; from then on not for {@link REFUSAL_MS}. */
  mayRefuse(user: string, now: number): boolean {
    const sql =
      "INSERT INTO slack_refusals VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET at = ?3 WHERE at <= ?4";
    return this.#db.run(sql, this.#bot, user, now, now - REFUSAL_MS) === 1;
  }

  /** Nothing is missing in a channel up to this message of it. */
  see(channel: string, ts: string): void {
    // All have the same number of digits until the year 2286.
    const sql =
      "INSERT INTO slack_seen VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ts = excluded.ts WHERE excluded.ts > ts";
    this.#db.run(sql, this.#bot, channel, ts);
  }

  seen(): readonly { readonly channel: string; readonly ts: string }[] {
    const sql = "SELECT channel, ts FROM slack_seen WHERE bot = ? ORDER BY ts DESC";
    return this.#db.all(sql, this.#bot);
  }

  /** Up to when nothing was missed where nothing was ever heard, as a `ts`; undefined for a bot that is new. */
  hereUntil(): string | undefined {
    const sql = "SELECT ts FROM slack_here WHERE bot = ?";
    return this.#db.get<{ ts: string }>(sql, this.#bot)?.ts;
  }

  /** Moves that on, and never back. */
  here(ts: string): void {
    const sql =
      "INSERT INTO slack_here VALUES (?, ?) ON CONFLICT DO UPDATE SET ts = excluded.ts WHERE excluded.ts > ts";
    this.#db.run(sql, this.#bot, ts);
  }

  /** Forgets what is older than anybody asks for. */
  prune(now: number): void {
    this.#db.run("DELETE FROM slack_messages WHERE at < ?", now - KEPT_MS);
    this.#db.run("DELETE FROM slack_refusals WHERE at < ?", now - REFUSAL_MS);
    this.#db.run(
      "DELETE FROM slack_people WHERE conversation IN (SELECT conversation FROM slack_threads WHERE active_at < ?)",
      now - PEOPLE_MS,
    );
    this.#db.run("DELETE FROM slack_threads WHERE active_at < ?", now - PEOPLE_MS);
  }
}
