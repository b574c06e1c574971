export type { ConversationSummary, ExportItem } from "./catalogue.ts";
export type { Erasable, ErasureReport } from "./erasure.ts";
export { StoreError, type StoreErrorCode } from "./errors.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.ts";
export { type RestoreOptions, type RestoreReport, restoreSqliteStore } from "./restore.ts";
export type { RetentionReport, RetentionRules } from "./retention.ts";
export type { SqliteStore } from "./sqlite-store.ts";
