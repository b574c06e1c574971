import { randomUUID } from "node:crypto";
import type { Router } from "@acp-kit/router";
import type { WorkspaceConfig } from "../config/schema.ts";
import type { PlaceBook } from "./place-book.ts";
import type { Worktrees } from "./worktrees.ts";

/** A workspace as people choose it: by name. */
export type Project = { readonly name: string; readonly isolation: WorkspaceConfig["isolation"] };

/**
 * What became of a choice. `chosen`: the next turn works there, in a new session. `same`: it is the one that the
 * conversation has. `closed`: there is none of that name, or it is not open to the person: nobody learns which.
 */
export type ProjectChoice = {
  readonly kind: "chosen" | "same" | "closed";
  /** One sentence for the chat. */
  readonly text: string;
};

/** Which workspace a conversation has: fixed by its first turn, changed only by a person's choice. */
export interface Projects {
  /** Those that a person may choose here, in the configuration's order. */
  list(conversation: string, user: string): readonly Project[];
  /** The one that the conversation has, or would get by its first turn. */
  current(conversation: string): string;
  choose(conversation: string, user: string, name: string): Promise<ProjectChoice>;
}

export type ProjectsOptions = {
  readonly workspaces: Readonly<Record<string, WorkspaceConfig>>;
  readonly book: PlaceBook;
  readonly worktrees: Worktrees;
  /** Name of the workspace of the conversation's bot. */
  readonly presetOf: (conversation: string) => string;
  /** Whether a workspace is open to a person. */
  readonly isOpen: (conversation: string, user: string, name: string) => boolean;
  readonly router: () => Pick<Router, "submit">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

export function createProjects(options: ProjectsOptions): Projects {
  const { workspaces, book, worktrees, presetOf, isOpen, router, now } = options;
  const current = (conversation: string) =>
    book.workspaceOf(conversation) ?? presetOf(conversation);
  const list = (conversation: string, user: string): readonly Project[] =>
    Object.entries(workspaces)
      .filter(([name]) => isOpen(conversation, user, name))
      .map(([name, { isolation }]) => ({ name, isolation }));
  return {
    list,
    current,
    async choose(conversation, user, name) {
      if (!list(conversation, user).some((project) => project.name === name)) {
        return { kind: "closed", text: "There is no such project for you here." };
      }
      const isSame = current(conversation) === name;
      // Chosen again, a lost worktree is given up for a new one.
      const isRenewed = isSame && (await worktrees.leaveLost(conversation, name));
      if (isSame && !isRenewed) {
        return { kind: "same", text: `This conversation works in \`${name}\` already.` };
      }
      const at = now();
      book.choose(conversation, name, user, at);
      await router().submit(conversation, {
        kind: "reset",
        key: `project:${randomUUID()}`,
        user,
        at,
      });
      return {
        kind: "chosen",
        text: `From the next message on this conversation works in \`${name}\`, in a new session: the agent starts without what was said so far.`,
      };
    },
  };
}
