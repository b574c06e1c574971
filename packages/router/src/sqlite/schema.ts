/** Version of the schema below; a database says its own by `PRAGMA user_version`. */
export const SCHEMA_VERSION = 1;

/** How a database of version n becomes one of n + 1: entry n. Entry 0 makes an empty file a database. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  -- Counts transactions that moved a log or an inbox: other processes ask for what moved behind the count they know.
  CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), moves INTEGER NOT NULL);
  INSERT INTO clock VALUES (1, 0);
  CREATE TABLE owners (id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL);
  CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    -- Oldest and newest seq in the log; an empty log has first = last + 1.
    first INTEGER NOT NULL DEFAULT 1,
    last INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    owner INTEGER,
    log_moved INTEGER NOT NULL DEFAULT 0,
    inbox_moved INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX conversations_by_owner ON conversations (owner) WHERE owner IS NOT NULL;
  CREATE INDEX conversations_by_log ON conversations (log_moved);
  CREATE INDEX conversations_by_inbox ON conversations (inbox_moved);
  CREATE TABLE events (
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
  ) WITHOUT ROWID;
  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation INTEGER NOT NULL,
    item TEXT NOT NULL,
    turn TEXT,
    attempt INTEGER,
    -- A prompt stays until its turn has started: an owner that dies before that leaves it to the next one.
    taken INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX inbox_by_conversation ON inbox (conversation, id);
  CREATE TABLE keys (
    conversation INTEGER NOT NULL,
    key TEXT NOT NULL,
    turn TEXT NOT NULL,
    after INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (conversation, key)
  ) WITHOUT ROWID;
  CREATE TABLE requests (
    conversation INTEGER NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (conversation, key, request)
  ) WITHOUT ROWID;
  CREATE TABLE turns (
    conversation INTEGER NOT NULL,
    turn TEXT NOT NULL,
    started INTEGER NOT NULL DEFAULT 0,
    end_seq INTEGER,
    outcome TEXT,
    PRIMARY KEY (conversation, turn)
  ) WITHOUT ROWID;
  CREATE INDEX turns_running ON turns (conversation) WHERE end_seq IS NULL;
  CREATE TABLE questions (
    conversation INTEGER NOT NULL,
    id TEXT NOT NULL,
    turn TEXT NOT NULL,
    open INTEGER NOT NULL,
    PRIMARY KEY (conversation, id)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (
    conversation INTEGER NOT NULL,
    consumer TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT,
    PRIMARY KEY (conversation, consumer)
  ) WITHOUT ROWID;
  CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
];
