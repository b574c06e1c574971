import type { HeardMessage, SlackPlace } from "./heard.ts";

/** For how long a thread is followed after the bot's last answer in it, in milliseconds. */
export const FOLLOW_MS = 7 * 24 * 3_600_000;

/** What is kept of a thread that the bot has answered in. */
export type FollowedThread = {
  /** People who have addressed the bot there. */
  readonly addressedBy: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly lastAnswerAt: number;
};

/**
 * Whether a message is for the bot: it is addressed, or goes on in a thread where its author has addressed the bot,
 * unless it opens with somebody else's mention. Pure.
 */
export function isForBot(
  message: Pick<HeardMessage, "isAddressed" | "opensWithOther" | "author" | "place">,
  thread: FollowedThread | undefined,
  now: number,
): boolean {
  if (message.isAddressed) return true;
  if (!thread || !message.place.isInThread || message.opensWithOther) return false;
  return thread.addressedBy.has(message.author.user) && now - thread.lastAnswerAt < FOLLOW_MS;
}

/**
 * The platform's conversation that a message belongs to: its thread; in a direct conversation of an app that has no
 * agent view, the whole of it.
 */
export function conversationOf(
  { place }: { readonly place: Pick<SlackPlace, "team" | "channel" | "thread" | "kind"> },
  hasAgentView: boolean,
): string {
  const { team, channel, thread, kind } = place;
  return kind === "direct" && !hasAgentView ? `${team}/${channel}` : `${team}/${channel}/${thread}`;
}
