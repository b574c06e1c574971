import { hash, timingSafeEqual } from "node:crypto";
import { createRefusal, type HttpAnswer } from "./http-answer.ts";

/** Poe's access keys are 32 ASCII characters. */
export const ACCESS_KEY_LENGTH = 32;

/** What to answer when `checkBearer` says no. */
export const UNAUTHORIZED: HttpAnswer = createRefusal(401, "Invalid access key", {
  "www-authenticate": "Bearer",
});

/** Whether `key` can be an access key at all: 32 visible ASCII characters. */
export function isAccessKey(key: string): boolean {
  return key.length === ACCESS_KEY_LENGTH && /^[!-~]+$/.test(key);
}

/**
 * Whether an `Authorization` header carries one of the bot's keys. Several are valid at once, so
 * that a key can be rotated. The time taken tells neither which key matched nor how much of one.
 * The scheme's case does not matter: Poe sends `Bearer`, older Poe tools send `bearer`.
 *
 * Check before reading the body: whoever has no key should not make the server parse anything.
 *
 * @param header - The header's value; absent reads as no key.
 * @param keys - The valid keys. None, or an empty one, lets nobody in.
 */
export function checkBearer(header: string | null | undefined, keys: readonly string[]): boolean {
  const token = /^bearer +([^ ]+) *$/i.exec(header ?? "")?.[1];
  if (token === undefined) return false;
  const given = digest(token);
  let valid = false;
  for (const key of keys) {
    if (timingSafeEqual(given, digest(key))) valid = true;
  }
  return valid;
}

/** Equal length for `timingSafeEqual`, and no early end at the first byte that differs. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
