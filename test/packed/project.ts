import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, run } from "./run.ts";

/** The tarball of a workspace folder such as `packages/router`, as `pnpm publint` leaves it. */
export function tarballOf(folder: string): string {
  const file = path.join(root, folder, "package.tgz");
  if (!existsSync(file)) throw new Error(`${file} is missing; run \`pnpm publint\` first`);
  return file;
}

/** An empty npm project outside the workspace, with these folders' tarballs installed. Disposing removes it. */
export async function createProject(
  folders: readonly string[],
  flags: readonly string[] = [],
): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), "acp-kit-packed-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const manifest = { name: "packed-check", private: true, type: "module" };
    await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
    await run("npm", ["install", ...quiet, ...flags, ...folders.map(tarballOf)], folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, [Symbol.asyncDispose]: remove };
}
