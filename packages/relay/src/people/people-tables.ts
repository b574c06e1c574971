import type { RelayTables } from "../relay-db.ts";

/** People who were let in while the relay ran, the code that makes the first operator, and what operators have switched. */
export const peopleTables: RelayTables = {
  name: "people",
  migrations: [
    `
    CREATE TABLE people (
      user TEXT NOT NULL,
      -- Name of the bot; empty for all of them.
      bot TEXT NOT NULL,
      role TEXT NOT NULL,
      -- Who let them in; empty: the console.
      by TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (user, bot)
    ) WITHOUT ROWID;
    CREATE TABLE people_pairing (
      salt TEXT NOT NULL,
      digest TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      tries INTEGER NOT NULL
    );
    CREATE TABLE people_pause (by TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL);
    CREATE TABLE people_policies (workspace TEXT PRIMARY KEY, policy TEXT NOT NULL, by TEXT NOT NULL) WITHOUT ROWID;
    `,
  ],
  erasePerson(db, user) {
    db.run("UPDATE people SET by = '' WHERE by = ?", user);
    db.run("UPDATE people_pause SET by = '' WHERE by = ?", user);
    db.run("UPDATE people_policies SET by = '' WHERE by = ?", user);
    return db.run("DELETE FROM people WHERE user = ?", user);
  },
};
