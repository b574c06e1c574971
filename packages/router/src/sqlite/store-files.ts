import path from "node:path";

/** Where the files of a store are, from its directory. */
export type StoreFiles = {
  readonly database: string;
  /** Lock files of the processes that use it. */
  readonly owners: string;
};

export function storeFiles(directory: string): StoreFiles {
  return { database: path.join(directory, "store.db"), owners: path.join(directory, "owners") };
}

/** The files that SQLite keeps beside a database. */
export function companions(database: string): readonly string[] {
  return [`${database}-wal`, `${database}-shm`, `${database}-journal`];
}
