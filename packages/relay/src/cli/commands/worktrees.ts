import { PlaceBook, type WorktreeRecord } from "../../workspaces/place-book.ts";
import { withKeptDb } from "./kept-db.ts";

const STATES: Readonly<Record<WorktreeRecord["state"], string>> = {
  unknown: "not looked at yet",
  clean: "clean",
  changed: "has changes",
  unmerged: "has commits",
  lost: "is gone",
};

/** A line for each worktree that was made for a conversation: what is in it, as the relay saw it last. */
export function listWorktrees(stateDir: string): Promise<string> {
  return withKeptDb(stateDir, (db) => {
    const records = new PlaceBook(db).worktrees();
    if (records.length === 0) return "There are no worktrees.\n";
    return [
      columns("LAST USED", "STATE", "BRANCH", "WORKSPACE", "DIRECTORY"),
      ...records.map(({ usedAt, state, branch, workspace, path }) =>
        columns(
          new Date(usedAt).toISOString().slice(0, 19),
          STATES[state],
          branch,
          workspace,
          path,
        ),
      ),
    ].join("");
  });
}

/** The worktrees of conversations, for who is about to erase these. */
export function readWorktrees(
  stateDir: string,
  conversations: readonly string[],
): Promise<readonly WorktreeRecord[]> {
  return withKeptDb(stateDir, (db) =>
    new PlaceBook(db)
      .worktrees()
      .filter(({ conversation }) => conversation !== null && conversations.includes(conversation)),
  );
}

function columns(usedAt: string, state: string, branch: string, workspace: string, path: string) {
  return `${usedAt.padEnd(21)}${state.padEnd(19)}${branch.padEnd(14)}${workspace.padEnd(14)}${path}\n`;
}
