import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { AgentIdentity } from "../../src/agent-identity.ts";
import { readChanges } from "../../src/git/changes.ts";
import { createGit } from "../../src/git/git.ts";
import { writeSnapshot } from "../../src/git/snapshot.ts";
import { createLog } from "../../src/log.ts";
import { Redactor } from "../../src/redactor.ts";
import { openRelayDb } from "../../src/relay-db.ts";
import { PLACE_TABLES, PlaceBook } from "../../src/workspaces/place-book.ts";
import { Worktrees } from "../../src/workspaces/worktrees.ts";
import { temporaryDirectory } from "../support.ts";
import { Repository, writeIn } from "./repository.ts";

const NOBODY = 65_534;

let root: string;
let repository: Repository;

beforeEach(() => {
  root = temporaryDirectory();
  repository = new Repository(join(root, "repo"));
  mkdirSync(join(root, "worktrees"));
});

/** Makes a worktree as an agent, lets its setup note who that is, changes a file, and reads the change. */
async function work(identity: AgentIdentity) {
  const state = join(root, "state");
  mkdirSync(state, { mode: 0o700 });
  const db = await openRelayDb(state, [PLACE_TABLES]);
  onTestFinished(() => db[Symbol.asyncDispose]());
  const path = process.env["PATH"];
  const log = createLog({ level: "silent", write: () => {}, redactor: new Redactor() });
  const worktrees = new Worktrees({
    ...{ book: new PlaceBook(db), path, log, now: Date.now },
    directory: join(state, "worktrees"),
  });
  const { cwd, notices } = await worktrees.worktreeFor({
    ...{ name: "shop", repository: repository.path, conversation: "c", preparing() {} },
    config: {
      ...{ isolation: "worktree", path: repository.path, base: "main", permissions: "ask" },
      ...{ keepDays: 14, setup: ["sh", "-c", "id -u > uid.txt"] },
      directory: join(root, "worktrees"),
    },
    surroundings: { identity, env: { PATH: path ?? "" } },
    signal: new AbortController().signal,
  });
  expect(notices).toHaveLength(1);
  const git = createGit({ identity, path });
  const { tree } = await writeSnapshot(git, cwd);
  const changes = await readChanges(git, cwd, "HEAD", tree);
  expect(changes.map((change) => change.path)).toEqual(["uid.txt"]);
  return cwd;
}

test("C26: git and setups run in the agent's wrapper, with the paths that the agent sees", async () => {
  symlinkSync(root, join(root, "inside"));
  writeIn(root, "wrap.sh", `echo "$*" >> '${join(root, "calls")}'\nexec "$@"\n`);
  const cwd = await work({
    wrapper: ["sh", join(root, "wrap.sh")],
    pathMap: [
      { host: join(root, "repo"), agent: join(root, "inside/repo") },
      { host: join(root, "worktrees"), agent: join(root, "inside/worktrees") },
    ],
  });
  const calls = readFileSync(join(root, "calls"), "utf8").trimEnd().split("\n");
  const ofGit = calls.filter((call) => call.includes(" git -C "));
  expect(ofGit.length).toBeGreaterThan(5);
  for (const call of ofGit) {
    // By arguments, because a wrapper need not pass an environment on.
    expect(call).toMatch(/^\/usr\/bin\/env -i .* GIT_CONFIG_COUNT=\d/);
    expect(call).toContain(` git -C ${join(root, "inside")}/`);
    expect(call).toContain(` --git-dir=${join(root, "inside")}/`);
  }
  expect(cwd.startsWith(join(root, "worktrees/shop"))).toBe(true);
});

describe("C26, C1: under a second uid", () => {
  // Only root can start a process under another uid, so elsewhere nothing of this can be shown.
  if (process.getuid?.() !== 0) {
    test("it is NOT SHOWN here, because this is not root", () => {
      expect(process.getuid?.()).not.toBe(0);
    });
    return;
  }

  test("git and setups run as that user, and what they make is that user's", async () => {
    chmodSync(root, 0o755);
    for (const path of allIn(join(root, "repo"))) chownSync(path, NOBODY, NOBODY);
    chownSync(join(root, "worktrees"), NOBODY, NOBODY);
    writeFileSync(join(root, "repo/.git/hooks/post-checkout"), "#!/bin/sh\nexit 1\n");
    chmodSync(join(root, "repo/.git/hooks/post-checkout"), 0o755);
    const cwd = await work({ runAs: { uid: NOBODY, gid: NOBODY } });
    expect(readFileSync(join(cwd, "uid.txt"), "utf8")).toBe(`${NOBODY}\n`);
    for (const path of [cwd, join(cwd, "README.md")]) expect(statSync(path).uid).toBe(NOBODY);
    const objects = join(root, "repo/.git/objects");
    expect(allIn(objects).filter((path) => statSync(path).uid !== NOBODY)).toEqual([]);
  });
});

function allIn(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return [directory, ...names.map((name) => join(directory, name))];
}
