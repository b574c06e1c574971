/** Bounds of one response. */
export type PoeLimits = {
  /** From the request to the first event. */
  firstEventMs: number;
  /** From the request to `done`. */
  responseMs: number;
  /** Events, `meta` and `done` included; comments do not count. */
  events: number;
  /** Unicode code points in `text` events. */
  textCharacters: number;
};

/**
 * What Poe allows a server bot. 5 s and 10,000 events are the specification's; 512,000 characters
 * are those of Poe's creator changelog of 15 May 2025. The time for a whole response was 600 s in
 * the last specification text that says a number; 3,600 s is what bot authors have reported since.
 * Leave a margin.
 *
 * @see https://creator.poe.com/docs/poe-protocol-specification
 */
export const POE_LIMITS: PoeLimits = Object.freeze({
  firstEventMs: 5_000,
  responseMs: 3_600_000,
  events: 10_000,
  textCharacters: 512_000,
});

/**
 * Longest request body worth reading, in bytes. Ours, not Poe's, which names no limit: the text of
 * attached files travels inside the request, and tens of megabytes do occur.
 */
export const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/**
 * Largest file that is uploaded, in bytes. Poe's documentation of 2026 says 50 MB, and at most 20
 * files per message; this is the larger reading of that, so that nothing is refused which Poe takes.
 *
 * @see https://creator.poe.com/docs/sending-files-with-your-response
 */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
