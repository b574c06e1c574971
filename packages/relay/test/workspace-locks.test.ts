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
const ana = { user: "ana", since: 1_764_500_600_000 };
const ignore = () => {};

test("a workspace that another process holds is had when that process has died, not before; who holds it is told", async () => {
  const child = await holder();
  let isHad = false;
  const told: unknown[] = [];
  const { lock, lockIdle } = createWorkspaceLocks(stateDir);
  const waiting = lock(WORKSPACE, never, ana, (busy) => told.push(busy)).then((release) => {
    isHad = true;
    return release;
  });
  // Another one is free meanwhile.
  (await within(lock("/srv/other", never, ana, (busy) => told.push(busy))))();
  expect(await lockIdle(WORKSPACE)).toBeUndefined();
  expect(isHad).toBe(false);
  child.kill("SIGKILL");
  (await within(waiting))();
  expect(told).toEqual([{ user: "bob", since: 1_764_500_000_000 }]);
});

test("who no longer wants it stops waiting", async () => {
  await holder();
  const gaveUp = new AbortController();
  const { lock } = createWorkspaceLocks(stateDir);
  const waiting = rejection(lock(WORKSPACE, gaveUp.signal, ana, ignore));
  gaveUp.abort();
  expect(await within(waiting)).toMatchObject({ name: "AbortError" });
});

test("one that this process holds is not idle, and a turn waits for whoever took it idle", async () => {
  const { lock, lockIdle } = createWorkspaceLocks(stateDir);
  const leave = await within(lock(WORKSPACE, never, ana, ignore));
  expect(await lockIdle(WORKSPACE)).toBeUndefined();
  leave();
  const release = await lockIdle(WORKSPACE);
  expect(release).toBeDefined();
  const waiting = lock(WORKSPACE, never, ana, ignore);
  release?.();
  (await within(waiting))();
});

test("released, it is free again; its files lie in the state directory, for this user only", async () => {
  const { lock } = createWorkspaceLocks(stateDir);
  for (let times = 0; times < 3; times++) (await within(lock(WORKSPACE, never, ana, ignore)))();
  const leave = await within(lock(WORKSPACE, never, ana, ignore));
  const files = readdirSync(join(stateDir, "locks")).sort();
  expect(files).toEqual([
    expect.stringMatching(/^[\w-]+\.lock$/),
    expect.stringMatching(/^[\w-]+\.lock\.holder$/),
  ]);
  expect(statSync(join(stateDir, "locks")).mode & 0o777).toBe(0o700);
  for (const file of files) {
    expect(statSync(join(stateDir, "locks", file)).mode & 0o777).toBe(0o600);
  }
  leave();
  expect(readdirSync(join(stateDir, "locks"))).toHaveLength(1);
});
