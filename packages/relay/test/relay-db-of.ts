import { onTestFinished } from "vitest";
import { auditTables } from "../src/audit/audit.ts";
import { doorTables } from "../src/door/door-tokens.ts";
import { journalTables } from "../src/journal/journal-tables.ts";
import { openRelayDb, type RelayDb } from "../src/relay-db.ts";
import { temporaryDirectory } from "./support.ts";

/** A relay's database in a directory of its own, closed at the end of the test. */
export async function temporaryRelayDb(): Promise<{ db: RelayDb; stateDir: string }> {
  const stateDir = temporaryDirectory();
  const db = await openRelayDb(stateDir, [auditTables, doorTables, journalTables]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  return { db, stateDir };
}
