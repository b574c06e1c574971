import type { RelayDb } from "@acp-kit/relay";

/** For how long no stream is tried where one was refused, in milliseconds. */
export const DEMOTION_MS = 24 * 3_600_000;

/** Channels of a bot in which there are no streams, for a while. */
export class Demotions {
  readonly #db: RelayDb;
  readonly #bot: string;

  constructor(db: RelayDb, bot: string) {
    this.#db = db;
    this.#bot = bot;
  }

  /** @param now - Milliseconds since the epoch. */
  add(channel: string, now: number): void {
    const sql = "INSERT OR REPLACE INTO slack_demotions VALUES (?, ?, ?)";
    this.#db.run(sql, this.#bot, channel, now + DEMOTION_MS);
    this.#db.run("DELETE FROM slack_demotions WHERE until <= ?", now);
  }

  has(channel: string, now: number): boolean {
    const sql = "SELECT until FROM slack_demotions WHERE bot = ? AND channel = ? AND until > ?";
    return this.#db.get(sql, this.#bot, channel, now) !== undefined;
  }
}
