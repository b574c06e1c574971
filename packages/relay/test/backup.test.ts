import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@acp-kit/router/sqlite";
import { beforeEach, expect, test } from "vitest";
import { backup, restore } from "../src/cli/commands/backup.ts";
import { relayRoot } from "./relay-run.ts";

let stateDir: string;
let file: string;

beforeEach(async () => {
  const root = relayRoot();
  stateDir = join(root, "state");
  file = join(root, "backup.db");
  for (const directory of ["files/a", "files/b", "convs/a", "convs/b"]) {
    mkdirSync(join(stateDir, directory), { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(stateDir, "files/a/picture.png"), "12345");
  writeFileSync(join(stateDir, "files/b/text.txt"), "12");
  const store = await openSqliteStore({ directory: stateDir });
  await store[Symbol.asyncDispose]();
});

test("a backup says what is not in it", async () => {
  expect(await backup(stateDir, file)).toContain("Not in it are 2 files and 2 scratch\nworkspaces");
});

test("a restore says that everything beside the store is there when it is", async () => {
  await backup(stateDir, file);
  expect(await restore(stateDir, file)).toContain("All files and scratch workspaces");
});

test("a restore names the files and workspaces that it does not bring back", async () => {
  await backup(stateDir, file);
  rmSync(join(stateDir, "files/a"), { recursive: true });
  rmSync(join(stateDir, "convs/b"), { recursive: true });
  writeFileSync(join(stateDir, "files/b/text.txt"), "longer");
  const told = await restore(stateDir, file);
  const names = told.match(/^ {2}\S+$/gm)?.map((line) => line.trim());
  expect(told).toContain("3 files and scratch workspaces that it knows are not there");
  expect(names).toEqual(["convs/b", "files/a/picture.png", "files/b/text.txt"]);
});

test("a restore of many missing files names ten and counts the others", async () => {
  for (let n = 0; n < 12; n++) writeFileSync(join(stateDir, `files/b/${n}`), "");
  await backup(stateDir, file);
  rmSync(join(stateDir, "files"), { recursive: true });
  const told = await restore(stateDir, file);
  expect(told.match(/^ {2}files/gm)).toHaveLength(10);
  expect(told).toContain("  and 4 more");
});

test("a copy that knows nothing of files is restored without a word about them", async () => {
  const store = await openSqliteStore({ directory: stateDir });
  await store.backup(file);
  await store[Symbol.asyncDispose]();
  expect(await restore(stateDir, file)).toContain("Files and scratch workspaces are as they were.");
});
