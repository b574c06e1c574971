import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Where files that conversations refer to lie, in the state directory. */
const FILES = "files";
/** Where scratch workspaces lie: one directory for each conversation. */
const WORKSPACES = "convs";

/** What lay beside the store when a backup was made, by path in the state directory. */
export type FileManifest = {
  /** Sizes in bytes. */
  readonly files: Readonly<Record<string, number>>;
  readonly workspaces: readonly string[];
};

export async function readFileManifest(stateDir: string): Promise<FileManifest> {
  const files: Record<string, number> = {};
  for (const entry of await listDirectory(join(stateDir, FILES), true)) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await sizeOf(file);
    if (bytes !== undefined) files[file.slice(stateDir.length + 1)] = bytes;
  }
  const workspaces = await listDirectory(join(stateDir, WORKSPACES), false);
  return { files, workspaces: workspaces.map(({ name }) => `${WORKSPACES}/${name}`) };
}

/** What a manifest names and the state directory has not, or has in another size; sorted. */
export async function findMissing(
  stateDir: string,
  { files, workspaces }: FileManifest,
): Promise<readonly string[]> {
  const now = await readFileManifest(stateDir);
  const there = new Set(now.workspaces);
  return [
    ...Object.keys(files).filter((file) => now.files[file] !== files[file]),
    ...workspaces.filter((workspace) => !there.has(workspace)),
  ].sort();
}

/** `undefined` for a value that is no manifest: backups of earlier versions have none. */
export function asFileManifest(value: unknown): FileManifest | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { files, workspaces } = value as Partial<FileManifest>;
  if (typeof files !== "object" || files === null || !Array.isArray(workspaces)) return undefined;
  return { files, workspaces };
}

async function listDirectory(directory: string, recursive: boolean) {
  try {
    return await readdir(directory, { recursive, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** `undefined` when it has gone since it was listed: a relay may be running. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await lstat(file)).size;
  } catch {
    return undefined;
  }
}
