import type { RelayDb, RelayTables } from "./relay-db.ts";

/** What a surface keeps for itself beyond its process: a few short values, nothing of people or conversations. */
export type SurfaceNotes = {
  read(name: string): string | undefined;
  write(name: string, value: string): void;
};

export const surfaceNotesTables: RelayTables = {
  name: "surface_notes",
  migrations: [
    "CREATE TABLE surface_notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  ],
  erasePerson: () => 0,
};

export function createSurfaceNotes(db: RelayDb): SurfaceNotes {
  return {
    read: (name) =>
      db.get<{ value: string }>("SELECT value FROM surface_notes WHERE name = ?", name)?.value,
    write(name, value) {
      db.run("INSERT OR REPLACE INTO surface_notes VALUES (?, ?)", name, value);
    },
  };
}
