import { parseConversationKey } from "../conversation-key.ts";
import type { Place } from "./access-rule.ts";

/**
 * Where a conversation is, from its key. Pure. Slack's own part of a key is `<team>/<channel>/<thread>`; a channel whose
 * id begins with D is one person's with the bot.
 */
export function placeOf(conversation: string): Place {
  const { surface, bot, id } = parseConversationKey(conversation);
  if (surface !== "slack") return { surface, bot };
  const [team, channel] = id.split("/");
  return { surface, bot, team, channel, isDirect: channel?.startsWith("D") === true };
}
