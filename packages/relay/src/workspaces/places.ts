import { createAgentEnv } from "@acp-kit/acp-wire";
import type { Router, Workspace, WorkspaceTurn } from "@acp-kit/router";
import { identityOf } from "../agent-identity.ts";
import type { Env } from "../config/secret.ts";
import { parseConversationKey } from "../conversation-key.ts";
import { createFileLending, sweepLentFiles, takeBackFiles } from "../files/lent-files.ts";
import { LoanBook } from "../files/loan-book.ts";
import type { Log } from "../log.ts";
import type { People } from "../people/people.ts";
import type { RelayDb } from "../relay-db.ts";
import { findBot } from "../router-config.ts";
import type { Settings } from "../settings.ts";
import type { WorkspaceLocks } from "../workspace-locks.ts";
import { createWorkspaces } from "../workspaces.ts";
import { PlaceBook } from "./place-book.ts";
import { createProjects, type Projects } from "./projects.ts";
import { unusable } from "./unusable.ts";
import { type Surroundings, Worktrees } from "./worktrees.ts";

export type PlacesOptions = {
  readonly settings: Settings;
  readonly env: Env;
  readonly log: Log;
  /** Real path of the state directory. */
  readonly stateDir: string;
  /** Home directory of this process's user. */
  readonly home: string;
  readonly db: RelayDb;
  readonly locks: WorkspaceLocks;
  /** Both are made of this. */
  readonly people: () => Pick<People, "mayChoose">;
  readonly router: () => Pick<Router, "submit" | "describe">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/** Where conversations work. */
export interface Places {
  readonly projects: Projects;
  /**
   * The workspace of a turn; without one, where its files are. The first turn of a conversation fixes which one it is.
   *
   * @throws RelayError `workspace`
   */
  workspaceFor(conversation: string, turn?: WorkspaceTurn): Promise<Workspace>;
  /** As whom the agent runs that a conversation uses next, and what runs on its behalf. */
  surroundingsOf(conversation: string): Promise<Surroundings>;
  /** The commit that a conversation's worktree started from; absent where it has none. */
  startOf(conversation: string): string | undefined;
  /** Removes worktrees whose time is over, if nothing in them would be lost, and copies of files. */
  sweep(): Promise<void>;
}

/** @throws RelayError `workspace` for one that may not be used. */
export async function createPlaces(options: PlacesOptions): Promise<Places> {
  const { settings, env, log, stateDir, home, db, locks, people, router, now } = options;
  const { workspaces: configured } = settings;
  const book = new PlaceBook(db);
  const loans = new LoanBook(db);
  const path = env["PATH"];
  const worktrees = new Worktrees({
    book,
    directory: `${stateDir}/worktrees`,
    path,
    log,
    now,
  });
  const workspaces = await createWorkspaces({
    workspaces: configured,
    stateDir,
    guarded: settings.configFile === undefined ? [] : [settings.configFile],
    home,
    worktrees,
  });
  const projects = createProjects({
    workspaces: configured,
    book,
    worktrees,
    presetOf: (conversation) => findBot(settings, conversation).workspace,
    isOpen: (conversation, user, value) =>
      people().mayChoose({ conversation, user, agent: "", setting: "workspace", value }),
    router,
    now,
  });
  const surroundingsOf = async (conversation: string): Promise<Surroundings> => {
    const { agent } = await router().describe(conversation);
    return surroundingsIn(settings, env, agent || findBot(settings, conversation).agent);
  };
  return {
    projects,
    surroundingsOf,
    async workspaceFor(conversation, turn) {
      const name = projects.current(conversation);
      if (!Object.hasOwn(configured, name)) {
        throw unusable(name, "is not there any more; choose another project");
      }
      const takeBack = (directories: readonly string[]) =>
        takeBackFiles({ book: loans, conversation, path, log }, directories);
      if (!turn) return { ...(await workspaces.workspaceFor(name, conversation)), takeBack };
      if (book.workspaceOf(conversation) === undefined) {
        book.choose(conversation, name, undefined, now());
      }
      const surroundings = await surroundingsOf(conversation);
      const context = {
        surroundings,
        preparing: () => turn.preparing(),
        signal: turn.signal,
      };
      const workspace = await workspaces.workspaceFor(name, conversation, context);
      const { cwd, filesDir } = workspace;
      const { identity } = surroundings;
      const lending = createFileLending({
        ...{ book: loans, identity, path, conversation, cwd, filesDir, log, now },
      });
      const roots = lending.isAlwaysNeeded ? [] : workspace.roots;
      return { ...workspace, roots, lending, takeBack, name };
    },
    startOf: (conversation) => book.worktreeOf(conversation, projects.current(conversation))?.start,
    sweep: async () => {
      const days = settings.attachments.ttlDays;
      await sweepLentFiles(loans, { path, days, now: now(), log });
      await worktrees.sweep(
        async (record) => {
          const workspace = configured[record.workspace];
          if (workspace?.isolation !== "worktree") return undefined;
          const { keepDays } = workspace;
          const { conversation } = record;
          if (conversation !== null && botOf(settings, conversation)) {
            return { ...(await surroundingsOf(conversation)), keepDays };
          }
          const bot = settings.bots.find((one) => one.workspace === record.workspace);
          return bot && { ...surroundingsIn(settings, env, bot.agent), keepDays };
        },
        (path) => locks.lockIdle(path),
      );
    },
  };
}

function surroundingsIn({ agents }: Settings, env: Env, name: string): Surroundings {
  const agent = agents[name];
  if (!agent) throw new TypeError("a bot names an agent that is not configured");
  const { envPass, env: own, runAs } = agent;
  return {
    identity: identityOf(agent),
    env: createAgentEnv({ hostEnv: env, envPass, env: own, sameUser: runAs === undefined }),
  };
}

/** The bot of a conversation, unless it is not configured any more. */
function botOf({ bots }: Settings, conversation: string) {
  const { bot: name } = parseConversationKey(conversation);
  return bots.find((bot) => bot.name === name);
}
