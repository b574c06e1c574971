import type { RelayDb, RelayTables } from "@acp-kit/relay";

/** What the surface keeps in the relay's database, beside the logs. */
export const slackTables: RelayTables = {
  name: "slack",
  migrations: [
    `CREATE TABLE slack_open (
       conversation TEXT PRIMARY KEY,
       bot TEXT NOT NULL,
       mark INTEGER NOT NULL,
       place TEXT
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
     ) WITHOUT ROWID;
     -- Conversations that the bot is in, and when it was addressed or has answered last.
     CREATE TABLE slack_threads (
       conversation TEXT PRIMARY KEY,
       bot TEXT NOT NULL,
       active_at INTEGER NOT NULL
     ) WITHOUT ROWID;
     -- Who has addressed the bot in a conversation, and by a message of when.
     CREATE TABLE slack_people (
       conversation TEXT NOT NULL,
       user TEXT NOT NULL,
       since INTEGER NOT NULL,
       PRIMARY KEY (conversation, user)
     ) WITHOUT ROWID;
     -- What became of messages: the turn is that of the newest version, and empty for what was no prompt.
     CREATE TABLE slack_messages (
       bot TEXT NOT NULL,
       key TEXT NOT NULL,
       conversation TEXT NOT NULL,
       user TEXT NOT NULL,
       turn TEXT NOT NULL,
       at INTEGER NOT NULL,
       PRIMARY KEY (bot, key)
     ) WITHOUT ROWID;
     CREATE INDEX slack_messages_at ON slack_messages (at);
     -- When somebody was last told that they may not talk.
     CREATE TABLE slack_refusals (
       bot TEXT NOT NULL,
       user TEXT NOT NULL,
       at INTEGER NOT NULL,
       PRIMARY KEY (bot, user)
     ) WITHOUT ROWID;
     -- Channels that people of other workspaces read, as of the last message there.
     CREATE TABLE slack_shared (
       bot TEXT NOT NULL,
       channel TEXT NOT NULL,
       PRIMARY KEY (bot, channel)
     ) WITHOUT ROWID;
     -- The newest message that came in, of each channel.
     CREATE TABLE slack_seen (
       bot TEXT NOT NULL,
       channel TEXT NOT NULL,
       ts TEXT NOT NULL,
       PRIMARY KEY (bot, channel)
     ) WITHOUT ROWID;`,
    `-- Up to when nothing was missed where nothing was ever heard.
     CREATE TABLE slack_here (bot TEXT PRIMARY KEY, ts TEXT NOT NULL) WITHOUT ROWID;
     INSERT INTO slack_here SELECT bot, max(ts) FROM slack_seen GROUP BY bot;`,
    `-- Messages that may bear a sign of the bot's.
     CREATE TABLE slack_signs (
       conversation TEXT NOT NULL,
       ts TEXT NOT NULL,
       PRIMARY KEY (conversation, ts)
     ) WITHOUT ROWID;`,
    `-- Which sign, as each that is taken away in vain costs as much as one that is there.
     ALTER TABLE slack_signs RENAME TO slack_signs_before;
     CREATE TABLE slack_signs (
       conversation TEXT NOT NULL,
       ts TEXT NOT NULL,
       sign TEXT NOT NULL,
       PRIMARY KEY (conversation, ts, sign)
     ) WITHOUT ROWID;
     INSERT INTO slack_signs SELECT conversation, ts, 'eyes' FROM slack_signs_before;
     INSERT INTO slack_signs SELECT conversation, ts, 'hourglass_flowing_sand' FROM slack_signs_before;
     DROP TABLE slack_signs_before;`,
  ],
  erasePerson: (db, user) =>
    db.run("DELETE FROM slack_questions WHERE requester = ?", user) +
    deleteFrom(["slack_people", "slack_messages", "slack_refusals"], "user", db, user),
  eraseConversation: (db, conversation) =>
    deleteFrom(
      [
        ...["slack_questions", "slack_open", "slack_threads", "slack_people", "slack_messages"],
        "slack_signs",
      ],
      "conversation",
      db,
      conversation,
    ),
};

function deleteFrom(tables: readonly string[], column: string, db: RelayDb, value: string): number {
  const rows = tables.map((table) => db.run(`DELETE FROM ${table} WHERE ${column} = ?`, value));
  return rows.reduce((sum, gone) => sum + gone, 0);
}
