import type { RelayDb } from "@acp-kit/relay";

/** Messages that may bear a sign of the bot's, known to whichever process comes next. */
export class SignBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** To be kept before the first sign of a message is asked for. @param ts - Of the message. */
  add(conversation: string, ts: string): void {
    this.#db.run("INSERT OR IGNORE INTO slack_signs VALUES (?, ?)", conversation, ts);
  }

  /** It bears none any more. */
  remove(conversation: string, ts: string): void {
    this.#db.run("DELETE FROM slack_signs WHERE conversation = ? AND ts = ?", conversation, ts);
  }

  of(conversation: string): readonly string[] {
    const sql = "SELECT ts FROM slack_signs WHERE conversation = ?";
    return this.#db.all<{ ts: string }>(sql, conversation).map(({ ts }) => ts);
  }
}
