import { createHash } from "node:crypto";
import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Workspace } from "@acp-kit/router";
import type { WorkspaceConfig } from "./config/schema.ts";
import { RelayError } from "./errors.ts";
import { findCheckout } from "./git/git.ts";
import { unusable } from "./workspaces/unusable.ts";
import type { WorktreeRequest, Worktrees } from "./workspaces/worktrees.ts";

export type WorkspacesOptions = {
  /** By name. */
  readonly workspaces: Readonly<Record<string, WorkspaceConfig>>;
  /** Real path of the state directory. */
  readonly stateDir: string;
  /** What else no workspace may contain: the configuration file, for example. */
  readonly guarded?: readonly string[];
  /** Home directory of this process's user. */
  readonly home: string;
  /** Needed where a workspace gives each conversation a worktree. */
  readonly worktrees?: Worktrees | undefined;
};

/** Who works, and whom to tell; needed for worktrees. */
export type WorkspaceContext = Pick<WorktreeRequest, "surroundings" | "preparing" | "signal">;

export interface Workspaces {
  /**
   * Where a conversation works. Directories of the relay's own are created; an existing one is looked at anew each time.
   *
   * @param name - The workspace's name in the configuration; never a path.
   * @throws RelayError `workspace` when the directory is gone, was replaced, or may not be used.
   */
  workspaceFor(name: string, conversation: string, context?: WorkspaceContext): Promise<Workspace>;
}

/**
 * Checks every shared directory, then gives out workspaces.
 *
 * @throws RelayError `workspace`, like `workspaceFor`.
 */
export async function createWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { workspaces, stateDir, worktrees } = options;
  const check = async (name: string, workspace: ExistingPlace) => {
    const real = await checkShared(name, workspace.path, options);
    if (workspace.isolation === "worktree") await checkRepository(name, workspace, real, options);
    return real;
  };
  /** Real paths as they were at start, by name: a link that is turned elsewhere later is noticed. */
  const realPaths = new Map<string, string>();
  for (const [name, workspace] of Object.entries(workspaces)) {
    if (workspace.isolation !== "scratch") realPaths.set(name, await check(name, workspace));
  }
  return {
    async workspaceFor(name, conversation, context) {
      const workspace = Object.hasOwn(workspaces, name) ? workspaces[name] : undefined;
      if (!workspace) throw unusable(name, "is not in the configuration");
      const id = safeDirectoryName(conversation);
      const filesDir = await ownDirectory(name, join(stateDir, "files", id));
      if (workspace.isolation === "scratch") {
        const cwd = await ownDirectory(name, join(stateDir, "convs", id));
        return { cwd, roots: [filesDir], filesDir };
      }
      const cwd = await check(name, workspace);
      if (cwd !== realPaths.get(name)) {
        throw unusable(name, "now leads to another directory; restart the relay if that is meant");
      }
      if (workspace.isolation === "worktree") {
        if (!worktrees) throw unusable(name, "needs worktrees, which are not kept here");
        if (!context) {
          const path = worktrees.findPath(name, conversation) ?? filesDir;
          return { cwd: path, roots: [filesDir], filesDir };
        }
        const request = { name, config: workspace, repository: cwd, conversation, ...context };
        return { ...(await worktrees.worktreeFor(request)), roots: [filesDir], filesDir };
      }
      return { cwd, roots: [filesDir], filesDir, exclusive: cwd };
    },
  };
}

/** A directory name for a conversation: nothing that a platform or a person chose stands in it. 32 hex digits. */
export function safeDirectoryName(conversation: string): string {
  return createHash("sha256").update(conversation).digest("hex").slice(0, 32);
}

/** An agent can put a link in the place of a directory that it works in; what follows would leave the state directory. */
async function ownDirectory(name: string, path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if ((await realpath(path)) === path) return path;
  } catch (error) {
    throw unusable(name, "has a directory that cannot be made", error);
  }
  throw unusable(name, "has a directory that was replaced by a link; remove the link");
}

async function checkShared(
  name: string,
  path: string,
  { stateDir, guarded = [], home }: WorkspacesOptions,
): Promise<string> {
  let real: string;
  try {
    real = await realpath(path);
    if (!(await stat(real)).isDirectory()) throw unusable(name, "is no directory");
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw unusable(name, `is not there (${code}); create it or correct its path`, error);
  }
  if (real === dirname(real)) throw unusable(name, "is the root of the file system");
  if (contains(real, home) || homeParents.has(dirname(real)) || real === "/root") {
    throw unusable(name, "is or contains a home directory; choose a project's own directory");
  }
  for (const own of [stateDir, ...guarded]) {
    if (contains(real, own))
      throw unusable(name, "contains the relay's own files (state, configuration)");
  }
  if (contains(stateDir, real)) throw unusable(name, "is inside the state directory");
  return real;
}

type ExistingPlace = Exclude<WorkspaceConfig, { isolation: "scratch" }>;

/** @param real - Real path of the checkout that worktrees are made from. */
async function checkRepository(
  name: string,
  { directory }: Extract<WorkspaceConfig, { isolation: "worktree" }>,
  real: string,
  { stateDir, guarded = [] }: WorkspacesOptions,
): Promise<void> {
  if ((await findCheckout(real)) !== real) throw unusable(name, "is no git checkout");
  if (directory === undefined) return;
  const parent = await realpath(directory).catch((error: unknown) => {
    throw unusable(name, "has a directory for worktrees that is not there", error);
  });
  const isTaken = [stateDir, ...guarded].some((own) => contains(parent, own));
  if (isTaken || contains(stateDir, parent) || contains(real, parent)) {
    throw unusable(
      name,
      "has a directory for worktrees in the checkout or among the relay's files",
    );
  }
}

/** Directories whose entries are people's homes. */
const homeParents: ReadonlySet<string> = new Set(["/home", "/Users"]);

/** True when `inner` is `outer` or lies in it. Both absolute and without symbolic links. */
function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === "" || (path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}
