import type { RelayApp } from "./app.ts";
import { auditTables } from "./audit/audit.ts";
import { commandTables } from "./commands/command-tables.ts";
import { doorTables } from "./door/door-tokens.ts";
import { loanTables } from "./files/loan-book.ts";
import { journalTables } from "./journal/journal-tables.ts";
import { peopleTables } from "./people/people-tables.ts";
import { usageTables } from "./people/usage-tables.ts";
import type { RelayTables } from "./relay-db.ts";
import { surfaceNotesTables } from "./surface-notes.ts";
import { PLACE_TABLES } from "./workspaces/place-book.ts";

/** The tables of every part of the relay that keeps something in its database. */
export const RELAY_TABLES: readonly RelayTables[] = [
  auditTables,
  commandTables,
  doorTables,
  journalTables,
  loanTables,
  peopleTables,
  surfaceNotesTables,
  usageTables,
  PLACE_TABLES,
];

/** Those, and what the app's surface keeps beside them. */
export async function tablesOf({ loadTables }: Pick<RelayApp, "loadTables">) {
  return loadTables ? [...RELAY_TABLES, ...(await loadTables())] : RELAY_TABLES;
}
