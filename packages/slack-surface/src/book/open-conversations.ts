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
  readonly #listeners = new Set<(conversation: string) => void>();
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
      `INSERT INTO slack_open VALUES (?, ?, 1, NULL)
       ON CONFLICT (conversation) DO UPDATE SET mark = mark + 1`,
      conversation,
      this.#bot,
    );
    for (const listener of this.#listeners) listener(conversation);
  }

  /** Told of what this process marks. */
  onMark(listener: (conversation: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
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

  /** How far the turn that is shown now is shown, as it was kept last. */
  placeOf(conversation: string): string | undefined {
    const sql = "SELECT place FROM slack_open WHERE conversation = ?";
    return this.#db.get<{ place: string | null }>(sql, conversation)?.place ?? undefined;
  }

  /** Is kept when this returns: before a call is made that nobody may make again. */
  keepPlace(conversation: string, place: string): void {
    this.#db.run("UPDATE slack_open SET place = ? WHERE conversation = ?", place, conversation);
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
