import { setTimeout } from "node:timers/promises";
import type { Statements } from "./statements.ts";

/**
 * Moves everything from the write-ahead log into the database, and leaves the log empty: until then it holds older states
 * of what was changed. False when a process has read such a state for all of `patienceMs`.
 */
export async function emptyWriteAheadLog(sql: Statements, patienceMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const left = sql.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (left?.busy === 0) return true;
    if (performance.now() > giveUpAt) return false;
    await setTimeout(20);
  }
}
