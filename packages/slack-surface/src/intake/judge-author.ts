import type { WireMessage } from "./event-schema.ts";
import type { IgnoreReason, SlackIdentity } from "./heard.ts";

/** Another bot that may be heard: by its bot id. */
export type HeardBots = Pick<ReadonlySet<string>, "has">;

/** What the platform says through: never a person. */
const PLATFORM_USER = "USLACKBOT";

/**
 * Why a message is not taken from its author; nothing when it may be.
 *
 * Posts of this app are its own whoever they look like: what it posts with a person's token carries that person, and
 * another bot id than the bot's.
 */
export function judgeAuthor(
  message: Pick<WireMessage, "user" | "bot_id" | "app_id" | "subtype">,
  identity: SlackIdentity,
  bots: HeardBots,
): IgnoreReason | undefined {
  const { user, bot_id: bot, app_id: app, subtype } = message;
  if (user === identity.botUser || bot === identity.botId || app === identity.app) return "own";
  if (user === PLATFORM_USER) return "bot";
  if (bot !== undefined || subtype === "bot_message") {
    return bot !== undefined && bots.has(bot) ? undefined : "bot";
  }
  return user === undefined || user === "" ? "no-author" : undefined;
}

/** What is known of a person, from `users.info`. */
export type SlackProfile = {
  readonly team: string;
  /** The organisation of their workspace, where it belongs to one. */
  readonly enterprise?: string;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  readonly isGuest: boolean;
};

/** Why a person is heard, and may press buttons, only where a rule names them; nothing for the workspace's own. */
export type Outsider = "guest" | "partner" | "deactivated" | "bot";

/**
 * People of other workspaces of the same organisation are no partners. Pure.
 *
 * @param home - The workspace that this app was installed to.
 */
export function judgePerson(
  profile: SlackProfile,
  home: Pick<SlackIdentity, "team" | "enterprise">,
): Outsider | undefined {
  if (profile.isDeactivated) return "deactivated";
  if (profile.isBot) return "bot";
  const isColleague = home.enterprise !== undefined && profile.enterprise === home.enterprise;
  if (profile.team !== home.team && !isColleague) return "partner";
  return profile.isGuest ? "guest" : undefined;
}
