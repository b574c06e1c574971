import { resolve } from "node:path";
import { describingFailure } from "../../open-store.ts";
import { openStateDir } from "../../state-dir.ts";
import { openKept } from "./kept-state.ts";

/** Copies what is kept into one file, while a relay may be using it. Gives what to tell the operator. */
export async function backup(stateDir: string, file: string): Promise<string> {
  const target = resolve(file);
  await using store = await openKept(stateDir);
  await describingFailure(target, () => store.backup(target));
  return `Saved to ${target}: all conversations, and what waits in them. Not in it are files and scratch workspaces,
which lie in ${stateDir} under "files" and "convs".\n`;
}

/** Puts a backup in the place of what is kept. No relay may be using it. */
export async function restore(stateDir: string, file: string): Promise<string> {
  const from = resolve(file);
  const { restoreSqliteStore } = await import("@acp-kit/router/sqlite");
  await using directory = await openStateDir(stateDir);
  await describingFailure(from, () => restoreSqliteStore({ directory: directory.path, from }));
  return `Restored from ${from}. What was there before is in ${directory.path}/store-replaced.db until the next restore.\n`;
}
