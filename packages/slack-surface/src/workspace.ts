import {
  formatConversationKey,
  type SlackBot,
  type SurfaceBot,
  type SurfaceContext,
} from "@acp-kit/relay";
import type { Demotions } from "./book/demotions.ts";
import type { HeardBook } from "./book/heard-book.ts";
import type { OpenConversations } from "./book/open-conversations.ts";
import type { QuestionBook } from "./book/question-book.ts";
import type { SignBook } from "./book/sign-book.ts";
import type { CallQueue } from "./budget/call-queue.ts";
import type { SlackCaller } from "./budget/call-result.ts";
import type { Clock } from "./budget/clock.ts";
import type { Directory } from "./directory/directory.ts";
import { conversationOf } from "./intake/follow.ts";
import type { SlackIdentity } from "./intake/heard.ts";
import type { SlackRenderer } from "./slack-part.ts";

/** One bot in the workspace that it was installed to: what its intake and its delivery have in common. */
export type SlackWorkspace = {
  readonly context: SurfaceContext;
  readonly bot: SurfaceBot<SlackBot>;
  readonly identity: SlackIdentity;
  /** Each message of a direct conversation begins a thread of its own. */
  readonly hasAgentView: boolean;
  readonly renderer: SlackRenderer;
  /** At once, with the bot's token, outside of any budget: for what has to be there within seconds. */
  readonly call: SlackCaller;
  readonly queue: CallQueue;
  readonly clock: Clock;
  /** What is to be shown; to be marked before anything that was submitted is acknowledged. */
  readonly open: OpenConversations;
  readonly questions: QuestionBook;
  readonly signs: SignBook;
  readonly demotions: Demotions;
  /** Who has addressed the bot where, and what became of messages. */
  readonly heard: HeardBook;
  readonly directory: Directory;
};

/** Where a conversation is, as the platform names it. */
export type ConversationPlace = {
  readonly team: string;
  readonly channel: string;
  /** Absent in a direct conversation that is one conversation as a whole. */
  readonly thread: string | undefined;
};

/** The router's name of a conversation of this bot. @param id - As `conversationOf` gives it. */
export function conversationKeyOf({ bot }: Pick<SlackWorkspace, "bot">, id: string): string {
  return formatConversationKey({ surface: "slack", bot: bot.name, id });
}

/** The same of a thread, as events name it that are no messages. */
export function conversationAt(
  workspace: Pick<SlackWorkspace, "bot" | "identity" | "hasAgentView">,
  channel: string,
  thread: string,
): string {
  const { identity, hasAgentView } = workspace;
  const kind = channel.startsWith("D") ? "direct" : "channel";
  const place = { team: identity.team, channel, thread, kind } as const;
  return conversationKeyOf(workspace, conversationOf({ place }, hasAgentView));
}
