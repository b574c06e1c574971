import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileLending, LendResult } from "@acp-kit/router";
import { type AgentIdentity, sharesUser } from "../agent-identity.ts";
import { createGit, findCheckout, type Git } from "../git/git.ts";
import type { Log } from "../log.ts";
import { safeDirectoryName } from "../workspaces.ts";
import type { Loan, LoanBook } from "./loan-book.ts";

/** Where files that came with messages lie in a workspace: a directory per conversation, in it one per message. */
const LENT = ".acp-kit";

/** How long one file may take, in milliseconds: a wrapper may carry it far. */
const COPY_MS = 120_000;
const DAY_MS = 86_400_000;

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Goes down from $1 and never through a link: what it stands in is compared with where it should be, and what follows is
 * done there. Everything runs as the agent, so that no more can be reached by a trick than the agent reaches by itself.
 */
const ENTER = `set -eu
umask 077
cd -P -- "$1"
here=$(pwd -P)
enter() {
  [ ! -L "$1" ] && [ -d "$1" ] || { echo "$here/$1 is no directory" >&2; return 3; }
  cd -P -- "./$1"
  here=$here/$1
  [ "$(pwd -P)" = "$here" ] || { echo "$here was moved" >&2; return 3; }
}
`;

const COPY = `${ENTER}for part in ${LENT} "$2" "$3"; do
  mkdir -- "./$part" 2>/dev/null || :
  enter "$part"
done
rm -f -- "./$4"
set -C
cat > "./$4"
`;

/** Removes what begins with $4 and, where $3 is given, is older than so many days. Nothing there is as good as removed. */
const REMOVE = `${ENTER}[ -e ${LENT} ] || exit 0
enter ${LENT}
[ -e "$2" ] || exit 0
enter "$2"
old=
[ "$3" = "" ] || old="-mtime +$3"
find . -mindepth 1 -maxdepth 1 -name "$4*" $old -exec rm -rf -- {} +
cd ..
rmdir -- "./$2" 2>/dev/null || :
cd ..
rmdir -- ./${LENT} 2>/dev/null || :
`;

const HIDE = `set -eu
grep -qxF ${LENT}/ "$1" 2>/dev/null && exit 0
[ ! -L "$1" ] && [ ! -L "\${1%/*}" ] || { echo "$1 is a link" >&2; exit 3; }
mkdir -p -- "\${1%/*}"
[ -z "$(tail -c 1 -- "$1" 2>/dev/null)" ] || echo >> "$1"
echo ${LENT}/ >> "$1"
`;

export type FileLendingOptions = {
  readonly book: LoanBook;
  readonly identity: AgentIdentity;
  /** PATH of the relay. */
  readonly path: string | undefined;
  readonly conversation: string;
  readonly cwd: string;
  readonly filesDir: string;
  readonly log: Log;
  readonly now: () => number;
};

/**
 * Copies kept files into the workspace, as the agent's user and out of git's sight. Originals stay where they are: what
 * becomes of a copy is the agent's business.
 */
export function createFileLending(options: FileLendingOptions): FileLending {
  const { book, identity, path, conversation, cwd, filesDir, log, now } = options;
  const git = createGit({ identity, path });
  const directory = safeDirectoryName(conversation);
  return {
    isAlwaysNeeded: !canReach(identity, filesDir),
    async lend(paths): Promise<LendResult> {
      try {
        // First of all: what is written down is found again by whoever sweeps or erases.
        book.note({ conversation, cwd, identity }, now());
        await hide(git, cwd);
        const copies = new Map<string, string>();
        for (const original of paths) {
          const message = basename(dirname(original));
          const name = basename(original);
          const input = (await open(original, O_RDONLY | O_NOFOLLOW)).createReadStream();
          await git.exec(shell(COPY, git.toAgentPath(cwd), directory, message, name), {
            ...{ input, timeoutMs: COPY_MS },
          });
          copies.set(original, join(cwd, LENT, directory, message, name));
        }
        return { kind: "lent", copies };
      } catch (err) {
        log.warn({ err }, "files of a message could not be put into the workspace");
        const message = `The files could not be put into the workspace, so the agent may not be able to open them: its \`${LENT}\` is a link, or cannot be written.`;
        return { kind: "refused", message };
      }
    },
  };
}

/** Removes the copies of single messages' files. Never rejects. @param directories - Of the messages, by name. */
export async function takeBackFiles(
  {
    book,
    conversation,
    path,
    log,
  }: Omit<FileLendingOptions, "identity" | "cwd" | "filesDir" | "now">,
  directories: readonly string[],
): Promise<void> {
  for (const each of directories) {
    const left = await eraseLentFiles(book, conversation, path, each);
    if (left.length > 0) log.warn({ left }, "copies of files could not be removed; they stay");
  }
}

/**
 * Removes copies that are older than a number of days.
 *
 * @param now - Milliseconds since the epoch.
 */
export async function sweepLentFiles(
  book: LoanBook,
  { path, days, now, log }: { path: string | undefined; days: number; now: number; log: Log },
): Promise<void> {
  for (const loan of book.all()) {
    try {
      // find counts whole days, and wants more than so many.
      await remove(loan, path, String(Math.max(0, Math.ceil(days) - 1)), "");
      if (now - loan.at > days * DAY_MS) book.forget(loan);
    } catch (err) {
      log.warn({ err }, "copies of files could not be looked at; they stay");
    }
  }
}

/**
 * Removes the copies of a conversation's files, or those whose directories begin so. Gives the directories where that
 * failed.
 */
export async function eraseLentFiles(
  book: LoanBook,
  conversation: string,
  path: string | undefined,
  prefix = "",
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const loan of book.of(conversation)) {
    const place = join(loan.cwd, LENT, safeDirectoryName(conversation));
    await remove(loan, path, "", prefix).catch(() => left.push(place));
  }
  return left;
}

async function remove(
  { cwd, identity, conversation }: Loan,
  path: string | undefined,
  days: string,
  prefix: string,
): Promise<void> {
  const isGone = await access(cwd).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
  if (isGone) return;
  const git = createGit({ identity, path });
  const directory = safeDirectoryName(conversation);
  await git.exec(shell(REMOVE, git.toAgentPath(cwd), directory, days, prefix));
}

/** In `info/exclude`, which is nobody's work: a `.gitignore` would be a change of the repository. */
async function hide(git: Git, cwd: string): Promise<void> {
  if ((await findCheckout(cwd)) === undefined) return;
  // Of a worktree it is the repository's own. git would resolve a link that the list itself is.
  const common = await git.read(cwd, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  await git.exec(shell(HIDE, `${common}/info/exclude`));
}

function shell(script: string, ...args: readonly string[]): readonly string[] {
  return ["sh", "-c", script, "sh", ...args];
}

/** Another user may not enter the state directory; a wrapper that shows directories elsewhere shows those and no other. */
function canReach(identity: AgentIdentity, filesDir: string): boolean {
  const { wrapper = [], pathMap = [] } = identity;
  if (wrapper.length === 0) return sharesUser(identity, process.getuid?.());
  return pathMap.length === 0 || pathMap.some(({ host }) => `${filesDir}/`.startsWith(`${host}/`));
}
