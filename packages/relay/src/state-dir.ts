import { chmod, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "./config/secret.ts";
import { RelayError } from "./errors.ts";
import { type FileLock, lockFile } from "./file-lock.ts";

/** A directory that only this user may enter and only this relay uses, until it is disposed. */
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

/** The state directory that a relay is told to have: by flag or configuration, else the default one. */
export function stateDirOf(
  app: string,
  { stateDir, instance }: { readonly stateDir: string | undefined; readonly instance: string },
  env: Env,
): string {
  return stateDir ?? defaultStateDir(app, instance, env);
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
      lock.release();
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

async function lockDirectory(path: string): Promise<FileLock> {
  const lock = await lockFile(join(path, "lock"));
  if (lock) return lock;
  throw new RelayError(
    `another process uses the state directory ${path}; stop it, or start this one with --instance NAME or --state-dir DIR`,
    { code: "state_dir_in_use" },
  );
}
