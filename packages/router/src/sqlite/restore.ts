import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { link } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { checkDatabase } from "./check-database.ts";
import { copyDatabase } from "./copy-database.ts";
import { StoreError } from "./errors.ts";
import { readVersion } from "./migrate.ts";
import { OwnerLock } from "./owner-lock.ts";
import { MIGRATIONS } from "./schema.ts";
import { isCorrupt } from "./storage-failure.ts";
import { companions, storeFiles } from "./store-files.ts";

/** What a restored store is told about its backup. */
export type RestoreReport = {
  /** What was given to `backup` about things that are kept elsewhere; absent when there was nothing. */
  readonly manifest?: unknown;
};

/** What is put where. */
export type RestoreOptions = {
  /** The store's directory; made if there is none. */
  readonly directory: string;
  /** A file that `backup` has written, or a copy from before a migration. */
  readonly from: string;
};

/**
 * Puts a backup in the place of a store that no process uses. The store gets a new epoch, so that no seq of its logs is
 * taken for one from before; what was running when the backup was made ends as interrupted at the next start. What it
 * replaces stays beside it as `store-replaced.db`, until the next restore or erasure.
 *
 * @throws StoreError `in-use`, `corrupt`, `too-new`, `unusable`.
 */
export async function restoreSqliteStore(options: RestoreOptions): Promise<RestoreReport> {
  const { directory, from } = options;
  const { database, owners } = storeFiles(directory);
  if (!existsSync(from)) throw new StoreError(`${from} does not exist`, { code: "unusable" });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (OwnerLock.someoneLives(owners)) {
    const message = `A process uses ${database}; stop it before a backup is put in its place`;
    throw new StoreError(message, { code: "in-use" });
  }
  const restored = database.replace(/\.db$/, "-restored.db");
  let report: RestoreReport = {};
  try {
    await copyDatabase(from, restored, (copy) => {
      report = prepare(copy, from);
    });
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw new StoreError(`${from} is damaged, or no backup`, { code: "corrupt", cause: error });
  }
  const replaced = database.replace(/\.db$/, "-replaced.db");
  for (const file of [replaced, ...companions(replaced)]) rmSync(file, { force: true });
  if (existsSync(database)) await link(database, replaced);
  // A write-ahead log belongs to its database: it must be gone before another one has its name.
  for (const [index, file] of companions(database).entries()) {
    if (existsSync(file)) renameSync(file, companions(replaced)[index] ?? "");
  }
  renameSync(restored, database);
  return report;
}

function prepare(copy: DatabaseSync, from: string): RestoreReport {
  const version = readVersion(copy);
  if (version === 0 || version > MIGRATIONS.length) {
    const message = `${from} has schema ${version}, this version knows 1 to ${MIGRATIONS.length}`;
    throw new StoreError(message, { code: version === 0 ? "unusable" : "too-new" });
  }
  checkDatabase(copy, Number.POSITIVE_INFINITY);
  // What is taken out of the copy is not to stay in its free pages.
  copy.exec("PRAGMA secure_delete = ON");
  copy.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run(randomUUID());
  copy.exec("DELETE FROM owners; DELETE FROM moves; UPDATE conversations SET fence = fence + 1");
  const sql = "DELETE FROM meta WHERE key = 'manifest' RETURNING value";
  const manifest = copy.prepare(sql).get()?.["value"];
  return manifest === undefined ? {} : { manifest: JSON.parse(String(manifest)) };
}
