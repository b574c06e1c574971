/** How a database of version n becomes one of n + 1: entry n. Entry 0 makes an empty file a database. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE owners (id TEXT PRIMARY KEY, pid INTEGER NOT NULL) WITHOUT ROWID;
  -- What moved, for the other processes; written only while there are some.
  CREATE TABLE moves (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    conversation TEXT NOT NULL,
    part TEXT NOT NULL
  );
  CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    -- Oldest seq that has not been removed. The newest is that of the last event, or first - 1 when there is none:
    -- appends write nothing but events.
    first INTEGER NOT NULL DEFAULT 1,
    fence INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    -- Its rows are being removed; its key names it no more.
    erased INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX conversations_erased ON conversations (id) WHERE erased = 1;
  CREATE INDEX conversations_by_owner ON conversations (owner) WHERE owner IS NOT NULL;
  -- Newest seq of conversations that were erased, by the digest of their key: no seq is ever used again.
  CREATE TABLE erased (digest TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
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
  CREATE INDEX keys_by_turn ON keys (conversation, turn);
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
    who TEXT NOT NULL DEFAULT '',
    key TEXT NOT NULL DEFAULT '',
    start_seq INTEGER,
    end_seq INTEGER,
    ended_at INTEGER,
    outcome TEXT,
    PRIMARY KEY (conversation, turn)
  ) WITHOUT ROWID;
  CREATE INDEX turns_open ON turns (conversation) WHERE end_seq IS NULL;
  CREATE INDEX turns_by_end ON turns (conversation, end_seq, ended_at) WHERE end_seq IS NOT NULL;
  CREATE INDEX turns_by_who ON turns (who);
  CREATE TABLE questions (
    conversation INTEGER NOT NULL,
    id TEXT NOT NULL,
    turn TEXT NOT NULL,
    asked_seq INTEGER NOT NULL,
    -- The question as JSON, while it is open.
    ask TEXT,
    PRIMARY KEY (conversation, id)
  ) WITHOUT ROWID;
  CREATE INDEX questions_by_turn ON questions (conversation, turn);
  -- What stays of turns whose events have been removed: their final views, as JSON.
  CREATE TABLE views (
    conversation INTEGER NOT NULL,
    turn TEXT NOT NULL,
    end_seq INTEGER NOT NULL,
    view TEXT NOT NULL,
    PRIMARY KEY (conversation, end_seq)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (
    conversation INTEGER NOT NULL,
    consumer TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT,
    PRIMARY KEY (conversation, consumer)
  ) WITHOUT ROWID;
  CREATE TABLE records (
    key TEXT PRIMARY KEY,
    conversation INTEGER NOT NULL,
    value TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX records_by_conversation ON records (conversation);
  `,
];
