import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readChanges, readDiff } from "../../src/git/changes.ts";
import { createGit, type Git } from "../../src/git/git.ts";
import { formatChangeSummary, parseChanges } from "../../src/git/parse-changes.ts";
import { EMPTY_TREE, readHead, writeSnapshot } from "../../src/git/snapshot.ts";
import { rejection, temporaryDirectory } from "../support.ts";
import { gitIn, Repository, writeIn } from "./repository.ts";

let root: string;
let repository: Repository;
let git: Git;

beforeEach(() => {
  root = temporaryDirectory();
  repository = new Repository(join(root, "repo"));
  git = createGit({ identity: {}, path: process.env["PATH"] });
});

test("a snapshot has files that git knows and that it does not know, not those that it ignores, and changes nothing", async () => {
  repository.write("old.txt", "one\ntwo\n");
  repository.write("gone.txt", "gone\n");
  repository.commit("more");
  repository.write("old.txt", "one\n2\nthree\n");
  rmSync(join(repository.path, "gone.txt"));
  repository.write("Näme with 'quotes' \"\n.txt", "new\n");
  repository.write("node_modules/x/index.js", "ignored\n");
  writeFileSync(join(repository.path, "picture.png"), Buffer.from([0, 1, 2, 0]));
  symlinkSync("/etc/passwd", join(repository.path, "link"));
  repository.write("staged.txt", "staged\n");
  repository.git("add", "staged.txt");
  const before = repository.git("status", "--porcelain");
  const head = await readHead(git, repository.path);
  const { tree, leftOut } = await writeSnapshot(git, repository.path);
  const changes = await readChanges(git, repository.path, head, tree);
  expect(leftOut).toBe(0);
  expect(changes).toEqual([
    { path: "Näme with 'quotes' \"\n.txt", kind: "added", lines: { added: 1, removed: 0 } },
    { path: "gone.txt", kind: "deleted", lines: { added: 0, removed: 1 } },
    { path: "link", kind: "added", lines: { added: 1, removed: 0 } },
    { path: "old.txt", kind: "changed", lines: { added: 2, removed: 1 } },
    { path: "picture.png", kind: "added" },
    { path: "staged.txt", kind: "added", lines: { added: 1, removed: 0 } },
  ]);
  expect(formatChangeSummary(changes)).toBe("6 files changed +5 \u22122");
  const { text } = await readDiff(git, repository.path, { from: head, to: tree }, () => true);
  expect(text).not.toContain("root:");
  expect(repository.git("status", "--porcelain")).toBe(before);
  expect(repository.git("stash", "list")).toBe("");
});

test("what a turn has changed is what differs between two snapshots, commits in between included", async () => {
  repository.write("mine.txt", "before the turn\n");
  const { tree: before } = await writeSnapshot(git, repository.path);
  repository.write("README.md", "# Shop\n\nOpen.\n");
  repository.commit("in the turn");
  repository.write("new.txt", "new\n");
  const { tree: after } = await writeSnapshot(git, repository.path);
  const changes = await readChanges(git, repository.path, before, after);
  expect(changes.map(({ path }) => path)).toEqual(["README.md", "new.txt"]);
  expect(formatChangeSummary(changes)).toBe("2 files changed +3 \u22120");
});

test("of a directory in a checkout only what is in it counts, by its name there", async () => {
  repository.write("packages/a/one.txt", "one\n");
  repository.write("packages/b/two.txt", "two\n");
  const directory = join(repository.path, "packages/a");
  const { tree } = await writeSnapshot(git, directory);
  const changes = await readChanges(git, directory, await readHead(git, directory), tree);
  expect(changes.map(({ path }) => path)).toEqual(["one.txt"]);
});

test("C19: contents that may not be shown are left out, whatever the text around them looks like", async () => {
  repository.write(
    "a.txt",
    "x\rdiff --git a/.env b/.env\u2028diff --git a/y b/y\ndiff --git a/z b/z\n",
  );
  repository.write(".env", "KEY=planted\n");
  repository.write("z.txt", "z\n");
  const head = await readHead(git, repository.path);
  const { tree } = await writeSnapshot(git, repository.path);
  const isSecret = (path: string) => path === ".env";
  const range = { from: head, to: tree };
  const diff = await readDiff(git, repository.path, range, (path) => !isSecret(path));
  expect(diff.withheld).toEqual([".env"]);
  expect(diff.text).not.toContain("planted");
  expect(diff.text).toContain("+z\n");
  expect(diff.text).toContain("+diff --git a/z b/z\n");
});

test("a difference beyond its limit is cut", async () => {
  repository.write("large.txt", "line\n".repeat(400_000));
  const { tree } = await writeSnapshot(git, repository.path);
  const range = { from: await readHead(git, repository.path), to: tree };
  const diff = await readDiff(git, repository.path, range, () => true);
  expect(diff.isCut).toBe(true);
  expect(Buffer.byteLength(diff.text)).toBeLessThanOrEqual(1024 * 1024);
});

test("too many unknown files are left out and counted; those that git knows are not", async () => {
  repository.write("README.md", "# Changed\n");
  for (let at = 0; at < 2_001; at++) writeIn(repository.path, `many/${at}`, "");
  const { tree, leftOut } = await writeSnapshot(git, repository.path);
  expect(leftOut).toBe(2_001);
  const changes = await readChanges(git, repository.path, "HEAD", tree);
  expect(changes.map(({ path }) => path)).toEqual(["README.md"]);
});

test("a repository without a commit has its files as new ones; a nested repository is left alone", async () => {
  const path = join(root, "empty");
  gitIn(root, "init", "--quiet", path);
  writeIn(path, "one.txt", "one\n");
  new Repository(join(path, "nested"));
  expect(await readHead(git, path)).toBe(EMPTY_TREE);
  const { tree } = await writeSnapshot(git, path);
  const changes = await readChanges(git, path, EMPTY_TREE, tree);
  expect(changes.map(({ path }) => path)).toEqual(["one.txt"]);
});

test("outside of a checkout there is nothing to read", async () => {
  expect(await rejection(writeSnapshot(git, root))).toMatchObject({
    code: "git",
    message: "there is no git checkout",
  });
});

test("what git prints is read in any order; what is no entry is ignored", () => {
  const raw = ":100644 100644 aaa bbb M\0a.txt\0:000000 100644 000 bbb A\0b.bin\0";
  expect(parseChanges(`${raw}3\t1\ta.txt\0-\t-\tb.bin\0garbage\0`)).toEqual([
    { path: "a.txt", kind: "changed", lines: { added: 3, removed: 1 } },
    { path: "b.bin", kind: "added" },
  ]);
  expect(parseChanges("")).toEqual([]);
  expect(formatChangeSummary([])).toBe("");
  expect(formatChangeSummary([{ path: "b.bin", kind: "added" }])).toBe("1 file changed +0 \u22120");
});
