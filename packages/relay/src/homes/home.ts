import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { RelayError } from "../errors.ts";

/** The directory that an agent has as HOME when it serves this person: the same for every bot. Pure. */
export function homeOf(stateDir: string, agent: string, user: string): string {
  return join(stateDir, "homes", agent, nameOf(user));
}

/** The homes that a person has, one for each agent. */
export async function homesOf(stateDir: string, user: string): Promise<readonly string[]> {
  const root = join(stateDir, "homes");
  const homes: string[] = [];
  for (const agent of await readdir(root).catch(() => [])) {
    const home = homeOf(stateDir, agent, user);
    if (existsSync(home)) homes.push(home);
  }
  return homes;
}

/**
 * Makes a home if there is none (mode 0700).
 *
 * @param home - Below a state directory that is a real path.
 * @throws RelayError `home` when it is no directory, leads elsewhere or belongs to another user.
 */
export async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    if ((await realpath(home)) !== home) throw refused(home, "leads elsewhere");
    const { uid } = await stat(home);
    if (process.getuid && uid !== process.getuid()) {
      throw refused(home, `belongs to another user (uid ${uid})`);
    }
    await chmod(home, 0o700);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const { code = "unusable" } = error as NodeJS.ErrnoException;
    throw refused(home, `cannot be used (${code})`, error);
  }
}

function refused(home: string, why: string, cause?: unknown): RelayError {
  return new RelayError(`the home ${home} ${why}; move it away, and a new one is made`, {
    code: "home",
    cause,
    chatText: "Your home for this agent cannot be used.",
  });
}

function nameOf(user: string): string {
  return createHash("sha256").update(user).digest("hex").slice(0, 40);
}
