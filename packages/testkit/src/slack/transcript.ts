import { findStatus } from "./agent-methods.ts";
import { readableText } from "./block-text.ts";
import type { SlackMessage } from "./records.ts";
import { expire } from "./stream-methods.ts";
import type { Workspace } from "./workspace.ts";

/**
 * What one person sees of a channel, replies under their roots:
 *
 *     ana: <@U0BOT> hello  :eyes:1
 *       agent: Hello. …
 *       (agent is thinking)
 *
 * `…` stands for a stream that is live, `⚠` for one that has failed, `(only you)` for what nobody else sees.
 */
export function formatTranscript(workspace: Workspace, user: string, channel: string): string {
  const visible = workspace.messages.filter(
    (each) =>
      each.channel === channel &&
      !each.isDeleted &&
      (each.onlyFor === undefined || each.onlyFor === user),
  );
  const lines: string[] = [];
  for (const root of visible) {
    if (root.threadTs !== undefined) continue;
    lines.push(...formatMessageLines(workspace, root, user, ""));
    for (const reply of visible.filter(({ threadTs }) => threadTs === root.ts)) {
      lines.push(...formatMessageLines(workspace, reply, user, "  "));
    }
    lines.push(...statusLines(workspace, channel, root.ts));
  }
  return lines.join("\n");
}

/** What a person sees of one message. */
export function visibleText(workspace: Workspace, message: SlackMessage, user: string): string {
  expire(workspace, message);
  const { stream } = message;
  const isOthers = stream?.recipient !== user && stream?.firstSight !== undefined;
  return isOthers ? (stream.firstSight ?? "") : readableText(message);
}

function formatMessageLines(
  workspace: Workspace,
  message: SlackMessage,
  user: string,
  indent: string,
): readonly string[] {
  const name = workspace.users.get(message.user)?.name ?? message.user;
  const text = visibleText(workspace, message, user);
  const marks = [
    ...(message.onlyFor === undefined ? [] : ["(only you)"]),
    ...(message.stream?.state === "in_progress" ? ["…"] : []),
    ...(message.stream?.state === "errored" ? ["⚠"] : []),
    ...(message.editedAt === undefined ? [] : ["(edited)"]),
    ...message.files.map((file) => `📎 ${file.name}`),
    ...[...message.reactions].map(([reaction, users]) => `:${reaction}:${users.size}`),
  ];
  const [first = "", ...rest] = text.split("\n");
  return [
    `${indent}${[`${name}: ${first}`, ...(rest.length === 0 ? marks : [])].join("  ")}`.trimEnd(),
    ...rest.map((line, at) =>
      `${indent}  ${[line, ...(at === rest.length - 1 ? marks : [])].join("  ")}`.trimEnd(),
    ),
  ];
}

function statusLines(workspace: Workspace, channel: string, ts: string): readonly string[] {
  const { name } = workspace.settings.app;
  const status = findStatus(workspace, channel, ts);
  const session = workspace.session(channel, ts);
  return [
    ...(status === undefined ? [] : [`  (${name} ${status})`]),
    ...(session?.status === "processing" ? ["  [Stop]"] : []),
    ...(session?.status === "suspended" ? [`  (${name} waits for you)`] : []),
  ];
}
