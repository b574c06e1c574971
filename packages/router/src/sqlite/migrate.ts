import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "./errors.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";

/**
 * Brings a database to the present schema, with a copy of it beside it before each step from an older one.
 *
 * @throws StoreError `too-new`, `corrupt`.
 */
export function migrate(database: DatabaseSync, file: string): void {
  for (let version = readVersion(database, file); version < SCHEMA_VERSION; version++) {
    const step = MIGRATIONS[version];
    if (step === undefined) throw new Error(`There is no migration from version ${version}`);
    const copy = copyName(file, version);
    if (version > 0 && !existsSync(copy)) database.prepare("VACUUM INTO ?").run(copy);
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have come first.
      if (readVersion(database, file) === version) {
        database.exec(`${step}; PRAGMA user_version = ${version + 1}`);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

function readVersion(database: DatabaseSync, file: string): number {
  let version: unknown;
  try {
    version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  } catch (cause) {
    throw new StoreError(`${file} is damaged; put a backup in its place, or move it away`, {
      code: "corrupt",
      cause,
    });
  }
  if (typeof version === "number" && version <= SCHEMA_VERSION) return version;
  throw new StoreError(
    `${file} was written by a newer version (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
      `install that version, or put its copy ${copyName(file, SCHEMA_VERSION)} in its place`,
    { code: "too-new" },
  );
}

function copyName(file: string, version: number): string {
  return file.replace(/\.db$/, `-v${version}.db`);
}
