import { rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RouterConfig, WorkspaceHolder } from "@acp-kit/router";
import { createLocks } from "./locks.ts";
import { safeDirectoryName } from "./workspaces.ts";

/** How often a workspace that another process works in is looked at, in milliseconds. */
const LOOK_MS = 50;

/** Who works in which workspace, among all processes of a relay: while one hands over to another, both run turns. */
export type WorkspaceLocks = {
  /** Waits until nobody works there. Gives what ends the stay. */
  readonly lock: NonNullable<RouterConfig["lockWorkspace"]>;
  /** The same for one that must not wait; `undefined` when somebody works there. */
  lockIdle(exclusive: string): Promise<(() => void) | undefined>;
};

/** @param stateDir - Where the lock files are, and beside each who works there. */
export function createWorkspaceLocks(stateDir: string): WorkspaceLocks {
  const directory = join(stateDir, "locks");
  const takeLock = createLocks(directory);
  const take = async (file: string): Promise<(() => void) | undefined> => {
    const lock = await takeLock(basename(file));
    return (
      lock &&
      (() => {
        // Before the lock goes: later it would be of the next one.
        rmSync(`${file}.holder`, { force: true });
        lock.release();
      })
    );
  };
  return {
    async lock(exclusive, signal, holder, onBusy) {
      const file = lockFileOf(directory, exclusive);
      for (let isFirst = true; ; isFirst = false) {
        const release = await take(file);
        if (release) {
          await writeHolder(`${file}.holder`, holder);
          return release;
        }
        if (isFirst) onBusy(await readHolder(`${file}.holder`));
        await setTimeout(LOOK_MS, undefined, { signal });
      }
    },
    lockIdle: (exclusive) => take(lockFileOf(directory, exclusive)),
  };
}

function lockFileOf(directory: string, exclusive: string): string {
  return join(directory, `${safeDirectoryName(exclusive)}.lock`);
}

/** Without it nobody can be told who is there, and that is all. */
async function writeHolder(file: string, { user, since }: WorkspaceHolder): Promise<void> {
  await writeFile(file, JSON.stringify({ user, since }), { mode: 0o600 }).catch(() => undefined);
}

/** It may be of a process that has left since, or half written. */
async function readHolder(file: string): Promise<WorkspaceHolder | undefined> {
  try {
    const { user, since } = JSON.parse(await readFile(file, "utf8")) as Partial<WorkspaceHolder>;
    return typeof user === "string" && typeof since === "number" ? { user, since } : undefined;
  } catch {
    return undefined;
  }
}
