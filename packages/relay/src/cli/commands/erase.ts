import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { eraseReactions } from "@acp-kit/router";
import type { Erasable, ErasureReport, SqliteStore } from "@acp-kit/router/sqlite";
import { eraseLentFiles } from "../../files/lent-files.ts";
import { LoanBook } from "../../files/loan-book.ts";
import { homesOf } from "../../homes/home.ts";
import { describingFailure } from "../../open-store.ts";
import { eraseFromRelayDb } from "../../relay-db-copy.ts";
import { RELAY_TABLES } from "../../relay-tables.ts";
import type { WorktreeRecord } from "../../workspaces/place-book.ts";
import { safeDirectoryName } from "../../workspaces.ts";
import { withKeptDb } from "./kept-db.ts";
import { findConversation, openKept } from "./kept-state.ts";
import { readWorktrees } from "./worktrees.ts";

/** Removes a person or a conversation from everything that the relay keeps. Gives what to tell the operator. */
export async function erase(
  stateDir: string,
  asked: Erasable,
  dryRun: boolean,
  tables = RELAY_TABLES,
): Promise<string> {
  await using store = await openKept(stateDir);
  const what =
    "user" in asked ? asked : { conversation: await findConversation(store, asked.conversation) };
  const plan = await describingFailure(stateDir, () => store.erase(what, true));
  const sessions = await readSessions(store, plan);
  const { conversations } = plan;
  const worktrees = await readWorktrees(stateDir, conversations);
  const reactions = await eraseReactions(stateDir, { ...asked, conversations }, dryRun);
  if (!dryRun) {
    await describingFailure(stateDir, () => store.erase(what));
    for (const conversation of conversations) {
      for (const parent of ["convs", "files"]) {
        const directory = join(stateDir, parent, safeDirectoryName(conversation));
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    }
  }
  const user = "user" in what ? what.user : undefined;
  if (!dryRun && user !== undefined) await eraseFilesOf(stateDir, user, plan.shared);
  const copies = dryRun ? [] : await eraseCopies(stateDir, user, plan);
  const homes = user === undefined ? [] : await homesOf(stateDir, user);
  if (!dryRun) for (const home of homes) await rm(home, { recursive: true, maxRetries: 3 });
  const rows = await eraseFromRelayDb(stateDir, { user, conversations }, tables, dryRun);
  return formatErasure(plan, { sessions, worktrees, reactions, homes, rows, copies, dryRun });
}

/** Removes what a person sent, and what was sent on their behalf, in conversations with others. */
async function eraseFilesOf(stateDir: string, user: string, shared: readonly string[]) {
  const { ownerPrefix } = await import("@acp-kit/router/attachments");
  const prefix = ownerPrefix(user);
  for (const conversation of shared) {
    const files = join(stateDir, "files", safeDirectoryName(conversation));
    for (const name of await readdir(files).catch(() => [])) {
      if (!name.startsWith(prefix)) continue;
      await rm(join(files, name), { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** Removes what agents were lent of that. Gives the directories where it failed. */
async function eraseCopies(
  stateDir: string,
  user: string | undefined,
  { conversations, shared }: ErasureReport,
): Promise<readonly string[]> {
  const { ownerPrefix } = await import("@acp-kit/router/attachments");
  return withKeptDb(stateDir, async (db) => {
    const book = new LoanBook(db);
    const left: string[] = [];
    for (const one of conversations) left.push(...(await eraseLentFiles(book, one, undefined)));
    if (user === undefined) return left;
    for (const one of shared) {
      left.push(...(await eraseLentFiles(book, one, undefined, ownerPrefix(user))));
    }
    return left;
  });
}

/** What the router keeps of a conversation's sessions, by agent, as far as it is read here. */
type SessionsRecord = {
  readonly sessions?: Readonly<Record<string, { readonly session: string }>>;
};

/** Ids of the agents' sessions of what goes as a whole, as far as they are known. */
async function readSessions(store: SqliteStore, { conversations }: ErasureReport) {
  const sessions: string[] = [];
  for (const conversation of conversations) {
    const record = await store.readRecord<SessionsRecord>(`session:${conversation}`);
    sessions.push(...Object.values(record?.sessions ?? {}).map(({ session }) => session));
  }
  return sessions;
}

type ErasedBeside = {
  readonly sessions: readonly string[];
  readonly worktrees: readonly WorktreeRecord[];
  readonly reactions: number;
  readonly homes: readonly string[];
  readonly rows: number;
  /** Directories of copies that could not be removed. */
  readonly copies: readonly string[];
  readonly dryRun: boolean;
};

function formatErasure(
  { conversations, shared, copies: databases }: ErasureReport,
  { sessions, worktrees, reactions, homes, rows, copies, dryRun }: ErasedBeside,
): string {
  if (conversations.length + shared.length + reactions + homes.length + rows === 0) {
    return "Nothing is kept of that.\n";
  }
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)];
  const verb = dryRun ? "Would be erased" : "Erased";
  return `${[
    ...list(`${verb}, with files and scratch workspace:`, conversations),
    ...list(`${verb} in conversations with others:`, shared),
    ...list(`${verb}, reactions:`, reactions === 0 ? [] : [String(reactions)]),
    ...list(`${verb}, homes for agents, with the logins there:`, homes),
    ...list(`${verb}, copies of the database:`, databases),
    ...list(`${verb}, of people, rights and usage:`, rows === 0 ? [] : [`${rows} rows`]),
    ...list(
      "These worktrees stay until their work is merged or pushed; then the relay removes them:",
      worktrees.map(({ path, branch }) => `${path} (${branch})`),
    ),
    ...list("Copies of files that could not be removed; remove them by hand:", copies),
    ...list("Agents keep their own copies of these sessions; remove them there:", sessions),
    "Backups elsewhere are not touched.",
  ].join("\n")}\n`;
}
