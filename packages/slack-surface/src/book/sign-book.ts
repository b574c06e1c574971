import type { RelayDb } from "@acp-kit/relay";

/** What a person sees on their message: it was heard, or it waits. */
export type Sign = "eyes" | "hourglass_flowing_sand";

/** The bot's signs that messages may bear, known to whichever process comes next. */
export class SignBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** To be kept before the sign is asked for. @param ts - Of the message. */
  add(conversation: string, ts: string, sign: Sign): void {
    this.#db.run("INSERT OR IGNORE INTO slack_signs VALUES (?, ?, ?)", conversation, ts, sign);
  }

  /** It does not bear it any more. */
  remove(conversation: string, ts: string, sign: Sign): void {
    const sql = "DELETE FROM slack_signs WHERE conversation = ? AND ts = ? AND sign = ?";
    this.#db.run(sql, conversation, ts, sign);
  }

  /** By the `ts` of the message. */
  of(conversation: string): ReadonlyMap<string, readonly Sign[]> {
    const sql = "SELECT ts, sign FROM slack_signs WHERE conversation = ?";
    const rows = this.#db.all<{ ts: string; sign: Sign }>(sql, conversation);
    const byMessage = new Map<string, Sign[]>();
    for (const { ts, sign } of rows) byMessage.set(ts, [...(byMessage.get(ts) ?? []), sign]);
    return byMessage;
  }
}
