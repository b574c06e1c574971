import type { RelayDb } from "@acp-kit/relay";

/** A conversation that may hold something nobody has seen yet. */
export type OpenConversation = {
  readonly conversation: string;
  /** Another one each time that something came: what is done up to one mark may not be up to the next. */
  readonly mark: number;
};

/** Conversations of one bot in which something may wait to be shown, known to every process of the relay. */
export class OpenConversations {
  readonly #db: RelayDb;
  readonly #bot: string;
  #version: number | undefined;

  constructor(db: RelayDb, bot: string) {
    this.#db = db;
    this.#bot = bot;
  }

  /**
   * To be called when something was posted to a conversation, and before that is acknowledged: once it is marked, whoever
   * delivers will show it, also when this process is gone by then.
   */
  mark(conversation: string): void {
    this.#db.run(
      `INSERT INTO slack_open VALUES (?, ?, 1)
       ON CONFLICT (conversation) DO UPDATE SET mark = mark + 1`,
      conversation,
      this.#bot,
    );
  }

  markOf(conversation: string): number | undefined {
    const sql = "SELECT mark FROM slack_open WHERE conversation = ?";
    return this.#db.get<{ mark: number }>(sql, conversation)?.mark;
  }

  /** Everything up to this mark was shown. False: something has come since. */
  clear({ conversation, mark }: OpenConversation): boolean {
    const sql = "DELETE FROM slack_open WHERE conversation = ? AND mark = ?";
    return this.#db.run(sql, conversation, mark) > 0;
  }

  all(): readonly OpenConversation[] {
    return this.#db.all<OpenConversation>(
      "SELECT conversation, mark FROM slack_open WHERE bot = ?",
      this.#bot,
    );
  }

  /** Whether another process has written to the database since this was asked last. Cheap. */
  hasNews(): boolean {
    const version = this.#db.get<{ data_version: number }>("PRAGMA data_version")?.data_version;
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew;
  }
}
