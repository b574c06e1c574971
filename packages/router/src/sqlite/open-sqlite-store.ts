import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { checkDatabase } from "./check-database.ts";
import { StoreError } from "./errors.ts";
import { assertLocalFileSystem } from "./file-system.ts";
import { migrate } from "./migrate.ts";
import { OwnerLock } from "./owner-lock.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { isCorrupt } from "./storage-failure.ts";
import { type StoreFiles, storeFiles } from "./store-files.ts";

/** Where a store is, and what it survives. */
export type SqliteStoreOptions = {
  /** Where the database, its copies and the owners' lock files live; made with mode 0700. */
  readonly directory: string;
  /**
   * What is certain to survive: `process` (default) the end of the process by any means, with the last moments lost in
   * a power cut; `power` also that, at the price of a disk flush per transaction.
   */
  readonly durability?: "process" | "power";
  /** The type of a directory's file system, as `statfs(2)` tells it. */
  readonly fileSystemType?: (directory: string) => Promise<number>;
};

/** How long opening waits for other processes, in milliseconds. */
const OPEN_TIMEOUT_MS = 5_000;

/** How long a statement blocks the process while another one writes, in milliseconds; writes wait without blocking. */
const BUSY_TIMEOUT_MS = 5;

/**
 * Opens the store in a directory, and makes it if there is none.
 *
 * @throws StoreError `network-file-system`, `too-new`, `corrupt`, `in-use`, `unusable`, each with its cure.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { directory, durability = "process" } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const typeOf = options.fileSystemType ?? (async (file) => (await statfs(file)).type);
  assertLocalFileSystem(directory, await typeOf(directory));
  const files = storeFiles(directory);
  try {
    return await open(files, durability);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const message = `${files.database} is damaged; restore a backup, or move it away to begin anew`;
    throw new StoreError(message, { code: "corrupt", cause: error });
  }
}

async function open(files: StoreFiles, durability: "process" | "power"): Promise<SqliteStore> {
  const database = connect(files, durability);
  let lock: OwnerLock | undefined;
  try {
    await migrate(database, files);
    checkDatabase(database);
    database
      .prepare("INSERT INTO meta VALUES ('epoch', ?) ON CONFLICT DO NOTHING")
      .run(randomUUID());
    const epoch = database.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()?.["value"];
    lock = OwnerLock.take(files.owners);
    database.prepare("INSERT INTO owners VALUES (?, ?)").run(lock.id, process.pid);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return new SqliteStore(database, files.database, lock, String(epoch));
  } catch (error) {
    lock?.[Symbol.dispose]();
    database.close();
    throw error;
  }
}

function connect(files: StoreFiles, durability: "process" | "power"): DatabaseSync {
  const file = files.database;
  // SQLite gives the files beside it the same mode.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
  try {
    const level = durability === "power" ? 2 : 1;
    // What is deleted is overwritten, so that nothing of it stays in the file.
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${level}; PRAGMA secure_delete = ON`,
    );
    const wanted = { journal_mode: "wal", synchronous: level, secure_delete: 1 };
    for (const [pragma, value] of Object.entries(wanted)) {
      const actual = database.prepare(`PRAGMA ${pragma}`).get()?.[pragma];
      if (actual === value) continue;
      const message = `${file} cannot be used with ${pragma} = ${value} (it is ${actual}); choose another directory`;
      throw new StoreError(message, { code: "unusable" });
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
