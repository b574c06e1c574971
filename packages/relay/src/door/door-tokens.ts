import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { RelayDb, RelayTables } from "../relay-db.ts";

/** Whose tools a token opens: here `agent` is the router's name of the session. */
export type DoorSession = { readonly conversation: string; readonly agent: string };

/** A session that nobody has closed is taken for gone after so long, in milliseconds: 90 days. */
const MAX_AGE_MS = 90 * 24 * 3_600_000;

/** Tokens of one session that hold beside each other: each opening of it adds one. */
const MAX_PER_SESSION = 8;

export const doorTables: RelayTables = {
  name: "door",
  migrations: [
    `CREATE TABLE door_tokens (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      hash BLOB NOT NULL UNIQUE,
      conversation TEXT NOT NULL,
      agent TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX door_tokens_by_session ON door_tokens (conversation, agent);`,
  ],
  erasePerson: () => 0,
  eraseConversation: (db, conversation) =>
    db.run("DELETE FROM door_tokens WHERE conversation = ?", conversation),
};

type TokenRow = DoorSession & { readonly hash: Uint8Array };

/**
 * The tokens of agents' sessions, kept as hashes: whoever reads the database cannot use one.
 *
 * A token outlives the process that made it, since an agent may keep its tool server across a restart of the relay. It
 * ends with its session.
 */
export class DoorTokens {
  readonly #db: RelayDb;
  readonly #now: () => number;
  /** The newest that this process has made, by session: later ones belong to another process, which has it now. */
  readonly #made = new Map<string, number>();
  /** The newest that earlier processes had made when this one began. */
  readonly #before: number;

  constructor(db: RelayDb, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#before =
      db.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM door_tokens")?.seq ?? 0;
  }

  /** A token for a session. @param isNew - The session is not an earlier one opened again: tokens of that one end. */
  create(session: DoorSession, isNew: boolean): string {
    const { conversation, agent } = session;
    const token = randomBytes(32).toString("base64url");
    const now = this.#now();
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM door_tokens WHERE created_at < ?", now - MAX_AGE_MS);
      this.#db.run(
        `DELETE FROM door_tokens WHERE conversation = ?1 AND agent = ?2 AND seq NOT IN (
          SELECT seq FROM door_tokens WHERE conversation = ?1 AND agent = ?2
          ORDER BY seq DESC LIMIT ?3)`,
        conversation,
        agent,
        isNew ? 0 : MAX_PER_SESSION - 1,
      );
      const row = this.#db.get<{ seq: number }>(
        `INSERT INTO door_tokens (hash, conversation, agent, created_at) VALUES (?, ?, ?, ?)
         RETURNING seq`,
        digest(token),
        conversation,
        agent,
        now,
      );
      this.#made.set(nameOf(session), row?.seq ?? 0);
    });
    return token;
  }

  /** The session of a token that holds. */
  find(token: string): DoorSession | undefined {
    const hash = digest(token);
    const row = this.#db.get<TokenRow>(
      "SELECT hash, conversation, agent FROM door_tokens WHERE hash = ? AND created_at >= ?",
      hash,
      this.#now() - MAX_AGE_MS,
    );
    if (!row || !timingSafeEqual(row.hash, hash)) return undefined;
    return { conversation: row.conversation, agent: row.agent };
  }

  /** The session is over: of its tokens, those end that this process made, and earlier ones. */
  end(session: DoorSession): void {
    const last = this.#made.get(nameOf(session)) ?? this.#before;
    this.#made.delete(nameOf(session));
    const { conversation, agent } = session;
    this.#db.run(
      "DELETE FROM door_tokens WHERE conversation = ? AND agent = ? AND seq <= ?",
      conversation,
      agent,
      last,
    );
  }
}

const nameOf = ({ conversation, agent }: DoorSession) => JSON.stringify([conversation, agent]);

function digest(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
