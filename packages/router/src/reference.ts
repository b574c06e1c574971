import { randomInt } from "node:crypto";

/** Crockford's base 32: no I, L, O and U, which are read as something else. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Short enough to be read out from a phone; one in a million. Whoever looks one up has the time of it too. */
const LENGTH = 4;

/** A new reference: what people are shown of a failure, and what finds it in the operator's log. */
export function createReference(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}
