import type { AgentIdentity } from "../agent-identity.ts";
import type { RelayDb, RelayTables } from "../relay-db.ts";

/** Where copies of a conversation's files were put, and as whom. */
export const loanTables: RelayTables = {
  name: "loans",
  migrations: [
    `CREATE TABLE loans_places (
       conversation TEXT NOT NULL,
       cwd TEXT NOT NULL,
       identity TEXT NOT NULL,
       at INTEGER NOT NULL,
       PRIMARY KEY (conversation, cwd, identity)
     ) WITHOUT ROWID;`,
  ],
  erasePerson: () => 0,
  eraseConversation: (db, conversation) =>
    db.run("DELETE FROM loans_places WHERE conversation = ?", conversation),
};

export type Loan = {
  readonly conversation: string;
  readonly cwd: string;
  readonly identity: AgentIdentity;
  /** The last time, in milliseconds since the epoch. */
  readonly at: number;
};

type Row = Omit<Loan, "identity"> & { readonly identity: string };

export class LoanBook {
  readonly #db: RelayDb;

  constructor(db: RelayDb) {
    this.#db = db;
  }

  note({ conversation, cwd, identity }: Omit<Loan, "at">, at: number): void {
    const sql = "INSERT OR REPLACE INTO loans_places VALUES (?, ?, ?, ?)";
    this.#db.run(sql, conversation, cwd, JSON.stringify(identity), at);
  }

  all(): readonly Loan[] {
    return this.#db.all<Row>("SELECT * FROM loans_places").map(parseRow);
  }

  of(conversation: string): readonly Loan[] {
    const sql = "SELECT * FROM loans_places WHERE conversation = ?";
    return this.#db.all<Row>(sql, conversation).map(parseRow);
  }

  /** Unless files were put there since. */
  forget({ conversation, cwd, identity, at }: Loan): void {
    const sql =
      "DELETE FROM loans_places WHERE conversation = ? AND cwd = ? AND identity = ? AND at = ?";
    this.#db.run(sql, conversation, cwd, JSON.stringify(identity), at);
  }
}

function parseRow({ identity, ...row }: Row): Loan {
  return { ...row, identity: JSON.parse(identity) as AgentIdentity };
}
