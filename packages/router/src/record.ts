import { MAX_RECORD_BYTES } from "./store.ts";

/**
 * A record's value as JSON.
 * @throws RangeError when it is larger than a record may be.
 */
export function formatRecord(key: string, value: unknown): string {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_RECORD_BYTES) return json;
  throw new RangeError(`Record "${key}" has ${bytes} bytes; at most ${MAX_RECORD_BYTES} are kept`);
}
