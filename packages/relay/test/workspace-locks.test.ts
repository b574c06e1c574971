import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createWorkspaceLocks } from "../src/workspace-locks.ts";
import { DEADLINE_MS, rejection, temporaryDirectory, within } from "./support.ts";

vi.setConfig({ testTimeout: 2 * DEADLINE_MS });

const WORKSPACE = "/srv/../shop ' %2F";

let stateDir: string;

beforeEach(() => {
  stateDir = temporaryDirectory();
});

/** A process that holds the workspace. */
async function holder(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "fixtures/hold-workspace.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=@acp-kit/source", program, stateDir, WORKSPACE],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await within(once(child.stdout as NodeJS.ReadableStream, "data"));
  return child;
}

const never = new AbortController().signal;

test("a workspace that another process holds is had when that process has died, not before", async () => {
  const child = await holder();
  let isHad = false;
  const waiting = createWorkspaceLocks(stateDir)(WORKSPACE, never).then((release) => {
    isHad = true;
    return release;
  });
  // Another one is free meanwhile.
  (await within(createWorkspaceLocks(stateDir)("/srv/other", never)))();
  expect(isHad).toBe(false);
  child.kill("SIGKILL");
  (await within(waiting))();
});

test("who no longer wants it stops waiting", async () => {
  await holder();
  const gaveUp = new AbortController();
  const waiting = rejection(createWorkspaceLocks(stateDir)(WORKSPACE, gaveUp.signal));
  gaveUp.abort();
  expect(await within(waiting)).toMatchObject({ name: "AbortError" });
});

test("released, it is free again; its lock file lies in the state directory, for this user only", async () => {
  const lock = createWorkspaceLocks(stateDir);
  for (let times = 0; times < 3; times++) (await within(lock(WORKSPACE, never)))();
  const [file = "", ...others] = readdirSync(join(stateDir, "locks"));
  expect(others).toEqual([]);
  expect(file).toMatch(/^[\w.-]+\.lock$/);
  expect(statSync(join(stateDir, "locks")).mode & 0o777).toBe(0o700);
  expect(statSync(join(stateDir, "locks", file)).mode & 0o777).toBe(0o600);
});
