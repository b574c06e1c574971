import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { KeyedLocks } from "./keyed-locks.ts";
import type { RouterConfig } from "./router.ts";
import type { Workspace, WorkspaceHolder, WorkspaceTurn } from "./workspace.ts";

type OnBusy = (holder: WorkspaceHolder | undefined) => void;

/** Where conversations work, and who may work where at the moment. */
export class Workspaces {
  readonly #config: Pick<RouterConfig, "workspaceFor" | "lockWorkspace" | "stateDir">;
  readonly #locks = new KeyedLocks();
  /** By `exclusive` value: whose turn of this process works there, or waits for another process to leave. */
  readonly #holders = new Map<string, WorkspaceHolder>();
  /** Turns of this process that wait for one of its own. */
  readonly #waiting = new Map<string, Set<OnBusy>>();

  constructor(config: Pick<RouterConfig, "workspaceFor" | "lockWorkspace" | "stateDir">) {
    this.#config = config;
  }

  async workspaceOf(conversation: string, turn?: WorkspaceTurn): Promise<Workspace> {
    return (await this.#config.workspaceFor?.(conversation, turn)) ?? this.#defaultOf(conversation);
  }

  /**
   * First come, first served among this process's turns; the first of them then waits for other processes.
   *
   * @param onBusy - Told when it has to wait, and whenever somebody else works there.
   */
  async lock(
    exclusive: string,
    signal: AbortSignal,
    holder: WorkspaceHolder,
    onBusy: OnBusy,
  ): Promise<() => void> {
    const leave = await this.#queue(exclusive, signal, onBusy);
    this.#holders.set(exclusive, holder);
    for (const tell of this.#waiting.get(exclusive) ?? []) tell(holder);
    const end = () => {
      this.#holders.delete(exclusive);
      leave();
    };
    try {
      const unlock = await this.#config.lockWorkspace?.(exclusive, signal, holder, onBusy);
      return () => {
        unlock?.();
        end();
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  async #queue(exclusive: string, signal: AbortSignal, onBusy: OnBusy): Promise<() => void> {
    const busy = this.#holders.get(exclusive);
    if (busy) onBusy(busy);
    const waiting = this.#waiting.get(exclusive) ?? new Set();
    this.#waiting.set(exclusive, waiting.add(onBusy));
    try {
      return await this.#locks.acquire(exclusive, signal);
    } finally {
      waiting.delete(onBusy);
      if (waiting.size === 0) this.#waiting.delete(exclusive);
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
