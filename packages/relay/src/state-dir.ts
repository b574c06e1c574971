import { chmod, mkdir, mkdtemp, open, realpath, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Env } from "./config/secret.ts";
import { RelayError } from "./errors.ts";

/** A directory that only this user may enter and only this process uses, until it is disposed. */
export type StateDir = AsyncDisposable & {
  /** Absolute, without symbolic links. */
  readonly path: string;
};

/** `$XDG_STATE_HOME/acp-kit/<app>/<instance>`, by default under `~/.local/state`. */
export function defaultStateDir(app: string, instance: string, env: Env): string {
  const base = env["XDG_STATE_HOME"];
  const root = base?.startsWith("/") ? base : join(env["HOME"] || homedir(), ".local", "state");
  return join(root, "acp-kit", app, instance);
}

/**
 * Creates the directory if needed (mode 0700) and locks it.
 *
 * @throws RelayError `state_dir` when it is no directory, belongs to another user or others may write to it;
 * `state_dir_in_use` when another process holds the lock.
 */
export async function openStateDir(path: string): Promise<StateDir> {
  const real = await securedDirectory(path);
  const lock = await lockDirectory(real);
  return {
    path: real,
    async [Symbol.asyncDispose]() {
      lock.close();
    },
  };
}

/** An empty state directory under the system's temporary one; removed with everything in it when disposed. */
export async function createTemporaryStateDir(app: string, env: Env): Promise<StateDir> {
  const path = await realpath(await mkdtemp(join(env["TMPDIR"] || tmpdir(), `${app}-`)));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function securedDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const real = await realpath(path);
    const { mode, uid } = await stat(real);
    if (process.getuid && uid !== process.getuid()) {
      throw refused(path, `belongs to another user (uid ${uid})`);
    }
    if ((mode & 0o022) !== 0) throw refused(path, "can be written by other users");
    await chmod(real, 0o700);
    return real;
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unusable";
    throw new RelayError(
      `cannot use the state directory ${path} (${code}); choose another with --state-dir`,
      { code: "state_dir", cause: error },
    );
  }
}

function refused(path: string, why: string): RelayError {
  return new RelayError(
    `the state directory ${path} ${why}; choose another with --state-dir, or make it yours alone (chown, chmod 700)`,
    { code: "state_dir" },
  );
}

/** SQLite's lock is the system's: it ends with the process, however that ends, and never has to be judged stale. */
async function lockDirectory(path: string): Promise<DatabaseSync> {
  const file = join(path, "lock");
  await (await open(file, "a", 0o600)).close();
  // Loaded late: Node.js 22 warns when this module is loaded, and the command line redirects warnings first.
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(file);
  try {
    lock.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    // SQLITE_BUSY, https://www.sqlite.org/rescode.html#busy
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new RelayError(
      `another process uses the state directory ${path}; stop it, or start this one with --instance NAME or --state-dir DIR`,
      { code: "state_dir_in_use", cause: error },
    );
  }
}
