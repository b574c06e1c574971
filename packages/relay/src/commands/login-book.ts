import { createHash } from "node:crypto";
import type { RelayDb } from "../relay-db.ts";

/** A login that waits for what its person is to paste. */
export type PendingLogin = {
  readonly conversation: string;
  readonly user: string;
  readonly agent: string;
  readonly method: string;
  /** The agent's name of it. */
  readonly id: string;
  /** Where the browser is sent in the end, without its query; empty where the agent does not say. */
  readonly redirect: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
};

/** For how long a login waits, in milliseconds. */
export const LOGIN_WAIT_MS = 10 * 60_000;

/** For how long after that what comes late is still kept away from everything else, in milliseconds. */
export const LATE_MS = 60 * 60_000;

/** Secrets that are recognised when they come again; of more the oldest are forgotten. */
export const MAX_SECRETS = 10_000;

const COLUMNS = "conversation, user, agent, method, id, redirect, expires_at AS expiresAt";

/**
 * Logins under way, one per conversation, and hashes of what was pasted for them. It outlives the process: what comes
 * after a restart is kept away from the agent all the same.
 */
export class LoginBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** Also one that has lapsed, for as long as {@link LATE_MS}. */
  pending(conversation: string, now: number): PendingLogin | undefined {
    const sql = `SELECT ${COLUMNS} FROM commands_logins WHERE conversation = ? AND expires_at > ?`;
    return this.#db.get<PendingLogin>(sql, conversation, now - LATE_MS);
  }

  /** The newest of a person's, in whatever conversation; also one that has lapsed, as {@link pending}. */
  pendingOf(user: string, now: number): PendingLogin | undefined {
    const sql = `SELECT ${COLUMNS} FROM commands_logins WHERE user = ? AND expires_at > ? ORDER BY expires_at DESC`;
    return this.#db.get<PendingLogin>(sql, user, now - LATE_MS);
  }

  begin(login: PendingLogin): void {
    const { conversation, user, agent, method, id, redirect, expiresAt } = login;
    const sql = "INSERT OR REPLACE INTO commands_logins VALUES (?, ?, ?, ?, ?, ?, ?)";
    this.#db.run(sql, conversation, user, agent, method, id, redirect, expiresAt);
  }

  end(conversation: string): void {
    this.#db.run("DELETE FROM commands_logins WHERE conversation = ?", conversation);
  }

  /** Keeps the hash of a secret: a platform repeats its message with every later one. */
  remember(secret: string): void {
    this.#db.run("INSERT OR IGNORE INTO commands_secrets (digest) VALUES (?)", digestOf(secret));
    this.#db.run(
      "DELETE FROM commands_secrets WHERE id <= (SELECT max(id) FROM commands_secrets) - ?",
      MAX_SECRETS,
    );
  }

  isSecret(word: string): boolean {
    const sql = "SELECT 1 FROM commands_secrets WHERE digest = ?";
    return this.#db.get(sql, digestOf(word)) !== undefined;
  }
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
