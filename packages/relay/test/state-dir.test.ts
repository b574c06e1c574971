import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTemporaryStateDir, defaultStateDir, openStateDir } from "../src/state-dir.ts";
import { rejection, temporaryDirectory, within } from "./support.ts";

const mode = (path: string) => statSync(path).mode & 0o777;

test("C3: a new state directory has mode 0700 and its files 0600, whatever the mask", async () => {
  const path = join(temporaryDirectory(), "a", "b");
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const dir = await openStateDir(path);
  expect(mode(path)).toBe(0o700);
  expect(mode(join(path, "lock"))).toBe(0o600);
  await dir[Symbol.asyncDispose]();
});

test("C3: a directory of ours that others can read is closed to them", async () => {
  const path = temporaryDirectory();
  chmodSync(path, 0o755);
  await (await openStateDir(path))[Symbol.asyncDispose]();
  expect(mode(path)).toBe(0o700);
});

test.each([0o770, 0o702, 0o777])("C3: a directory with mode %o is refused", async (bits) => {
  const path = temporaryDirectory();
  chmodSync(path, bits);
  expect(await rejection(openStateDir(path))).toMatchObject({
    code: "state_dir",
    message: expect.stringMatching(/can be written by other users; choose .*--state-dir/),
  });
  expect(mode(path)).toBe(bits);
});

test("C3: a directory of another user is refused", async () => {
  const isRoot = process.getuid?.() === 0;
  const path = isRoot ? temporaryDirectory() : "/usr";
  if (isRoot) chownSync(path, 65_534, 65_534);
  expect(await rejection(openStateDir(path))).toMatchObject({
    code: "state_dir",
    message: expect.stringMatching(/belongs to another user \(uid \d+\)/),
  });
});

test("a file in the place of the directory is refused in one line", async () => {
  const path = join(temporaryDirectory(), "file");
  writeFileSync(path, "");
  const error = await rejection(openStateDir(path));
  expect(error).toMatchObject({ code: "state_dir" });
  expect(String(error)).not.toContain("\n");
});

test("the path that is given out is free of symbolic links", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "real"), { mode: 0o700 });
  symlinkSync(join(root, "real"), join(root, "link"));
  const dir = await openStateDir(join(root, "link"));
  expect(dir.path).toBe(join(root, "real"));
  await dir[Symbol.asyncDispose]();
});

test("a directory has one user at a time, and is free again when that one is done", async () => {
  const path = temporaryDirectory();
  const first = await openStateDir(path);
  expect(await rejection(openStateDir(path))).toMatchObject({
    code: "state_dir_in_use",
    message: expect.stringMatching(/--instance NAME/),
  });
  await first[Symbol.asyncDispose]();
  const second = await openStateDir(path);
  await second[Symbol.asyncDispose]();
});

test("a process that is killed leaves the directory free", async () => {
  const path = temporaryDirectory();
  const child = spawn(
    process.execPath,
    ["--conditions=@acp-kit/source", join(import.meta.dirname, "fixtures/hold-state-dir.ts"), path],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await within(once(child.stdout, "data"));
  expect(await rejection(openStateDir(path))).toMatchObject({ code: "state_dir_in_use" });
  child.kill("SIGKILL");
  await within(once(child, "exit"));
  const dir = await openStateDir(path);
  await dir[Symbol.asyncDispose]();
});

test("a temporary directory is private and is removed with everything in it", async () => {
  const root = temporaryDirectory();
  const dir = await createTemporaryStateDir("poe-relay", { TMPDIR: root });
  expect(dir.path.startsWith(join(root, "poe-relay-"))).toBe(true);
  expect(mode(dir.path)).toBe(0o700);
  mkdirSync(join(dir.path, "convs/x"), { recursive: true });
  writeFileSync(join(dir.path, "convs/x/y"), "z");
  await dir[Symbol.asyncDispose]();
  expect(existsSync(dir.path)).toBe(false);
});

test.each([
  [{ XDG_STATE_HOME: "/x", HOME: "/h" }, "/x/acp-kit/poe-relay/default"],
  [{ HOME: "/h" }, "/h/.local/state/acp-kit/poe-relay/default"],
  [{ XDG_STATE_HOME: "relative", HOME: "/h" }, "/h/.local/state/acp-kit/poe-relay/default"],
])("%j keeps state in %s", (env, path) => {
  expect(defaultStateDir("poe-relay", "default", env)).toBe(path);
});
