import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { erase } from "../../src/cli/commands/erase.ts";
import { listWorktrees } from "../../src/cli/commands/worktrees.ts";
import { parseArgv } from "../../src/cli/parse-argv.ts";
import { gitIn, Repository, writeIn } from "../git/repository.ts";
import { DEADLINE_MS, temporaryDirectory } from "../support.ts";
import { testApp } from "../test-app.ts";
import { conversationOf, PlaceRig } from "./place-rig.ts";

vi.setConfig({ testTimeout: 2 * DEADLINE_MS });

test("worktrees are listed with what is in them, and an erased conversation's stay until their work is elsewhere, which is said", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "home"));
  const stateDir = join(root, "state");
  const repository = new Repository(join(root, "repo"));
  const config = {
    workspaces: { shop: { isolation: "worktree", path: repository.path, base: "main" } },
    workspace: "shop",
    access: [{ users: ["ana"], role: "operator" }],
  };
  const open = () => PlaceRig.open(root, config);
  let cwd: string;
  let clean: string;
  {
    await using rig = await open();
    expect(await listWorktrees(stateDir)).toBe("There are no worktrees.\n");
    ({ cwd } = (await rig.ask("c-1", "ana")).place);
    clean = (await rig.ask("c-2", "ana")).place.cwd;
    writeIn(cwd, "work.txt", "work");
    expect(await listWorktrees(stateDir)).toMatch(/not looked at yet +acp\/[0-9a-f]{8} +shop +\//);
    // Just behind a turn its worktree is still in use: what has changed there is noted.
    await vi.waitFor(async () => {
      await rig.places.sweep();
      const lines = (await listWorktrees(stateDir)).trimEnd().split("\n");
      expect(lines).toHaveLength(3);
      expect(lines.find((line) => line.endsWith(cwd))).toContain("has changes");
      expect(lines.find((line) => line.endsWith(clean))).toContain("clean");
    }, DEADLINE_MS);
  }
  for (const id of ["c-1", "c-2"]) {
    const conversation = conversationOf(id);
    const branch = gitIn(id === "c-1" ? cwd : clean, "symbolic-ref", "--short", "HEAD");
    for (const dryRun of [true, false]) {
      const told = await erase(stateDir, { conversation }, dryRun);
      expect(told).toContain("These worktrees stay until their work is merged or pushed");
      expect(told).toContain(`(${branch})`);
    }
  }
  expect(existsSync(join(cwd, "work.txt"))).toBe(true);
  await using rig = await open();
  await rig.places.sweep();
  expect(existsSync(clean)).toBe(false);
  expect(existsSync(join(cwd, "work.txt"))).toBe(true);
  // Whoever comes back under the same name gets another one.
  expect((await rig.ask("c-1", "ana")).place.cwd).not.toBe(cwd);
  gitIn(cwd, "add", "--all");
  gitIn(cwd, "commit", "--quiet", "--message", "work");
  repository.git("merge", "--quiet", gitIn(cwd, "symbolic-ref", "--short", "HEAD"));
  await rig.places.sweep();
  expect(existsSync(cwd)).toBe(false);
});

test("the command for it names its relay as others do", () => {
  expect(parseArgv(testApp, ["worktrees", "--instance", "two"])).toEqual({
    kind: "worktrees",
    place: { instance: "two" },
  });
});
