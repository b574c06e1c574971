export { StoreError, type StoreErrorCode } from "./errors.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
export type { SqliteStore } from "./sqlite-store.ts";
