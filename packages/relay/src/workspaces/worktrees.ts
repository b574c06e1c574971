import { createHash } from "node:crypto";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "@acp-kit/router";
import { type AgentIdentity, isOwnIdentity } from "../agent-identity.ts";
import type { WorkspaceConfig } from "../config/schema.ts";
import { createGit, type Git } from "../git/git.ts";
import {
  BRANCH_PREFIX,
  countBehind,
  createWorktree,
  hasBranch,
  readWorktreeState,
  removeWorktree,
} from "../git/worktree.ts";
import { hashId, type Log } from "../log.ts";
import type { PlaceBook, WorktreeRecord } from "./place-book.ts";
import { runSetup } from "./run-setup.ts";
import { unusable } from "./unusable.ts";

export type WorktreeConfig = Extract<WorkspaceConfig, { isolation: "worktree" }>;

/** As whom, and with what, the programs of a workspace run. */
export type Surroundings = {
  readonly identity: AgentIdentity;
  /** The agent's environment. */
  readonly env: Readonly<Record<string, string>>;
};

export type WorktreeRequest = {
  readonly name: string;
  readonly config: WorktreeConfig;
  /** Real path of the configured checkout. */
  readonly repository: string;
  readonly conversation: string;
  readonly surroundings: Surroundings;
  /** Told before it takes long. */
  readonly preparing: () => void;
  readonly signal: AbortSignal;
};

