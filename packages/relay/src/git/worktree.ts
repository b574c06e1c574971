import { RelayError } from "../errors.ts";
import type { Git } from "./git.ts";

/** Prefix of the branches that are made here. */
export const BRANCH_PREFIX = "acp/";

/** How long a checkout of a large repository may take, in milliseconds. */
const CHECKOUT_MS = 600_000;

export type WorktreePlace = {
  /** An existing checkout. */
  readonly repository: string;
  /** Where it is, or is to be made. */
  readonly path: string;
  readonly branch: string;
  /** A branch, tag or commit. */
  readonly base: string;
};

/**
 * Makes a worktree on a new branch, and gives the commit that it starts from. What cannot be finished is removed again.
 *
 * @throws RelayError `git`; `workspace` when there is no such base
 */
export async function createWorktree(git: Git, worktree: WorktreePlace): Promise<string> {
  const { repository, path, branch, base } = worktree;
  const start = await findCommit(git, repository, base);
  if (start === undefined) {
    const message = `there is no commit "${base}" to start a branch from`;
    throw new RelayError(message, { code: "workspace" });
  }
  const agentPath = git.toAgentPath(path);
  const add = ["worktree", "add", "--quiet", "--no-checkout", "--no-track", "-b", branch];
  await git.read(repository, [...add, "--", agentPath, start]);
  try {
    // Which settings hold there, such as filters, is known only now.
    await git.read(path, ["reset", "--quiet", "--hard"], { timeoutMs: CHECKOUT_MS });
  } catch (error) {
    await git.run(repository, ["worktree", "remove", "--force", "--", agentPath]);
    await git.run(repository, ["update-ref", "-d", `refs/heads/${branch}`, start]);
    throw error;
  }
  return start;
}

export async function hasBranch(git: Git, repository: string, branch: string): Promise<boolean> {
  return (await findCommit(git, repository, `refs/heads/${branch}`)) !== undefined;
}

/** What a worktree has that is nowhere else. `clean`: nothing. */
export type WorktreeState = "clean" | "changed" | "unmerged";

/**
 * Whether a worktree can go without a loss, as the repository that it is of sees it. `changed`: it has files that are not committed, or something in it is half
 * done. `unmerged`: its branch has commits that are neither in `base` nor in another branch, here or of a remote as it
 * was last seen. Ignored files count for nothing.
 *
 * @throws RelayError `git`
 */
export async function readWorktreeState(
  git: Git,
  { repository, path, branch, base }: WorktreePlace,
): Promise<WorktreeState> {
  const status = ["status", "--porcelain", "-z", "--untracked-files=normal"];
  if ((await git.read(path, [...status, "--ignore-submodules=all"])) !== "") return "changed";
  // In the middle of a rebase or a bisect there is no branch.
  if ((await git.run(path, ["symbolic-ref", "-q", "HEAD"])).code !== 0) return "changed";
  for (const half of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    if ((await findCommit(git, path, half)) !== undefined) return "changed";
  }
  const commit = await findCommit(git, repository, `refs/heads/${branch}`);
  if (commit === undefined) return "clean";
  // Not in the worktree: there HEAD is its own.
  const isMerged = await git.run(repository, ["merge-base", "--is-ancestor", commit, base]);
  if (isMerged.code === 0) return "clean";
  const others = await git.read(repository, [
    ...["for-each-ref", "--contains", commit, "--format=%(refname)", "refs/heads", "refs/remotes"],
  ]);
  const isElsewhere = others
    .split("\n")
    .some((name) => name !== "" && !name.startsWith(`refs/heads/${BRANCH_PREFIX}`));
  return isElsewhere ? "clean" : "unmerged";
}

/**
 * Removes a worktree and its branch. git itself refuses when files in it are not committed by now.
 *
 * @throws RelayError `git`
 */
export async function removeWorktree(
  git: Git,
  { repository, path, branch }: Omit<WorktreePlace, "base">,
): Promise<void> {
  const commit = await findCommit(git, repository, `refs/heads/${branch}`);
  await git.read(repository, ["worktree", "remove", "--", git.toAgentPath(path)], {
    timeoutMs: CHECKOUT_MS,
    alsoIn: path,
  });
  if (commit === undefined) return;
  // Only as it was looked at: somebody may have committed since.
  await git.run(repository, ["update-ref", "-d", `refs/heads/${branch}`, commit]);
}

/** How many commits `base` has that the branch does not. @throws RelayError `git` */
export async function countBehind(
  git: Git,
  { repository, branch, base }: Omit<WorktreePlace, "path">,
): Promise<number> {
  const args = ["rev-list", "--count", "--end-of-options", `refs/heads/${branch}..${base}`];
  return Number(await git.read(repository, args));
}

async function findCommit(git: Git, directory: string, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`];
  const { code, stdout } = await git.run(directory, args);
  return code === 0 ? stdout.trim() : undefined;
}
