import { RelayError } from "../errors.ts";
import type { Git } from "./git.ts";
import { type FileChange, parseChanges } from "./parse-changes.ts";

/** A difference that a person can read. */
export type Diff = {
  readonly text: string;
  /** The rest is left out. */
  readonly isCut: boolean;
  /** Files whose contents are not shown. */
  readonly withheld: readonly string[];
};

/** Longest difference, in bytes. */
export const MAX_DIFF_BYTES = 1024 * 1024;

/** Both commands list the same files in the same order. */
const ALIKE = [
  ...["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative"],
  ...["--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"],
];

/** The files of the directory that differ between two trees or commits. @throws RelayError `git` */
export async function readChanges(
  git: Git,
  directory: string,
  from: string,
  to: string,
): Promise<readonly FileChange[]> {
  const args = ["diff", "--raw", "--numstat", "-z", ...ALIKE, from, to, "--"];
  return parseChanges(await git.read(directory, args));
}

/**
 * The difference between two trees or commits in the directory.
 *
 * @param mayShow - Whether the contents of a file may be shown; its name is in any case.
 * @throws RelayError `git`
 */
export async function readDiff(
  git: Git,
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
  mayShow: (path: string) => boolean,
): Promise<Diff> {
  const files = await readChanges(git, directory, from, to);
  const args = ["diff", "--patch", ...ALIKE, from, to, "--"];
  const limits = { maxBytes: MAX_DIFF_BYTES };
  const { code, stdout, isCut } = await git.run(directory, args, limits);
  if (code !== 0 && !isCut) throw new RelayError("git diff failed", { code: "git" });
  // Lines of contents begin with a blank, a plus or a minus: this begins a file, wherever it stands.
  const sections = stdout.split(/(?<![^\n])(?=diff --git )/);
  const withheld: string[] = [];
  const shown = sections.filter((_, at) => {
    const path = files[at]?.path;
    if (path !== undefined && mayShow(path)) return true;
    if (path !== undefined) withheld.push(path);
    return false;
  });
  return { text: shown.join(""), isCut, withheld };
}
