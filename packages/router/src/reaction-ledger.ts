import { appendFile, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { ReactionItem } from "./store.ts";

const LEDGER = "reactions.jsonl";
/** The ledger while lines are taken out of it. */
const ASIDE = "reactions.erasing.jsonl";

/** One line of the ledger. */
type LedgerLine = {
  readonly ts: string;
  readonly conv_id: string;
  readonly user_id: string;
  readonly message_id: string;
  readonly reaction: string;
  readonly action: "added" | "removed";
};

/** Keeps a reaction in `reactions.jsonl` of a directory, whatever becomes of it. */
export async function writeReaction(
  stateDir: string,
  conversation: string,
  { at, user, message, reaction, action }: ReactionItem,
): Promise<void> {
  const line: LedgerLine = {
    ts: new Date(at).toISOString(),
    conv_id: conversation,
    user_id: user,
    message_id: message,
    reaction,
    action,
  };
  await append(stateDir, `${JSON.stringify(line)}\n`);
}

/** Whose reactions go: a person's, or those in some conversations. */
export type ErasableReactions = {
  readonly user?: string | undefined;
  readonly conversations: readonly string[];
};

/**
 * Takes lines out of the ledger while a router may add to it; what it adds meanwhile comes before what stays. A run that
 * was cut short is finished by the next.
 *
 * @returns How many lines went, or with `isDryRun` would go.
 */
export async function eraseReactions(
  stateDir: string,
  what: ErasableReactions,
  isDryRun = false,
): Promise<number> {
  const conversations = new Set(what.conversations);
  const goes = (line: string): boolean => {
    const told = asLedgerLine(line);
    // What a full disk has cut is of no use to anybody, and may be anybody's.
    if (told === undefined) return true;
    return told.user_id === what.user || conversations.has(told.conv_id);
  };
  const ledger = path.join(stateDir, LEDGER);
  const aside = path.join(stateDir, ASIDE);
  if (isDryRun) return (await countLines(aside, goes)) + (await countLines(ledger, goes));
  // What an earlier run has left is gone through first, for a rename would replace it.
  return (await sift(aside)) + ((await renamed(ledger, aside)) ? await sift(aside) : 0);

  async function sift(file: string): Promise<number> {
    let erased = 0;
    let kept = "";
    for await (const line of readLines(file)) {
      if (goes(line)) erased++;
      else kept += `${line}\n`;
    }
    if (kept !== "") await append(stateDir, kept);
    await rm(file, { force: true });
    return erased;
  }
}

async function append(stateDir: string, text: string): Promise<void> {
  await appendFile(path.join(stateDir, LEDGER), text, { mode: 0o600 });
}

async function countLines(file: string, counts: (line: string) => boolean): Promise<number> {
  let count = 0;
  for await (const line of readLines(file)) if (counts(line)) count++;
  return count;
}

/** Nothing for a file that is not there. */
async function* readLines(file: string): AsyncGenerator<string> {
  try {
    await using handle = await open(file);
    yield* handle.readLines();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function asLedgerLine(line: string): LedgerLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as LedgerLine) : undefined;
  } catch {
    return undefined;
  }
}
