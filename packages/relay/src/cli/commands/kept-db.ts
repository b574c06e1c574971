import { existsSync } from "node:fs";
import { RelayError } from "../../errors.ts";
import { openRelayDb, type RelayDb } from "../../relay-db.ts";
import { RELAY_TABLES } from "../../relay-tables.ts";

/**
 * Works on the relay's own database, whether or not a relay uses it right now.
 *
 * @throws RelayError `store` when no relay has its state there.
 */
export async function withKeptDb<T>(
  stateDir: string,
  work: (db: RelayDb) => T | Promise<T>,
): Promise<T> {
  if (!existsSync(stateDir)) {
    throw new RelayError(
      `no relay keeps its state in ${stateDir}; name another with --config, --state-dir or --instance`,
      { code: "store" },
    );
  }
  await using db = await openRelayDb(stateDir, RELAY_TABLES);
  return await work(db);
}
