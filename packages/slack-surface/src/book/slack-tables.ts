import type { RelayTables } from "@acp-kit/relay";

/** What the surface keeps in the relay's database, beside the logs. */
export const slackTables: RelayTables = {
  name: "slack",
  migrations: [
    `CREATE TABLE slack_open (
       conversation TEXT PRIMARY KEY,
       bot TEXT NOT NULL,
       mark INTEGER NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE slack_questions (
       reference TEXT PRIMARY KEY,
       conversation TEXT NOT NULL,
       turn TEXT NOT NULL,
       permission TEXT NOT NULL,
       requester TEXT NOT NULL,
       channel TEXT NOT NULL,
       ts TEXT,
       state TEXT NOT NULL
     ) WITHOUT ROWID;
     CREATE INDEX slack_questions_of ON slack_questions (conversation);
     CREATE TABLE slack_demotions (
       bot TEXT NOT NULL,
       channel TEXT NOT NULL,
       until INTEGER NOT NULL,
       PRIMARY KEY (bot, channel)
     ) WITHOUT ROWID;`,
  ],
  erasePerson: (db, user) => db.run("DELETE FROM slack_questions WHERE requester = ?", user),
  eraseConversation: (db, conversation) =>
    db.run("DELETE FROM slack_questions WHERE conversation = ?", conversation) +
    db.run("DELETE FROM slack_open WHERE conversation = ?", conversation),
};
