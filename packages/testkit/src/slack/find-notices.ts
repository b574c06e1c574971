import type { SlackMessage, SlackNotice } from "./records.ts";
import type { Workspace } from "./workspace.ts";

const BROADCAST = /<!(?:channel|here|everyone)(?:\|[^>]*)?>/;
const MENTION = /<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g;

/**
 * Whose phones ring for a new message. Edits ring none.
 *
 * @param text - Where mentions are looked for.
 */
export function findNotices(
  workspace: Workspace,
  message: SlackMessage,
  text: string,
): readonly SlackNotice[] {
  const { channel: id, ts, threadTs, user } = message;
  const channel = workspace.channels.get(id);
  if (!channel) return [];
  const mentioned = new Set([...text.matchAll(MENTION)].map(([, who]) => who));
  const isBroadcast = BROADCAST.test(text);
  const inThread = new Set(
    threadTs === undefined ? [] : workspace.thread(id, threadTs).map((each) => each.user),
  );
  return [...channel.members].flatMap((member): SlackNotice[] => {
    if (member === user || workspace.users.get(member)?.isBot) return [];
    const isDirect = channel.kind === "im" || channel.kind === "mpim";
    const why = mentioned.has(member)
      ? "mention"
      : isBroadcast
        ? "broadcast"
        : isDirect
          ? "direct"
          : inThread.has(member)
            ? "thread"
            : undefined;
    return why === undefined ? [] : [{ user: member, channel: id, ts, why, text }];
  });
}
