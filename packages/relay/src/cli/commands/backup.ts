import { resolve } from "node:path";
import { describingFailure } from "../../open-store.ts";
import { readRelayDb, writeRelayDb } from "../../relay-db-copy.ts";
import { RELAY_TABLES } from "../../relay-tables.ts";
import { openStateDir } from "../../state-dir.ts";
import { asFileManifest, findMissing, readFileManifest } from "./file-manifest.ts";
import { openKept } from "./kept-state.ts";

/** Missing files that a restore names; of the others it tells how many there are. */
const NAMED_FILES = 10;

/** Copies what is kept into one file, while a relay may be using it. Gives what to tell the operator. */
export async function backup(stateDir: string, file: string): Promise<string> {
  const target = resolve(file);
  await using store = await openKept(stateDir);
  const manifest = await readFileManifest(stateDir);
  const relay = await readRelayDb(stateDir);
  const kept = { ...manifest, ...(relay !== undefined && { relay }) };
  await describingFailure(target, () => store.backup(target, kept));
  const files = Object.keys(manifest.files).length;
  return `Saved to ${target}: all conversations, what waits in them, people and usage. Not in it are ${files} files and ${manifest.workspaces.length} scratch
workspaces, which lie in ${stateDir} under "files" and "convs": copy those too. Agents keep sessions of their own.
Nor are the homes of people in it, which lie there under "homes" where agents have them: they hold logins.\n`;
}

/** Puts a backup in the place of what is kept. No relay may be using it. */
export async function restore(
  stateDir: string,
  file: string,
  tables = RELAY_TABLES,
): Promise<string> {
  const from = resolve(file);
  const { restoreSqliteStore } = await import("@acp-kit/router/sqlite");
  await using directory = await openStateDir(stateDir);
  const options = { directory: directory.path, from };
  const report = await describingFailure(from, () => restoreSqliteStore(options));
  const { relay } = (report.manifest ?? {}) as { readonly relay?: unknown };
  if (typeof relay === "string") await writeRelayDb(directory.path, relay, tables);
  const manifest = asFileManifest(report.manifest);
  return `Restored from ${from}. What was there before is in ${directory.path}/store-replaced.db${
    typeof relay === "string" ? " and relay-replaced.db" : ""
  } until the next restore.
Only conversations are brought back, not what agents keep of their sessions. ${
    manifest === undefined
      ? `Files and scratch workspaces are as they were.`
      : formatMissing(await findMissing(directory.path, manifest))
  }\n`;
}

function formatMissing(missing: readonly string[]): string {
  if (missing.length === 0) return "All files and scratch workspaces of the backup are there.";
  const others = missing.length - NAMED_FILES;
  return [
    `${missing.length} files and scratch workspaces that it knows are not there, or are others now:`,
    ...missing.slice(0, NAMED_FILES).map((path) => `  ${path}`),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ].join("\n");
}
