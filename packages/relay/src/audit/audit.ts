import { createHash, createHmac, randomBytes } from "node:crypto";
import { hashId } from "../log.ts";
import type { RelayDb, RelayTables } from "../relay-db.ts";

/** Something that somebody decided, or that was decided for them. */
export type AuditEvent = {
  /** The platform's id of the person; absent when a policy, the clock or the relay decided. */
  readonly who?: string | undefined;
  readonly role?: string | undefined;
  readonly surface?: string | undefined;
  readonly bot?: string | undefined;
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly conversation?: string | undefined;
  /** What it was about, in one word: `question`, `file`, `mode`, … */
  readonly what: string;
  /** What people were shown, whole: only its digest is kept. */
  readonly shown?: string | undefined;
  /** In a few words of ours: `allow_once`, `refused`, … */
  readonly decision: string;
  /** What holds from now on because of it. */
  readonly grant?: string | undefined;
  readonly result?: string | undefined;
};

/** The record of what was decided. It can only be added to. */
export type Audit = { append(event: AuditEvent): void };

/** An event as it is kept: no text, and a pseudonym in the place of a person. */
export type AuditRecord = Omit<AuditEvent, "who" | "conversation" | "shown"> & {
  readonly at: string;
  readonly who?: string;
  readonly conversation?: string;
  readonly shown?: string;
};

/** Longest value of a member, in characters: they are words and names of the configuration. */
const MAX_WORD_CHARS = 200;

export const auditTables: RelayTables = {
  name: "audit",
  migrations: [
    `CREATE TABLE audit_entries (
      seq INTEGER PRIMARY KEY,
      record TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_entries_stay BEFORE DELETE ON audit_entries
      BEGIN SELECT raise(ABORT, 'the audit log can only be added to'); END;
    CREATE TRIGGER audit_entries_stand BEFORE UPDATE ON audit_entries
      BEGIN SELECT raise(ABORT, 'the audit log can only be added to'); END;
    CREATE TABLE audit_people (
      user TEXT PRIMARY KEY,
      pseudonym TEXT NOT NULL UNIQUE
    ) STRICT, WITHOUT ROWID;`,
  ],
  // The entries stay, and name nobody any more.
  erasePerson: (db, user) => db.run("DELETE FROM audit_people WHERE user = ?", user),
};

/** The audit log in the relay's database: each entry's hash covers the one before it. */
export function createAudit(db: RelayDb, now: () => number): Audit {
  return {
    append(event) {
      db.transaction(() => {
        const last = db.get<{ seq: number; hash: string }>(
          "SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1",
        );
        const record = JSON.stringify(createRecord(db, event, now()));
        const seq = (last?.seq ?? 0) + 1;
        db.run(
          "INSERT INTO audit_entries (seq, record, hash) VALUES (?, ?, ?)",
          ...[seq, record, chain(last?.hash ?? "", seq, record)],
        );
      });
    },
  };
}

function createRecord(db: RelayDb, event: AuditEvent, now: number): AuditRecord {
  const { who, conversation, shown, ...plain } = event;
  const words = Object.entries(plain).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value.slice(0, MAX_WORD_CHARS)] as const],
  );
  return {
    at: new Date(now).toISOString(),
    ...(Object.fromEntries(words) as typeof plain),
    ...(who !== undefined && { who: pseudonymOf(db, who) }),
    ...(conversation !== undefined && { conversation: hashId(conversation) }),
    ...(shown !== undefined && { shown: createHash("sha256").update(shown).digest("hex") }),
  };
}

/** Cannot be found again from the person's id once the person is erased: its salt is kept nowhere. */
function pseudonymOf(db: RelayDb, user: string): string {
  const known = db.get<{ pseudonym: string }>(
    "SELECT pseudonym FROM audit_people WHERE user = ?",
    user,
  );
  if (known) return known.pseudonym;
  const pseudonym = createHmac("sha256", randomBytes(32)).update(user).digest("hex").slice(0, 16);
  db.run("INSERT INTO audit_people (user, pseudonym) VALUES (?, ?)", user, pseudonym);
  return pseudonym;
}

/** What the audit log holds, oldest first. `who` has the person's id as far as it is known. */
export function* readAudit(
  db: RelayDb,
): Generator<AuditRecord & { readonly seq: number; readonly user?: string }> {
  const people = new Map(
    db
      .all<{ user: string; pseudonym: string }>("SELECT user, pseudonym FROM audit_people")
      .map(({ user, pseudonym }) => [pseudonym, user]),
  );
  for (const { seq, record } of pages(db)) {
    const parsed = JSON.parse(record) as AuditRecord;
    const user = parsed.who === undefined ? undefined : people.get(parsed.who);
    yield { seq, ...parsed, ...(user !== undefined && { user }) };
  }
}

/** What looking at every entry has found. `head` is the newest entry's hash: kept elsewhere, it shows later that none was cut off. */
export type AuditCheck =
  | { readonly kind: "whole"; readonly entries: number; readonly head: string }
  | { readonly kind: "broken"; readonly seq: number; readonly entries: number };

/**
 * Looks whether every entry is as it was written and none is missing in between.
 *
 * @param head - The hash of an entry from an earlier check, which must still be there.
 */
export function verifyAudit(db: RelayDb, head?: string): AuditCheck {
  let before = "";
  let entries = 0;
  let hasHead = head === undefined || head === "";
  for (const { seq, record, hash } of pages(db)) {
    const isNext = seq === entries + 1 && hash === chain(before, seq, record);
    if (!isNext) return { kind: "broken", seq: entries + 1, entries };
    entries = seq;
    before = hash;
    hasHead ||= hash === head;
  }
  return hasHead
    ? { kind: "whole", entries, head: before }
    : { kind: "broken", seq: entries + 1, entries };
}

type Row = { readonly seq: number; readonly record: string; readonly hash: string };

const PAGE = 1_000;

function* pages(db: RelayDb): Generator<Row> {
  for (let after = 0; ; ) {
    const rows = db.all<Row>(
      "SELECT seq, record, hash FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?",
      ...[after, PAGE],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

function chain(before: string, seq: number, record: string): string {
  return createHash("sha256").update(`${before}\n${seq}\n${record}`).digest("hex");
}