export type WorktreesOptions = {
  readonly book: PlaceBook;
  /** Worktrees are made below it, unless a workspace names another place. */
  readonly directory: string;
  /** PATH of the relay. */
  readonly path: string | undefined;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

const DAY_MS = 86_400_000;

/** Names that are tried until one is free. */
const MAX_TRIES = 20;

/** The worktrees of conversations: made once, kept for the conversation's life, removed only without a loss. */
export class Worktrees {
  readonly #options: WorktreesOptions;

  constructor(options: WorktreesOptions) {
    this.#options = options;
  }

  /**
   * The conversation's worktree. The first time it is made and set up; the notices say so.
   *
   * @throws RelayError `workspace`, also when it is gone: it is never replaced by itself.
   */
  async worktreeFor(
    request: WorktreeRequest,
  ): Promise<Pick<Workspace, "cwd" | "exclusive"> & { notices: readonly string[] }> {
    const { book, now } = this.#options;
    const { name, conversation, surroundings } = request;
    const git = createGit({ identity: surroundings.identity, path: this.#options.path });
    const notices: string[] = [];
    let record = book.worktreeOf(conversation, name);
    if (record) {
      await this.#expectThere(record, name);
      notices.push(...(await this.#describePause(git, record)));
    } else {
      request.preparing();
      record = await this.#create(git, request);
      const { branch, base } = record;
      notices.push(
        `This conversation works on a branch of its own, \`${branch}\`, made from ${nameBase(base)}.`,
      );
    }
    notices.push(...(await this.#setUp(record, request)));
    book.useWorktree(record.id, now());
    return { cwd: record.path, exclusive: record.path, notices };
  }

  /** Where the conversation's worktree is, if it has one. */
  findPath(name: string, conversation: string): string | undefined {
    return this.#options.book.worktreeOf(conversation, name)?.path;
  }

  /** Gives the conversation's worktree up if it is lost, and tells whether: the next turn makes another one. */
  async leaveLost(conversation: string, name: string): Promise<boolean> {
    const record = this.#options.book.worktreeOf(conversation, name);
    if (!record || (await isThere(record.path))) return false;
    this.#options.book.leaveWorktree(record.id);
    return true;
  }

  /**
   * Looks at all worktrees, and removes those that were not used for their time, if nothing in them would be lost. The
   * others stay, whatever they are, and their state is noted.
   *
   * @param aboutOf - The identity of the agent that works there, and how long one is kept; absent: its workspace is not
   *   in the configuration any more, it stays.
   * @param lock - Keeps turns out while it is removed; absent: a turn is there.
   */
  async sweep(
    aboutOf: (
      record: WorktreeRecord,
    ) => Promise<{ readonly identity: AgentIdentity; readonly keepDays: number } | undefined>,
    lock: (path: string) => Promise<(() => void) | undefined>,
  ): Promise<void> {
    const { book, log } = this.#options;
    for (const record of book.worktrees()) {
      const about = await aboutOf(record);
      if (about === undefined) continue;
      const unlock = await lock(record.path);
      if (unlock === undefined) continue;
      try {
        const git = createGit({ identity: about.identity, path: this.#options.path });
        await this.#sweepOne(git, record, about.keepDays);
      } catch (err) {
        log.warn({ err, branch: record.branch }, "a worktree could not be looked at; it stays");
      } finally {
        unlock();
      }
    }
  }

  async #sweepOne(git: Git, record: WorktreeRecord, keepDays: number): Promise<void> {
    const { book, log, now } = this.#options;
    if (!(await isThere(record.path))) return book.noteState(record.id, "lost");
    const state = await readWorktreeState(git, record);
    book.noteState(record.id, state);
    const isOld = record.conversation === null || now() - record.usedAt > keepDays * DAY_MS;
    if (!isOld || state !== "clean") return;
    await removeWorktree(git, record);
    book.forgetWorktree(record.id);
    const { branch, workspace } = record;
    log.info({ workspace, branch }, "a worktree was removed: its work is elsewhere");
  }

  async #create(git: Git, request: WorktreeRequest): Promise<WorktreeRecord> {
    const { book, now, log } = this.#options;
    const { name, config, repository, conversation, surroundings } = request;
    const { base } = config;
    const parent = join(config.directory ?? this.#options.directory, name);
    try {
      if (isOwnIdentity(surroundings.identity))
        await mkdir(parent, { recursive: true, mode: 0o700 });
      else await git.exec(["mkdir", "-p", "--", git.toAgentPath(parent)]);
      const id = await this.#findFreeId(git, request, parent);
      const path = join(await realpath(parent), id);
      const branch = `${BRANCH_PREFIX}${id}`;
      const start = await createWorktree(git, { repository, path, branch, base });
      const at = now();
      const setup = config.setup === undefined ? "done" : "pending";
      const about = { id, conversation, workspace: name, repository, path, branch, base, start };
      const record = { ...about, setup, state: "unknown", createdAt: at, usedAt: at } as const;
      book.addWorktree(record);
      log.info({ workspace: name, branch, conversation: hashId(conversation) }, "worktree made");
      return record;
    } catch (error) {
      throw unusable(
        name,
        `has no worktree for this conversation: none can be made from "${base}"`,
        error,
      );
    }
  }

  async #findFreeId(
    git: Git,
    { name, repository, conversation }: WorktreeRequest,
    parent: string,
  ): Promise<string> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const text = `${conversation}\n${name}\n${attempt}`;
      const id = createHash("sha256").update(text).digest("hex").slice(0, 8);
      if (this.#options.book.worktree(id)) continue;
      if (await lstat(join(parent, id)).catch(() => undefined)) continue;
      if (!(await hasBranch(git, repository, `${BRANCH_PREFIX}${id}`))) return id;
    }
    throw unusable(name, "has no free name for another worktree");
  }

  async #expectThere(record: WorktreeRecord, name: string): Promise<void> {
    if (await isThere(record.path)) return;
    this.#options.book.noteState(record.id, "lost");
    throw unusable(
      name,
      `has lost this conversation's worktree (branch ${record.branch}); bring it back, or choose the project again for a new one`,
    );
  }

  async #setUp(record: WorktreeRecord, request: WorktreeRequest): Promise<readonly string[]> {
    const { setup } = request.config;
    if (setup === undefined || record.setup === "done") return [];
    request.preparing();
    const { log } = this.#options;
    const { surroundings, signal } = request;
    const result = await runSetup(setup, record.path, { surroundings, signal });
    const { branch, workspace } = record;
    log.info({ workspace, branch, how: result.how, output: result.output }, "worktree set up");
    if (signal.aborted) return [];
    this.#options.book.setUp(record.id);
    if (result.isDone) return [];
    return [
      `The workspace's setup (\`${setup[0]}\`) ${result.how}, so it may not be ready. What it printed is in the operator's log.`,
    ];
  }

  /** After a day: what has happened to the branch that this one was made from. */
  async #describePause(git: Git, record: WorktreeRecord): Promise<readonly string[]> {
    if (this.#options.now() - record.usedAt < DAY_MS) return [];
    const count = await countBehind(git, record).catch(() => 0);
    if (!(count > 0)) return [];
    const commits = count === 1 ? "1 commit" : `${count} commits`;
    return [
      `Since then ${nameBase(record.base)} has got ${commits} that \`${record.branch}\` does not have.`,
    ];
  }
}

function nameBase(base: string): string {
  return base === "HEAD" ? "what the repository has checked out" : `\`${base}\``;
}

/** A worktree that is where it was made: no link has taken its place. */
async function isThere(path: string): Promise<boolean> {
  try {
    return (await realpath(path)) === path && (await lstat(join(path, ".git"))).isFile();
  } catch {
    return false;
  }
}
