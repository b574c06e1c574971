import { z } from "zod";
import type { SlackWorkspace } from "../workspace.ts";
import { sayBelow } from "./say-below.ts";
import type { ThreadPlace } from "./thread-place.ts";

/** People who are told of one question. */
const MAX_TOLD = 5;

const linkSchema = z.object({ permalink: z.string() });
const channelSchema = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Sends those who may answer a question of somebody who may not approve it a link to it; where nobody is written to who
 * has not written first, they are mentioned below it. Best effort; never rejects.
 */
export async function tellApprovers(
  workspace: SlackWorkspace,
  { channel, thread, isDirect }: ThreadPlace,
  ts: string,
  requester: string,
): Promise<void> {
  const { queue, context, bot, identity } = workspace;
  const { team } = identity;
  const place = { surface: "slack", bot: bot.name, team, channel, isDirect };
  const role = context.people.roleOf({ ...place, user: requester });
  if (role === "approver" || role === "operator") return;
  const approvers = context.people
    .approversIn(place)
    .filter((user) => user !== requester && /^[UW][A-Z0-9]+$/.test(user))
    .slice(0, MAX_TOLD);
  if (approvers.length === 0) return;
  if (!mayWriteFirst(workspace)) {
    if (isDirect) return;
    const mentions = approvers.map((user) => `<@${user}>`).join(" ");
    const text = `${mentions} The question above needs one of you.`;
    return await sayBelow(workspace, { channel, thread }, text);
  }
  const link = await queue.run({
    method: "chat.getPermalink",
    channel,
    priority: "question",
    args: () => ({ channel, message_ts: ts }),
  });
  const parsed = linkSchema.safeParse(link.kind === "ok" ? link.body : undefined);
  const where = parsed.success ? `<${parsed.data.permalink}|a question>` : "a question";
  for (const user of approvers) {
    await tellDirectly(workspace, user, `<@${requester}>'s agent asks ${where} that needs you.`);
  }
}

/** Whether somebody may be written to who has not written first. */
function mayWriteFirst({ bot }: Pick<SlackWorkspace, "bot">): boolean {
  return bot.settings.features.includes("first-messages");
}

/** Best effort; never rejects. Nothing where nobody may be written to first. @param text - As mrkdwn. */
export async function tellDirectly(
  workspace: Pick<SlackWorkspace, "queue" | "bot">,
  user: string,
  text: string,
): Promise<void> {
  if (!mayWriteFirst(workspace)) return;
  const { queue } = workspace;
  const opened = await queue.run({
    method: "conversations.open",
    channel: user,
    priority: "question",
    args: () => ({ users: user }),
  });
  const parsed = channelSchema.safeParse(opened.kind === "ok" ? opened.body : undefined);
  if (!parsed.success) return;
  const { id } = parsed.data.channel;
  await queue.run({
    method: "chat.postMessage",
    channel: id,
    priority: "question",
    args: () => ({ channel: id, text, unfurl_links: false, unfurl_media: false }),
  });
}
