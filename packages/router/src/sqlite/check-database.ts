import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "./errors.ts";

/** A database up to this size is checked as a whole when it is opened, in bytes; that takes some tenths of a second. */
const CHECKED_BYTES = 64 * 1024 * 1024;

/** Tables that grow with what was said: of a larger database, they are left to whoever reads them. */
const LARGE_TABLES: ReadonlySet<string> = new Set(["events", "views"]);

/** @throws StoreError `corrupt`, or SQLite's own error for damage that it meets on the way. */
export function checkDatabase(database: DatabaseSync, maxBytes: number = CHECKED_BYTES): void {
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  const pageSize = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  if (pages * pageSize <= maxBytes) {
    assertSound(database, "PRAGMA quick_check(1)");
    return;
  }
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    if (LARGE_TABLES.has(String(name))) continue;
    assertSound(database, `PRAGMA quick_check(${name})`);
  }
}

function assertSound(database: DatabaseSync, check: string): void {
  const found = database.prepare(check).get()?.["quick_check"];
  if (found === "ok") return;
  throw new StoreError(`The database is damaged (${found}); restore a backup`, { code: "corrupt" });
}
