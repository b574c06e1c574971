import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RouterConfig } from "@acp-kit/router";
import { lockFile } from "./file-lock.ts";
import { safeDirectoryName } from "./workspaces.ts";

/** How often a workspace that another process works in is looked at, in milliseconds. */
const LOOK_MS = 50;

/**
 * Keeps the processes of one relay out of each other's workspaces: while one hands over to another, both run turns.
 *
 * @param stateDir - Where the lock files are.
 */
export function createWorkspaceLocks(stateDir: string): NonNullable<RouterConfig["lockWorkspace"]> {
  const directory = join(stateDir, "locks");
  return async (exclusive, signal) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, `${safeDirectoryName(exclusive)}.lock`);
    for (;;) {
      const lock = await lockFile(file);
      if (lock) return () => lock.release();
      await setTimeout(LOOK_MS, undefined, { signal });
    }
  };
}
