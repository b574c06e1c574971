export {
  createPoeDriver,
  createPoeId,
  type PoeDriver,
  type PoeDriverMessage,
  type PoeQueryOptions,
  type PoeReply,
} from "./poe/driver.ts";
export type { PoeOutcome, PoeQuery, PoeQueryIds } from "./poe/query.ts";
export { createPoeReader, type PoeReader } from "./poe/reader.ts";
export type { PoeViolation, PoeViolationCode } from "./poe/violation.ts";
