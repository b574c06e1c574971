import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { PLACE_TABLES, PlaceBook } from "../../src/workspaces/place-book.ts";
import { type WorktreeConfig, Worktrees } from "../../src/workspaces/worktrees.ts";
import { gitIn, Repository, writeIn } from "../git/repository.ts";
import { rejection, temporaryDirectory } from "../support.ts";

const DAY_MS = 86_400_000;

let root: string;
let repository: Repository;
let book: PlaceBook;
let worktrees: Worktrees;
let now: number;
let logged: string;

beforeEach(async () => {
  root = temporaryDirectory();
  repository = new Repository(join(root, "repo"));
  const db = await openRelayDb(root, [PLACE_TABLES]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  book = new PlaceBook(db);
  now = 1_764_500_000_000;
  logged = "";
  const write = (line: string) => {
    logged += line;
  };
  worktrees = new Worktrees({
    book,
    directory: join(root, "worktrees"),
    path: process.env["PATH"],
    log: createLog({ level: "info", write, redactor: new Redactor() }),
    now: () => now,
  });
});

const configured: WorktreeConfig = {
  isolation: "worktree",
  path: "/srv/repo",
  base: "main",
  keepDays: 14,
  permissions: "ask",
};

/** The worktree of a conversation, and whether it was said that it takes long. */
async function enter(conversation: string, config: Partial<WorktreeConfig> = {}) {
  let isPrepared = false;
  const workspace = await worktrees.worktreeFor({
    name: "shop",
    config: { ...configured, ...config },
    repository: repository.path,
    conversation,
    surroundings: { identity: {}, env: { PATH: process.env["PATH"] ?? "", OWN: "own" } },
    preparing: () => {
      isPrepared = true;
    },
    signal: new AbortController().signal,
  });
  return { ...workspace, isPrepared };
}

const branchIn = (directory: string) => gitIn(directory, "symbolic-ref", "--short", "HEAD");
const commitIn = (directory: string, text: string) => {
  writeIn(directory, "work.txt", text);
  gitIn(directory, "add", "--all");
  gitIn(directory, "commit", "--quiet", "--message", text);
};

test("two conversations work side by side, each on its own branch, and the checkout stays as it is", async () => {
  const one = await enter("c-1");
  const two = await enter("c-2");
  expect(branchIn(one.cwd)).toMatch(/^acp\/[0-9a-f]{8}$/);
  expect(branchIn(one.cwd)).not.toBe(branchIn(two.cwd));
  commitIn(one.cwd, "one");
  commitIn(two.cwd, "two");
  writeIn(two.cwd, "README.md", "# Changed\n");
  expect(readFileSync(join(one.cwd, "work.txt"), "utf8")).toBe("one");
  expect(readFileSync(join(one.cwd, "README.md"), "utf8")).toBe("# Shop\n");
  expect(repository.git("status", "--porcelain")).toBe("");
  expect(branchIn(repository.path)).toBe("main");
  expect(one.exclusive).toBe(one.cwd);
});

test("a conversation keeps its worktree for its life; only the first turn is told of it", async () => {
  const first = await enter("c-1");
  expect(first.notices).toEqual([
    expect.stringMatching(/own, `acp\/[0-9a-f]{8}`, made from `main`/),
  ]);
  expect(first.isPrepared).toBe(true);
  writeIn(first.cwd, "draft.txt", "draft");
  now += 100 * DAY_MS;
  const again = await enter("c-1");
  expect(again).toMatchObject({ cwd: first.cwd, notices: [], isPrepared: false });
  expect(readFileSync(join(again.cwd, "draft.txt"), "utf8")).toBe("draft");
});

test("after a day it is said how far the base has gone on", async () => {
  await enter("c-1");
  repository.write("more.txt", "more");
  repository.commit("more");
  expect((await enter("c-1")).notices).toEqual([]);
  now += 2 * DAY_MS;
  expect((await enter("c-1")).notices).toEqual([
    expect.stringMatching(/^Since then `main` has got 1 commit that/),
  ]);
});

describe("a worktree that is gone", () => {
  test.each<[string, (path: string) => void]>([
    ["removed", (path) => rmSync(path, { recursive: true })],
    ["moved away", (path) => renameSync(path, `${path}.moved`)],
    [
      "replaced by a link",
      (path) => {
        renameSync(path, `${path}.moved`);
        symlinkSync(`${path}.moved`, path);
      },
    ],
    [
      "replaced by another directory",
      (path) => {
        rmSync(path, { recursive: true });
        mkdirSync(path);
      },
    ],
  ])("%s is an error in chat, and never replaced by itself", async (_, lose) => {
    const { cwd } = await enter("c-1");
    lose(cwd);
    const error = await rejection(enter("c-1"));
    expect(error).toMatchObject({
      code: "workspace",
      chatText: expect.stringMatching(/lost this conversation's worktree \(branch acp\//),
    });
    expect(JSON.stringify(error)).not.toContain(root);
    expect(existsSync(join(cwd, "README.md")) && branchIn(cwd) === "main").toBe(false);
    expect(book.worktreeOf("c-1", "shop")).toMatchObject({ state: "lost" });
  });

  test("makes way for another one when the project is chosen again, and not before", async () => {
    const { cwd } = await enter("c-1");
    expect(await worktrees.leaveLost("c-1", "shop")).toBe(false);
    rmSync(cwd, { recursive: true });
    expect(await worktrees.leaveLost("c-1", "shop")).toBe(true);
    const next = await enter("c-1");
    expect(next.cwd).not.toBe(cwd);
    expect(branchIn(next.cwd)).toMatch(/^acp\//);
  });
});

test("a base that is not there is an error in chat, and leaves nothing behind", async () => {
  expect(await rejection(enter("c-1", { base: "origin/nope" }))).toMatchObject({
    code: "workspace",
    chatText: expect.stringContaining('"origin/nope"'),
  });
  expect(repository.git("branch", "--list", "acp/*")).toBe("");
  expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
});

describe("a setup", () => {
  test("runs once, in the worktree, without a shell, in the agent's environment", async () => {
    const setup = ["sh", "-c", 'echo "$OWN $1" > setup.txt', "sh", "a; b"];
    const { cwd } = await enter("c-1", { setup });
    expect(readFileSync(join(cwd, "setup.txt"), "utf8")).toBe("own a; b\n");
    rmSync(join(cwd, "setup.txt"));
    await enter("c-1", { setup });
    expect(existsSync(join(cwd, "setup.txt"))).toBe(false);
  });

  test("that fails is said in chat without its output, which is in the log", async () => {
    const setup = ["sh", "-c", "echo no network >&2; exit 7"];
    const { notices } = await enter("c-1", { setup });
    expect(notices.at(-1)).toMatch(/^The workspace's setup \(`sh`\) ended with code 7/);
    expect(notices.join()).not.toContain("no network");
    expect(logged).toContain("no network");
    expect((await enter("c-1", { setup })).notices).toEqual([]);
  });

  test("that cannot be started is said too", async () => {
    const { notices } = await enter("c-1", { setup: ["no-such-program"] });
    expect(notices.at(-1)).toMatch(/setup \(`no-such-program`\) ended with code 127/);
  });
});

describe("a sweep", () => {
  const sweep = (isBusy = false) =>
    worktrees.sweep(
      async () => ({ identity: {}, keepDays: 14 }),
      async () => (isBusy ? undefined : () => {}),
    );

  test.each<[string, (cwd: string) => void, "removed" | "changed" | "unmerged"]>([
    ["without any work in it", () => {}, "removed"],
    ["with a file that is not committed", (cwd) => writeIn(cwd, "a.txt", "a"), "changed"],
    ["with a changed file", (cwd) => writeIn(cwd, "README.md", "changed"), "changed"],
    [
      "with a staged file",
      (cwd) => {
        writeIn(cwd, "a.txt", "a");
        gitIn(cwd, "add", "a.txt");
      },
      "changed",
    ],
    ["with a commit that is nowhere else", (cwd) => commitIn(cwd, "work"), "unmerged"],
    [
      "whose commit is merged",
      (cwd) => {
        commitIn(cwd, "work");
        repository.git("merge", "--quiet", branchIn(cwd));
      },
      "removed",
    ],
    [
      "whose commit is pushed",
      (cwd) => {
        commitIn(cwd, "work");
        gitIn(root, "init", "--quiet", "--bare", join(root, "remote"));
        repository.git("remote", "add", "origin", join(root, "remote"));
        gitIn(cwd, "push", "--quiet", "origin", "HEAD");
      },
      "removed",
    ],
    [
      "whose commit only another conversation's branch has",
      (cwd) => {
        commitIn(cwd, "work");
        repository.git("branch", "acp/another", branchIn(cwd));
      },
      "unmerged",
    ],
    [
      "without a branch, as in the middle of a rebase",
      (cwd) => gitIn(cwd, "checkout", "--quiet", "--detach"),
      "changed",
    ],
    [
      "in the middle of a merge",
      (cwd) => {
        gitIn(cwd, "checkout", "--quiet", "-b", "other");
        commitIn(cwd, "work");
        gitIn(cwd, "checkout", "--quiet", "-");
        gitIn(cwd, "merge", "--quiet", "--no-ff", "--no-commit", "--strategy=ours", "other");
      },
      "changed",
    ],
  ])("of an old one %s leaves nothing lost", async (_, work, result) => {
    const { cwd } = await enter("c-1");
    const branch = branchIn(cwd);
    work(cwd);
    await sweep();
    expect(existsSync(cwd)).toBe(true);
    now += 15 * DAY_MS;
    await sweep();
    expect(existsSync(cwd)).toBe(result !== "removed");
    expect(book.worktreeOf("c-1", "shop")?.state).toBe(result === "removed" ? undefined : result);
    const branches = repository.git("branch", "--list", branch);
    expect(branches === "").toBe(result === "removed");
  });

  test("leaves one alone in which a turn runs, and one of a workspace that is not configured any more", async () => {
    const { cwd } = await enter("c-1");
    now += 15 * DAY_MS;
    await sweep(true);
    await worktrees.sweep(
      async () => undefined,
      async () => () => {},
    );
    expect(existsSync(cwd)).toBe(true);
    await sweep();
    expect(existsSync(cwd)).toBe(false);
  });

  test("removes a clean one of an erased conversation at once, and keeps one with work in it", async () => {
    const one = await enter("c-1");
    const two = await enter("c-2");
    commitIn(two.cwd, "work");
    for (const conversation of ["c-1", "c-2"]) {
      const { id } = book.worktreeOf(conversation, "shop") ?? { id: "" };
      book.leaveWorktree(id);
    }
    await sweep();
    expect(existsSync(one.cwd)).toBe(false);
    expect(readFileSync(join(two.cwd, "work.txt"), "utf8")).toBe("work");
  });

  test("a worktree that git cannot read stays, and its failure is logged", async () => {
    const { cwd } = await enter("c-1");
    rmSync(join(repository.path, ".git/worktrees"), { recursive: true });
    now += 15 * DAY_MS;
    await sweep();
    expect(existsSync(join(cwd, "README.md"))).toBe(true);
    expect(logged).toContain("could not be looked at; it stays");
  });

  test("ignored files do not keep one", async () => {
    const { cwd } = await enter("c-1");
    writeIn(cwd, "node_modules/x/index.js", "x");
    now += 15 * DAY_MS;
    await sweep();
    expect(existsSync(cwd)).toBe(false);
  });
});

test("a branch of the same name that is there already is left as it is", async () => {
  const { cwd } = await enter("c-1");
  const branch = branchIn(cwd);
  commitIn(cwd, "work");
  const commit = gitIn(cwd, "rev-parse", "HEAD");
  // A restored backup may have forgotten the worktree.
  book.forgetWorktree(book.worktreeOf("c-1", "shop")?.id ?? "");
  const next = await enter("c-1");
  expect(next.cwd).not.toBe(cwd);
  expect(repository.git("rev-parse", branch)).toBe(commit);
  execFileSync("git", ["-C", next.cwd, "status"]);
});
