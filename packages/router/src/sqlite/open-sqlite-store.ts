import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "./errors.ts";
import { assertLocalFileSystem } from "./file-system.ts";
import { migrate } from "./migrate.ts";
import { OwnerLock } from "./owner-lock.ts";
import { PeerWatch } from "./peer-watch.ts";
import { SqliteStore } from "./sqlite-store.ts";

export type SqliteStoreOptions = {
  /** Where the database, its copies and the owners' lock files live; made with mode 0700. */
  readonly directory: string;
  /**
   * What is certain to survive: `process` (default) the end of the process by any means, with the last moments lost in
   * a power cut; `power` also that, at the price of a disk flush per transaction.
   */
  readonly durability?: "process" | "power";
};

/** How long a write waits for another process's write, in milliseconds; those take a few each. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the store in a directory, and makes it if there is none.
 *
 * @throws StoreError `network-file-system`, `too-new`, `corrupt`, `unusable`, each with its cure.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  await assertLocalFileSystem(options.directory);
  const file = path.join(options.directory, "store.db");
  const database = openDatabase(file, options.durability ?? "process");
  try {
    migrate(database, file);
    database.prepare("INSERT OR IGNORE INTO meta VALUES ('epoch', ?)").run(randomUUID());
    const epoch = database.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()?.["value"];
    const owners = path.join(options.directory, "owners");
    const { lastInsertRowid } = database
      .prepare("INSERT INTO owners (pid) VALUES (?)")
      .run(process.pid);
    const lock = new OwnerLock(owners, Number(lastInsertRowid));
    return new SqliteStore(database, {
      epoch: String(epoch),
      lock,
      watchPeers: ({ announceMovedSince }) =>
        new PeerWatch({ database, lock, directory: owners, announceMovedSince }),
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

function openDatabase(file: string, durability: "process" | "power"): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    chmodSync(file, 0o600);
    const synchronous = durability === "power" ? "FULL" : "NORMAL";
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    const mode = database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
    const level = database.prepare("PRAGMA synchronous").get()?.["synchronous"];
    if (mode !== "wal" || level !== (durability === "power" ? 2 : 1)) {
      throw new StoreError(`${file} cannot keep a write-ahead log here (${mode}, ${level})`, {
        code: "unusable",
      });
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
