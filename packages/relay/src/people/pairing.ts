import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { RelayDb } from "../relay-db.ts";
import { type KeptPeople, MAX_ID_CHARS } from "./kept-people.ts";

/** How long a code is valid, in milliseconds, and how many tries there are. */
export const PAIRING_MS = 600_000;
export const PAIRING_TRIES = 5;

/**
 * What a code that somebody sent came to. `closed`: there is no code, it is too old, or it was tried too often.
 * The text is fit for chat.
 */
export type Pairing = {
  readonly kind: "paired" | "wrong" | "closed";
  readonly text: string;
};

/** A new code that makes who sends it an operator; it takes the place of an earlier one. Like `482-913`. */
export function createPairingCode(db: RelayDb, now: number): string {
  const digits = String(randomInt(1_000_000)).padStart(6, "0");
  const salt = randomBytes(16).toString("hex");
  db.transaction(() => {
    db.run("DELETE FROM people_pairing");
    const sql = "INSERT INTO people_pairing VALUES (?, ?, ?, ?)";
    db.run(sql, salt, digestOf(salt, digits).toString("hex"), now + PAIRING_MS, PAIRING_TRIES);
  });
  return `${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/** Makes somebody the first operator, of all bots, if the code is right. A code works once, and each try counts. */
export function pair(
  db: RelayDb,
  people: KeptPeople,
  { user, code, now }: { readonly user: string; readonly code: string; readonly now: number },
): Pairing {
  if (user === "" || user.length > MAX_ID_CHARS) return closed;
  return db.transaction((): Pairing => {
    // The same message may come again.
    if (people.roleOf({ user, bot: "" }) === "operator") return paired;
    if (people.hasOperator) return closed;
    const sql =
      "UPDATE people_pairing SET tries = tries - 1 WHERE tries > 0 AND expires_at > ? RETURNING *";
    const open = db.get<{ salt: string; digest: string; tries: number }>(sql, now);
    if (!open) return closed;
    const digest = Buffer.from(open.digest, "hex");
    if (!timingSafeEqual(digestOf(open.salt, code.replace(/\D/g, "")), digest)) {
      const { tries } = open;
      const left = tries === 0 ? "It was the last try." : `Tries left: ${tries}.`;
      return { kind: "wrong", text: `That is not the code. ${left}` };
    }
    db.run("DELETE FROM people_pairing");
    people.allow({ user, bot: "", role: "operator", by: "", at: now });
    return paired;
  });
}

const paired: Pairing = { kind: "paired", text: "You are this bot's operator now." };

const closed: Pairing = {
  kind: "closed",
  text: "There is no code to pair with. A relay without an operator prints one when it starts, for 10 minutes.",
};

function digestOf(salt: string, digits: string): Buffer {
  return createHash("sha256").update(`${salt}:${digits}`).digest();
}
