import { formatConversationKey } from "../conversation-key.ts";
import { hashId } from "../log.ts";
import type { RelayDb } from "../relay-db.ts";
import { type Advice, adviceForCode, adviceForReason } from "./advice.ts";
import { type Entry, type FailureEntry, JournalTables } from "./journal-tables.ts";

/** What the journal knows about a reference or an id, oldest first. */
export type Explanation = {
  readonly cameIn: readonly (Entry & { readonly advice?: Advice })[];
  readonly failed: readonly (FailureEntry & { readonly advice?: Advice })[];
};

/**
 * What happened to a message, in a conversation or to a person, and the failures of it.
 *
 * @param about - A reference from the chat, with or without `ref`; or the platform's id of a message, conversation or
 *   person, a conversation's whole key, a turn, or the digest of an id as the log has it.
 */
export function explain(db: RelayDb, about: string): Explanation {
  const tables = new JournalTables(db);
  const ref = parseReference(about);
  const byRef = ref === undefined ? [] : tables.failuresByRef(ref);
  if (byRef.length > 0) return withAdvice(tables.entriesOf(namesOf(byRef)), byRef);
  const names = [about, hashId(about)];
  for (const { surface, bot } of tables.bots()) {
    names.push(hashId(formatConversationKey({ surface, bot, id: about })));
  }
  const cameIn = tables.entriesOf(names);
  const conversations = cameIn.flatMap(({ conversation }) => conversation ?? []);
  return withAdvice(cameIn, tables.failuresOf([...new Set([...names, ...conversations])]));
}

const namesOf = (failures: readonly FailureEntry[]) => [
  ...new Set(failures.flatMap(({ conversation }) => conversation ?? [])),
];

/** The reference as it was made, whatever a person read in its place. */
export function parseReference(text: string): string | undefined {
  const [, letters] = /^(?:ref\s*)?([0-9A-Za-z]{4})$/i.exec(text.trim()) ?? [];
  return letters?.toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

function withAdvice(cameIn: readonly Entry[], failed: readonly FailureEntry[]): Explanation {
  return {
    cameIn: cameIn.map((entry) => ({ ...entry, ...named(adviceForReason(entry.reason)) })),
    failed: failed.map((failure) => ({ ...failure, ...named(adviceForCode(failure.code)) })),
  };
}

function named(advice: Advice | undefined): { readonly advice?: Advice } {
  return advice ? { advice } : {};
}
