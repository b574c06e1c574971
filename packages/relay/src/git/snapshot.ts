import { randomBytes } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "./git.ts";

/** The files of a directory in a checkout at one moment. */
export type Snapshot = {
  /** Id of a tree in the repository. Nothing refers to it: git removes it after two weeks. */
  readonly tree: string;
  /** Files that git does not know and that were left out, because they are too many or too large. */
  readonly leftOut: number;
};

/** Most files unknown to git that are looked into, and their size together. */
const MAX_UNTRACKED = 2_000;
const MAX_UNTRACKED_BYTES = 64 * 1024 * 1024;

/** The tree without files. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Notes the files as they are: those that git knows, and those that it neither knows nor ignores. The checkout, its index
 * and its branches stay as they are. Submodules are left alone.
 *
 * @throws RelayError `git`
 */
export async function writeSnapshot(git: Git, directory: string): Promise<Snapshot> {
  const changed = await git.read(directory, [
    ...["diff-files", "-z", "--name-only", "--relative", "--ignore-submodules=all", "--", "."],
  ]);
  const others = await git.run(directory, ["ls-files", "-z", "--others", "--exclude-standard"]);
  // A name with a slash at its end is a repository of its own.
  const unknown = splitNames(others.stdout).filter((name) => !name.endsWith("/"));
  const isTooMuch = others.isCut || (await isLarge(directory, unknown));
  const names = [...splitNames(changed), ...(isTooMuch ? [] : unknown)];
  const gitDirectory = await git.read(directory, ["rev-parse", "--absolute-git-dir"]);
  const index = `${gitDirectory}/index`;
  const indexFile = `${gitDirectory}/acp-kit-${randomBytes(8).toString("hex")}.index`;
  try {
    // A copy has the file times that spare git reading everything. A new repository has none.
    await git.exec(["cp", "--", index, indexFile]).catch(() => undefined);
    const input = names.map((name) => `${name}\0`).join("");
    await git.read(directory, ["update-index", "--add", "--remove", "-z", "--stdin"], {
      input,
      indexFile,
    });
    const tree = await git.read(directory, ["write-tree"], { indexFile });
    return { tree, leftOut: isTooMuch ? unknown.length : 0 };
  } finally {
    await git.exec(["rm", "-f", "--", indexFile]).catch(() => undefined);
  }
}

/** What the directory's changes are counted from: a commit, or nothing in a repository without one. */
export async function readHead(git: Git, directory: string): Promise<string> {
  const { code, stdout } = await git.run(directory, [
    "rev-parse",
    "--verify",
    "-q",
    "HEAD^{commit}",
  ]);
  return code === 0 ? stdout.trim() : EMPTY_TREE;
}

function splitNames(text: string): readonly string[] {
  return text.split("\0").filter((name) => name !== "");
}

async function isLarge(directory: string, names: readonly string[]): Promise<boolean> {
  if (names.length > MAX_UNTRACKED) return true;
  let bytes = 0;
  for (const name of names) {
    bytes += (await lstat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes > MAX_UNTRACKED_BYTES;
}
