import type { RelayTables } from "../relay-db.ts";

/** A row for each turn that has started, and the warnings that were given. */
export const usageTables: RelayTables = {
  name: "usage",
  migrations: [
    `
    CREATE TABLE usage_turns (
      id INTEGER PRIMARY KEY,
      turn TEXT NOT NULL UNIQUE,
      conversation TEXT NOT NULL,
      user TEXT NOT NULL,
      workspace TEXT NOT NULL,
      agent TEXT NOT NULL DEFAULT '',
      model TEXT NOT NULL DEFAULT '',
      at INTEGER NOT NULL,
      -- Renewed while its process lives and runs it; what is older has died with its process.
      alive_until INTEGER NOT NULL,
      ended_at INTEGER,
      -- The agent's session, and what it had used up in all when the turn ended.
      session TEXT,
      session_tokens INTEGER,
      session_cost REAL,
      tokens INTEGER NOT NULL DEFAULT 0,
      cost REAL NOT NULL DEFAULT 0,
      currency TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX usage_turns_by_time ON usage_turns (at);
    CREATE INDEX usage_turns_by_user ON usage_turns (user, at);
    CREATE INDEX usage_turns_by_conversation ON usage_turns (conversation, at);
    CREATE INDEX usage_turns_by_session ON usage_turns (session, id) WHERE session IS NOT NULL;
    CREATE INDEX usage_turns_open ON usage_turns (alive_until) WHERE ended_at IS NULL;
    CREATE TABLE usage_warnings (
      quota TEXT NOT NULL,
      -- A person, a conversation, a workspace, or empty for everybody.
      subject TEXT NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (quota, subject)
    ) WITHOUT ROWID;
    `,
  ],
  erasePerson: (db, user) =>
    db.run("DELETE FROM usage_turns WHERE user = ?", user) +
    db.run("DELETE FROM usage_warnings WHERE subject = ?", user),
  eraseConversation: (db, conversation) =>
    db.run("DELETE FROM usage_turns WHERE conversation = ?", conversation) +
    db.run("DELETE FROM usage_warnings WHERE subject = ?", conversation),
};
