import type { Role } from "@acp-kit/router";
import type { RelayDb } from "../relay-db.ts";

/** Somebody who was let in while the relay ran. */
export type KeptPerson = {
  readonly user: string;
  /** Name of the only bot that it is about; empty for all. */
  readonly bot: string;
  readonly role: Role;
  /** Who let them in; empty: the console. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/** Longest id that is kept, in characters. */
export const MAX_ID_CHARS = 200;

/** People who were let in while the relay ran, for all its processes. */
export class KeptPeople {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  /** What is said for one bot goes before what is said for all. */
  roleOf({ user, bot }: { readonly user: string; readonly bot: string }): Role | undefined {
    const sql = "SELECT role FROM people WHERE user = ? AND bot IN (?, '') ORDER BY bot DESC";
    return this.#db.get<{ role: Role }>(sql, user, bot)?.role;
  }

  get hasOperator(): boolean {
    return this.#db.get("SELECT 1 FROM people WHERE role = 'operator' LIMIT 1") !== undefined;
  }

  list(): readonly KeptPerson[] {
    return this.#db.all<KeptPerson>("SELECT * FROM people ORDER BY user, bot");
  }

  allow({ user, bot, role, by, at }: KeptPerson): void {
    this.#db.run("INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?, ?)", user, bot, role, by, at);
  }

  /** False: nobody of that name was let in. */
  remove(user: string): boolean {
    return this.#db.run("DELETE FROM people WHERE user = ?", user) > 0;
  }
}
