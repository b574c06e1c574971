import type { RelayTables } from "../relay-db.ts";

/** Policies of single conversations, logins under way, and the hashes of what was pasted for logins. */
export const commandTables: RelayTables = {
  name: "commands",
  migrations: [
    `
    CREATE TABLE commands_policies (
      conversation TEXT PRIMARY KEY,
      policy TEXT NOT NULL,
      -- Who set it.
      by TEXT NOT NULL,
      -- Milliseconds since the epoch; null: until it is cleared.
      until INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE commands_logins (
      conversation TEXT PRIMARY KEY,
      user TEXT NOT NULL,
      agent TEXT NOT NULL,
      method TEXT NOT NULL,
      id TEXT NOT NULL,
      redirect TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    -- Nobody's: it names neither a person nor a conversation, and what it keeps away stays away when those are erased.
    CREATE TABLE commands_secrets (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE);
    `,
  ],
  erasePerson(db, user) {
    const policies = db.run("UPDATE commands_policies SET by = '' WHERE by = ?", user);
    return policies + db.run("DELETE FROM commands_logins WHERE user = ?", user);
  },
  eraseConversation(db, conversation) {
    return (
      db.run("DELETE FROM commands_policies WHERE conversation = ?", conversation) +
      db.run("DELETE FROM commands_logins WHERE conversation = ?", conversation)
    );
  },
};
