import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { readChanges, readDiff } from "../../src/git/changes.ts";
import { createGit, type Git } from "../../src/git/git.ts";
import { readHead, writeSnapshot } from "../../src/git/snapshot.ts";
import {
  countBehind,
  createWorktree,
  readWorktreeState,
  removeWorktree,
} from "../../src/git/worktree.ts";
import { temporaryDirectory } from "../support.ts";
import { gitIn, Repository, writeIn } from "./repository.ts";

let root: string;
let repository: Repository;
/** There once anything of the repository's was executed. */
let marker: string;
/** A program that leaves the marker, and passes its input on. */
let trap: string;
let git: Git;

beforeEach(() => {
  root = temporaryDirectory();
  marker = join(root, "executed");
  trap = join(root, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`);
  chmodSync(trap, 0o755);
  repository = new Repository(join(root, "repo"));
  git = createGit({ identity: {}, path: process.env["PATH"] });
});

const config = (key: string, value: string) => repository.git("config", key, value);

function hook(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of [
    ...["post-checkout", "pre-commit", "post-index-change", "reference-transaction"],
    ...["fsmonitor-watchman", "pre-auto-gc", "post-rewrite", "push-to-checkout"],
  ]) {
    writeFileSync(join(directory, name), `#!/bin/sh\nexec '${trap}'\n`);
    chmodSync(join(directory, name), 0o755);
  }
}

function filter(name: string, attributes: string): void {
  for (const part of ["clean", "smudge"]) config(`filter.${name}.${part}`, trap);
  config(`filter.${name}.required`, "true");
  writeIn(repository.path, attributes, `* filter=${name}\n`);
}

/** What somebody who can write to a checkout can leave there, and a git without care that falls for it. */
const corpus: [name: string, set: () => void, careless?: (worktree: string) => void][] = [
  [
    "hooks in the repository",
    () => hook(join(repository.path, ".git/hooks")),
    (worktree) => gitIn(worktree, "checkout", "--quiet", "-b", "x"),
  ],
  [
    "hooks elsewhere",
    () => {
      hook(join(root, "hooks"));
      config("core.hooksPath", join(root, "hooks"));
    },
    (worktree) => gitIn(worktree, "checkout", "--quiet", "-b", "x"),
  ],
  [
    "a file system monitor",
    () => config("core.fsmonitor", trap),
    (worktree) => gitIn(worktree, "status"),
  ],
  [
    "an external diff",
    () => config("diff.external", trap),
    (worktree) => gitIn(worktree, "diff", "HEAD"),
  ],
  [
    "a diff driver with a command and a text conversion",
    () => {
      config("diff.evil.command", trap);
      config("diff.evil.textconv", trap);
      writeIn(repository.path, ".git/info/attributes", "* diff=evil\n");
    },
    (worktree) => gitIn(worktree, "diff", "HEAD"),
  ],
  [
    "a filter by the checkout's attributes",
    () => {
      filter("evil", ".gitattributes");
      gitIn(
        repository.path,
        "-c",
        "filter.evil.clean=",
        "-c",
        "filter.evil.required=false",
        "add",
        ".",
      );
      gitIn(repository.path, "commit", "--quiet", "-m", "attributes");
    },
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "a filter by the repository's attributes",
    () => filter("evil", ".git/info/attributes"),
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "a filter whose name has an equals sign, a blank and a dot",
    () => {
      appendFileSync(
        join(repository.path, ".git/config"),
        `[filter "a=b.c"]\n clean = ${trap}\n smudge = ${trap}\n required = true\n`,
      );
      writeIn(repository.path, ".git/info/attributes", "* filter=a=b.c\n");
    },
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "a long-running filter",
    () => {
      config("filter.evil.process", trap);
      writeIn(repository.path, ".git/info/attributes", "* filter=evil\n");
    },
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "a filter in a file that is included for worktrees only",
    () => {
      writeIn(root, "included", `[filter "evil"]\n clean = ${trap}\n smudge = ${trap}\n`);
      config("includeIf.gitdir:**/worktrees/**.path", join(root, "included"));
      writeIn(repository.path, ".git/info/attributes", "* filter=evil\n");
    },
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "a filter in a file that is included for branches of this relay only",
    () => {
      writeIn(root, "included", `[filter "evil"]\n clean = ${trap}\n smudge = ${trap}\n`);
      config("includeIf.onbranch:acp/**.path", join(root, "included"));
      writeIn(repository.path, ".git/info/attributes", "* filter=evil\n");
    },
    (worktree) => gitIn(worktree, "add", "--all"),
  ],
  [
    "aliases of the commands that are used",
    () => {
      for (const name of ["status", "diff", "worktree", "reset", "config", "rev-parse"]) {
        config(`alias.${name}`, `!${trap}`);
      }
    },
  ],
  [
    "pagers, editors, an ssh command, a proxy, a signature program, a credential helper",
    () => {
      for (const key of [
        ...["core.pager", "pager.status", "pager.diff", "core.editor", "sequence.editor"],
        ...["core.sshCommand", "core.gitProxy", "gpg.program", "gpg.ssh.program", "core.askPass"],
        ...["credential.helper", "core.alternateRefsCommand", "trailer.x.command"],
      ]) {
        config(key, trap);
      }
      config("log.showSignature", "true");
      config("status.submoduleSummary", "true");
    },
  ],
  [
    "missing objects that another program fetches",
    () => {
      config("extensions.partialClone", "origin");
      config("core.repositoryFormatVersion", "1");
      // One that answers nothing and ends.
      writeIn(root, "end.sh", `echo fetched >> '${marker}'\n`);
      config("remote.origin.url", `ext::sh ${join(root, "end.sh")}`);
      config("remote.origin.promisor", "true");
      config("protocol.ext.allow", "always");
      config("protocol.allow", "always");
    },
    (worktree) => {
      try {
        gitIn(worktree, "fetch", "origin");
      } catch {
        // It is no repository.
      }
    },
  ],
  [
    "a submodule with traps of its own",
    () => {
      const inner = new Repository(join(root, "inner"));
      repository.git("submodule", "--quiet", "add", inner.path, "inner");
      repository.commit("submodule");
      gitIn(join(repository.path, "inner"), "config", "core.fsmonitor", trap);
      gitIn(join(repository.path, "inner"), "config", "filter.evil.clean", trap);
      writeIn(repository.path, ".git/modules/inner/info/attributes", "* filter=evil\n");
      writeIn(repository.path, "inner/README.md", "# Other\n");
      config("submodule.inner.ignore", "none");
      config("submodule.inner.update", `!${trap}`);
      config("submodule.recurse", "true");
      config("diff.submodule", "diff");
      config("diff.ignoreSubmodules", "none");
    },
    () => repository.git("status"),
  ],
  [
    "a directory that is a bare repository",
    () => {
      gitIn(root, "init", "--quiet", "--bare", join(repository.path, "bare"));
      gitIn(join(repository.path, "bare"), "config", "core.fsmonitor", trap);
    },
  ],
];

/** Everything that the relay does with git. */
async function useAll(worktree: string): Promise<void> {
  const place = { repository: repository.path, path: worktree, branch: "acp/1", base: "main" };
  await createWorktree(git, place);
  for (const directory of [worktree, repository.path]) {
    writeIn(directory, "README.md", "# Changed\n");
    writeIn(directory, "new.txt", "new\n");
    const head = await readHead(git, directory);
    const { tree } = await writeSnapshot(git, directory);
    const changes = await readChanges(git, directory, head, tree);
    expect(changes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["README.md", "new.txt"]),
    );
    const { text } = await readDiff(git, directory, { from: head, to: tree }, () => true);
    expect(text).toContain("+# Changed\n");
  }
  expect(await readWorktreeState(git, place)).toBe("changed");
  await countBehind(git, place);
  rmSync(join(worktree, "new.txt"));
  writeIn(worktree, "README.md", "# Shop\n");
}

