import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { KeyedLocks } from "./keyed-locks.ts";
import type { RouterConfig, Workspace } from "./router.ts";

/** Where conversations work, and who may work where at the moment. */
export class Workspaces {
  readonly #config: Pick<RouterConfig, "workspaceFor" | "lockWorkspace" | "stateDir">;
  readonly #locks = new KeyedLocks();

  constructor(config: Pick<RouterConfig, "workspaceFor" | "lockWorkspace" | "stateDir">) {
    this.#config = config;
  }

  async workspaceOf(conversation: string): Promise<Workspace> {
    return (await this.#config.workspaceFor?.(conversation)) ?? this.#defaultOf(conversation);
  }

  /** First come, first served among this process's turns; the first of them then waits for other processes. */
  async lock(exclusive: string, signal: AbortSignal): Promise<() => void> {
    const leave = await this.#locks.acquire(exclusive, signal);
    try {
      const unlock = await this.#config.lockWorkspace?.(exclusive, signal);
      return () => {
        unlock?.();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #defaultOf(conversation: string): Promise<Workspace> {
    const { stateDir } = this.#config;
    const name = safeName(conversation);
    const cwd = path.join(stateDir, "convs", name);
    const filesDir = path.join(filesRoot(stateDir), name);
    for (const directory of [cwd, filesDir])
      await mkdir(directory, { recursive: true, mode: 0o700 });
    return { cwd, roots: [filesDir], filesDir };
  }
}

/** Where the files of all conversations are kept, a directory for each. */
export function filesRoot(stateDir: string): string {
  return path.join(stateDir, "files");
}

/** A directory name for any id: ids come from outside and may hold anything. */
function safeName(id: string): string {
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 16);
  const words = id.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return `${words}-${digest}`;
}
