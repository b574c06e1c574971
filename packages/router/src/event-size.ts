import { boundedText } from "./bounded-text.ts";
import type { EventBody } from "./events.ts";

/** Largest event in a log, in bytes as JSON. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** What is left of an event that is larger: so much of each text, in characters, and so many items of each list. */
const KEPT_CHARS = 256;
const KEPT_ITEMS = 32;

/** The event, or one of its kind that fits into a log. What agents send in updates is bounded where it is parsed. */
export function withinEventSize(event: EventBody): EventBody {
  const json = JSON.stringify(event);
  if (Buffer.byteLength(json) <= MAX_EVENT_BYTES) return event;
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string") return boundedText(value, KEPT_CHARS);
    return Array.isArray(value) ? value.slice(0, KEPT_ITEMS) : value;
  }) as EventBody;
}
