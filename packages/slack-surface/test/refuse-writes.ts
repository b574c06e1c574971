import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** From now on nothing can be written to the relay's databases, or to one of them. Gives what ends that. */
export function refuseWrites(directory: string, only?: string): () => void {
  const files = readdirSync(directory).filter((name) => name.endsWith(".db"));
  const inEach = (sqlOf: (table: string, action: string) => string) => {
    for (const file of files.filter((name) => only === undefined || name === only)) {
      using database = new DatabaseSync(path.join(directory, file));
      const sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
      const tables = database.prepare(sql).all() as { name: string }[];
      for (const { name } of tables) {
        for (const action of ["INSERT", "UPDATE"]) database.exec(sqlOf(name, action));
      }
    }
  };
  const full = "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
  inEach(
    (table, action) =>
      `CREATE TRIGGER full_${action}_${table} BEFORE ${action} ON "${table}" ${full}`,
  );
  return () => inEach((table, action) => `DROP TRIGGER full_${action}_${table}`);
}