describe("C26: nothing that stands in a repository is executed", () => {
  test.each(corpus)("%s", async (_, set, careless) => {
    set();
    // git may have been careless while the trap was laid.
    rmSync(marker, { force: true });
    const worktree = join(root, "worktree");
    await useAll(worktree);
    const place = { repository: repository.path, path: worktree, branch: "acp/1", base: "main" };
    expect(existsSync(marker)).toBe(false);
    // The trap works: without care it is sprung.
    if (careless) {
      writeIn(worktree, "README.md", "# Changed\n");
      try {
        careless(worktree);
      } catch {
        // It may fail, behind the trap.
      }
      expect(existsSync(marker)).toBe(true);
      rmSync(marker);
    }
    await readWorktreeState(git, place);
    await removeWorktree(git, place).catch(() => undefined);
    expect(existsSync(marker)).toBe(false);
  });

  test("an environment that would steer git is not passed on", async () => {
    const name = "GIT_EXTERNAL_DIFF";
    process.env[name] = trap;
    try {
      await useAll(join(root, "worktree"));
    } finally {
      delete process.env[name];
    }
    expect(existsSync(marker)).toBe(false);
  });
});

test("C26: a setting that leads git to other files is not followed", async () => {
  writeIn(root, "elsewhere/secret.txt", "secret\n");
  config("core.worktree", join(root, "elsewhere"));
  writeIn(repository.path, "new.txt", "new\n");
  const head = await readHead(git, repository.path);
  const { tree } = await writeSnapshot(git, repository.path);
  const changes = await readChanges(git, repository.path, head, tree);
  expect(changes).toEqual([{ path: "new.txt", kind: "added", lines: { added: 1, removed: 0 } }]);
});

test("C26: git that does not end is ended in time, and so is what it started", async () => {
  const slow = join(root, "bin/git");
  writeIn(root, "bin/git", `#!/bin/sh\nsleep 60 & echo $! > '${join(root, "pid")}'\nwait\n`);
  chmodSync(slow, 0o755);
  const late = createGit({ identity: {}, path: `${join(root, "bin")}:${process.env["PATH"]}` });
  await expect(late.run(repository.path, ["status"], { timeoutMs: 300 })).rejects.toMatchObject({
    code: "git",
  });
  const pid = Number(readFileSync(join(root, "pid"), "utf8"));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
});

/** A process that has ended and that nobody has taken note of does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("C26: a relative entry of PATH is not searched", async () => {
  writeIn(repository.path, "git", `#!/bin/sh\nexec '${trap}'\n`);
  chmodSync(join(repository.path, "git"), 0o755);
  const careful = createGit({ identity: {}, path: `.::bin:${process.env["PATH"]}` });
  await careful.read(repository.path, ["rev-parse", "HEAD"]);
  expect(existsSync(marker)).toBe(false);
});
