import { stat } from "node:fs/promises";
import type { SendPolicy } from "@acp-kit/router";
import type { CommandChanges } from "../commands/command-context.ts";
import { readChanges, readDiff } from "../git/changes.ts";
import { createGit, findCheckout, type Git } from "../git/git.ts";
import type { FileChange } from "../git/parse-changes.ts";
import { readHead, writeSnapshot } from "../git/snapshot.ts";
import type { Places } from "./places.ts";
import type { TurnChanges } from "./turn-changes.ts";
import { unusable } from "./unusable.ts";

/** Longest difference that goes into a chat, in characters. */
const MAX_PATCH_CHARS = 12_000;

export type ChangesOptions = {
  readonly places: Pick<Places, "projects" | "workspaceFor" | "surroundingsOf" | "startOf">;
  readonly turns: Pick<TurnChanges, "of">;
  /** PATH of the relay. */
  readonly path: string | undefined;
  /** What may leave of a conversation's files; of nothing else the contents are shown. */
  readonly sendingOf: (conversation: string) => SendPolicy | undefined;
};

/** What has changed in the checkouts that conversations work in. */
export function createChanges(options: ChangesOptions): CommandChanges {
  const { places, turns, path, sendingOf } = options;
  const gitOf = async (conversation: string): Promise<Git> =>
    createGit({ identity: (await places.surroundingsOf(conversation)).identity, path });
  return {
    async diff({ conversation }, wanted) {
      const { cwd } = await places.workspaceFor(conversation);
      if (!(await isDirectory(cwd))) {
        throw unusable(places.projects.current(conversation), "is not there any more");
      }
      if ((await findCheckout(cwd)) === undefined) return undefined;
      const git = await gitOf(conversation);
      const from = places.startOf(conversation) ?? (await readHead(git, cwd));
      const { tree: to, leftOut } = await writeSnapshot(git, cwd);
      const all = await readChanges(git, cwd, from, to);
      const isWanted = (file: string) =>
        wanted === undefined ||
        file === wanted ||
        file.startsWith(`${wanted.replace(/\/+$/, "")}/`);
      const files = all.filter((file) => isWanted(file.path)).map(countLines);
      const isHidden = await createHidden(sendingOf(conversation));
      const mayShow = (file: string) => isWanted(file) && !isHidden(file);
      const { text, isCut } = await readDiff(git, cwd, { from, to }, mayShow);
      const isLong = text.length > MAX_PATCH_CHARS;
      const patch = isLong ? cutAtLine(text) : text;
      return { files, ...(patch !== "" && { patch }), isCut: isCut || isLong || leftOut > 0 };
    },
    async lastTurn({ conversation }) {
      const trees = turns.of(conversation);
      if (!trees) return undefined;
      const { directory, before, after } = trees;
      if (!(await isDirectory(directory))) {
        throw unusable(places.projects.current(conversation), "is not there any more");
      }
      const files = await readChanges(await gitOf(conversation), directory, before, after);
      return { files: files.map(countLines), isCut: false };
    },
  };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function countLines({ path, lines = { added: 0, removed: 0 } }: FileChange) {
  return { path, ...lines };
}

/** Whether the contents of a file are nothing for a chat: all of them where no file may leave. */
async function createHidden(policy: SendPolicy | undefined): Promise<(path: string) => boolean> {
  if (!policy) return () => true;
  // Loaded late: what fetches files is a lot to load.
  const { createDenyList } = await import("@acp-kit/router/attachments");
  return createDenyList(policy.deny);
}

function cutAtLine(text: string): string {
  const cut = text.slice(0, MAX_PATCH_CHARS);
  return cut.slice(0, cut.lastIndexOf("\n") + 1);
}
