import type { DatabaseSync } from "node:sqlite";
import { copyDatabase } from "./copy-database.ts";
import { StoreError } from "./errors.ts";
import { OwnerLock } from "./owner-lock.ts";
import { MIGRATIONS } from "./schema.ts";
import type { StoreFiles } from "./store-files.ts";

/**
 * Brings a database to the newest schema, with a copy of it beside it before each step from an older one.
 *
 * @param migrations - SQL that makes a database of version n one of n + 1: entry n.
 * @throws StoreError `too-new`; `in-use` while a process lives that expects the older schema.
 */
export async function migrate(
  database: DatabaseSync,
  files: StoreFiles,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  for (;;) {
    const version = readVersion(database);
    if (version > migrations.length) throw tooNew(files, version, migrations.length);
    const step = migrations[version];
    if (step === undefined) return;
    if (version > 0) await prepareStep(files, version);
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have come first.
      if (readVersion(database) === version) {
        database.exec(`${step}; PRAGMA user_version = ${version + 1}`);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

async function prepareStep(files: StoreFiles, version: number): Promise<void> {
  if (OwnerLock.someoneLives(files.owners)) {
    throw new StoreError(
      `${files.database} has to be brought to a newer schema, and an older version uses it; stop that first`,
      { code: "in-use" },
    );
  }
  await copyDatabase(files.database, copyName(files, version), (copy) => {
    if (readVersion(copy) === version) return;
    throw new StoreError(`${files.database} was changed by another process; start again`, {
      code: "in-use",
    });
  });
}

/** The schema's version that a database says. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function tooNew(files: StoreFiles, version: number, known: number): StoreError {
  return new StoreError(
    `${files.database} was written by a newer version (schema ${version}, this one knows ${known}); ` +
      `install that version again, or restore ${copyName(files, known)}`,
    { code: "too-new" },
  );
}

function copyName({ database }: StoreFiles, version: number): string {
  return database.replace(/\.db$/, `-v${version}.db`);
}
