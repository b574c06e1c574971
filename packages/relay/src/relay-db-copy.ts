import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RelayError } from "./errors.ts";
import { openRelayDb, RELAY_DB, type RelayDb, type RelayTables } from "./relay-db.ts";
import { RELAY_TABLES } from "./relay-tables.ts";

/** What a restored backup has replaced, until the next restore or erasure. */
const REPLACED_DB = "relay-replaced.db";

/** Whose rows go: those of a person, and of conversations, by their whole keys. */
export type ErasedPart = {
  readonly user: string | undefined;
  readonly conversations: readonly string[];
};

/** The relay's database as it is at one moment, in base64; `undefined` when there is none. Works while a relay runs. */
export async function readRelayDb(stateDir: string): Promise<string | undefined> {
  if (!existsSync(join(stateDir, RELAY_DB))) return undefined;
  const copy = join(stateDir, "relay-copy.db");
  rmSync(copy, { force: true });
  await using db = await openRelayDb(stateDir, RELAY_TABLES);
  try {
    writeFileSync(copy, "", { flag: "wx", mode: 0o600 });
    db.run("VACUUM INTO ?", copy);
    return readFileSync(copy, "base64");
  } finally {
    rmSync(copy, { force: true });
  }
}

/**
 * Puts a copy in the place of the relay's database, which no process may have open.
 *
 * @throws RelayError `store` when it is none, or a newer version has written it; then nothing has changed.
 */
export async function writeRelayDb(
  stateDir: string,
  base64: string,
  tables: readonly RelayTables[],
): Promise<void> {
  const at = (name: string) => join(stateDir, name);
  const current = existsSync(at(RELAY_DB));
  for (const suffix of suffixes) rmSync(`${at(REPLACED_DB)}${suffix}`, { force: true });
  if (current) moveDb(at(RELAY_DB), at(REPLACED_DB));
  try {
    writeFileSync(at(RELAY_DB), Buffer.from(base64, "base64"), { flag: "wx", mode: 0o600 });
    await using db = await openRelayDb(stateDir, tables);
    if (db.get<{ quick_check: string }>("PRAGMA quick_check")?.quick_check !== "ok") {
      throw new RelayError("the backup is damaged: the relay's own part of it", { code: "store" });
    }
  } catch (error) {
    for (const suffix of suffixes) rmSync(`${at(RELAY_DB)}${suffix}`, { force: true });
    if (current) moveDb(at(REPLACED_DB), at(RELAY_DB));
    throw error;
  }
}

/** A database and the files that SQLite keeps beside it. */
const suffixes = ["", "-wal", "-shm"];

function moveDb(from: string, to: string): void {
  for (const suffix of suffixes) {
    if (existsSync(`${from}${suffix}`)) renameSync(`${from}${suffix}`, `${to}${suffix}`);
  }
}

/**
 * Removes a person or conversations from what the relay itself and its surface keep, so that no file of it holds them any more. Works
 * while a relay runs.
 *
 * @returns The number of rows that went, or would go.
 * @throws RelayError `store` while another process reads what was removed: erase again.
 */
export async function eraseFromRelayDb(
  stateDir: string,
  what: ErasedPart,
  tables: readonly RelayTables[],
  dryRun: boolean,
): Promise<number> {
  if (!existsSync(join(stateDir, RELAY_DB))) return 0;
  await using db = await openRelayDb(stateDir, tables);
  const eraseAll = () => tables.reduce((rows, part) => rows + eraseOf(part, db, what), 0);
  if (dryRun) {
    db.exec("BEGIN IMMEDIATE");
    try {
      return eraseAll();
    } finally {
      db.exec("ROLLBACK");
    }
  }
  const rows = db.transaction(eraseAll);
  for (const suffix of suffixes) rmSync(join(stateDir, `${REPLACED_DB}${suffix}`), { force: true });
  const isBusy = db.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)")?.busy !== 0;
  if (!isBusy) return rows;
  const message = `a process still reads what was removed from ${RELAY_DB}; erase again in a moment`;
  throw new RelayError(message, { code: "store" });
}

function eraseOf(
  { erasePerson, eraseConversation }: RelayTables,
  db: RelayDb,
  { user, conversations }: ErasedPart,
): number {
  const rows = conversations.map((conversation) => eraseConversation?.(db, conversation) ?? 0);
  const own = user === undefined ? 0 : erasePerson(db, user);
  return rows.reduce((sum, count) => sum + count, own);
}
