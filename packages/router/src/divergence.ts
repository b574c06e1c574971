import { createHash } from "node:crypto";
import type { Turn } from "./transcript.ts";

/** What is remembered of a message, both as hashes: enough to find it again, and to see that it was changed. */
export type Fingerprint = { readonly id: string; readonly hash: string };

/** Fingerprints that are kept of one conversation; of a longer transcript those of the newest messages. */
export const MAX_FINGERPRINTS = 200;

/**
 * Fingerprints of a transcript, oldest first. Messages without an id cannot be found again, and no agent is told of what
 * was said to the relay itself or withheld: these are left out.
 */
export function fingerprint(transcript: readonly Turn[]): Fingerprint[] {
  return transcript
    .filter(({ messageId, isAside, isWithheld }) => messageId !== "" && !isAside && !isWithheld)
    .map(({ messageId, role, content }) => ({
      id: hashId(messageId),
      hash: shortHash(`${role}\0${content}`),
    }));
}

/** The hash under which a message's id is remembered: ids come from outside and may be of any length. */
export function hashId(id: string): string {
  return shortHash(id);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/**
 * Whether a transcript goes on where the known one stood: what it still holds of it is unchanged and in order, only
 * its beginning may be gone, and all that follows is new. False means that somebody edited or deleted something, or
 * went back to an earlier message: an agent that remembers the known transcript remembers what was not said.
 */
export function isContinuation(
  known: readonly Fingerprint[],
  now: readonly Fingerprint[],
): boolean {
  if (known.length === 0) return true;
  const ids = new Set(known.map(({ id }) => id));
  const kept = alignToKept(known, now);
  for (let gone = 0; gone <= known.length; gone++) {
    const rest = known.slice(gone);
    const goesOn =
      rest.length <= kept.length &&
      rest.every((one, index) => isSame(one, kept[index])) &&
      kept.slice(rest.length).every(({ id }) => !ids.has(id));
    if (goesOn) return true;
  }
  return false;
}

/** Of a long transcript only the end is known: what stands before that says nothing. */
function alignToKept(
  known: readonly Fingerprint[],
  now: readonly Fingerprint[],
): readonly Fingerprint[] {
  if (known.length < MAX_FINGERPRINTS) return now;
  const start = now.findIndex((one) => isSame(one, known[0]));
  return start < 0 ? now : now.slice(start);
}

function isSame(one: Fingerprint, other: Fingerprint | undefined): boolean {
  return one.id === other?.id && one.hash === other.hash;
}
