import { findStatus } from "./agent-methods.ts";
import { findButtons, type LiveButton, readableText } from "./block-text.ts";
import type { SlackMessage } from "./records.ts";
import { expire } from "./stream-methods.ts";
import type { Workspace } from "./workspace.ts";

/** A message as one person sees it. */
export type SeenMessage = {
  readonly ts: string;
  /** The `ts` of the thread's first message, in replies. */
  readonly threadTs: string | undefined;
  readonly author: string;
  /** The author's id. */
  readonly user: string;
  readonly text: string;
  /** What stands beside the text: `…` for a live stream, `⚠` for a failed one, `(edited)`, files, reactions. */
  readonly marks: readonly string[];
  readonly buttons: readonly LiveButton[];
};

/** Those that a person sees of a channel, oldest first. */
export function findSeenMessages(
  workspace: Workspace,
  user: string,
  channel: string,
): readonly SeenMessage[] {
  return workspace.messages
    .filter(
      (each) =>
        each.channel === channel &&
        !each.isDeleted &&
        (each.onlyFor === undefined || each.onlyFor === user),
    )
    .map((message) => {
      const text = visibleText(workspace, message, user);
      return {
        ts: message.ts,
        threadTs: message.threadTs,
        author: workspace.users.get(message.user)?.name ?? message.user,
        user: message.user,
        text,
        marks: marksOf(message),
        buttons: findButtons(message),
      };
    });
}

/** What stands under a thread: the app's status, whether there is Stop, whether it waits. */
export function findThreadMarks(
  workspace: Workspace,
  channel: string,
  ts: string,
): readonly string[] {
  const { name } = workspace.settings.app;
  const status = findStatus(workspace, channel, ts);
  const session = workspace.session(channel, ts);
  return [
    ...(status === undefined ? [] : [`(${name} ${status})`]),
    ...(session?.status === "processing" ? ["[Stop]"] : []),
    ...(session?.status === "suspended" ? [`(${name} waits for you)`] : []),
  ];
}

/** What a person sees of one message. */
function visibleText(workspace: Workspace, message: SlackMessage, user: string): string {
  expire(workspace, message);
  const { stream } = message;
  const isOthers = stream?.recipient !== user && stream?.firstSight !== undefined;
  return isOthers ? (stream.firstSight ?? "") : readableText(message);
}

function marksOf(message: SlackMessage): readonly string[] {
  return [
    ...(message.onlyFor === undefined ? [] : ["(only you)"]),
    ...(message.stream?.state === "in_progress" ? ["…"] : []),
    ...(message.stream?.state === "errored" ? ["⚠"] : []),
    ...(message.editedAt === undefined ? [] : ["(edited)"]),
    ...message.files.map((file) => `📎 ${file.name}`),
    ...[...message.reactions].map(([reaction, users]) => `:${reaction}:${users.size}`),
  ];
}
